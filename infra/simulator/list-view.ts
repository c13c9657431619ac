import type { AddedRecord } from './added-records.ts'
import type { GeneratedView } from './generated-view.ts'
import { firstIndex } from './search.ts'

/**
 * A record's place in list order, shown or not: by second; within one, the generated before the added; then by index,
 * or in the order of adding.
 */
export type Place = { second: number; kind: 'generated' | 'added'; number: number }

/** A list at one moment, oldest first, by rank. */
export type ListView = {
  count: number
  /** How many shown records stand before the place. */
  countBefore(place: Place): number
  /** How many shown records stand at the place or before it. */
  countThrough(place: Place): number
  /** How many shown records have this second or an earlier one. */
  countThroughSecond(second: number): number
  /** The places with ranks in [from, to). */
  places(from: number, to: number): Place[]
}

/** One list out of the generated records and the added ones, which are in list order. */
export const createListView = (
  generated: GeneratedView,
  added: readonly AddedRecord[],
  secondOf: (index: number) => number,
): ListView => {
  const addedBelowSecond = (second: number): number =>
    firstIndex(0, added.length, at => (added[at]?.second ?? Number.POSITIVE_INFINITY) >= second)
  const generatedBelowSecond = (second: number): number =>
    generated.countBefore(generated.firstFromSecond(second))

  const countUntil = (place: Place, including: 0 | 1): number => {
    if (place.kind === 'generated') {
      return generated.countBefore(place.number + including) + addedBelowSecond(place.second)
    }
    const from = addedBelowSecond(place.second)
    const to = addedBelowSecond(place.second + 1)
    const limit = place.number + including
    const before = firstIndex(from, to, at => (added[at]?.sequence ?? limit) >= limit)
    return before + generatedBelowSecond(place.second + 1)
  }

  const rankOfAdded = (at: number): number => at + generatedBelowSecond((added[at]?.second ?? 0) + 1)

  const places = (from: number, to: number): Place[] => {
    const firstAdded = firstIndex(0, added.length, at => rankOfAdded(at) >= from)
    const generatedPlaces = generated
      .indexesFrom(from - firstAdded, to - from)
      .map((index): Place => ({ second: secondOf(index), kind: 'generated', number: index }))
    const addedPlaces = added
      .slice(firstAdded, firstAdded + to - from)
      .map(({ second, sequence }): Place => ({ second, kind: 'added', number: sequence }))
    return merge(generatedPlaces, addedPlaces).slice(0, to - from)
  }

  return {
    count: generated.count + added.length,
    countBefore: place => countUntil(place, 0),
    countThrough: place => countUntil(place, 1),
    countThroughSecond: second => generatedBelowSecond(second + 1) + addedBelowSecond(second + 1),
    places,
  }
}

const merge = (generated: readonly Place[], added: readonly Place[]): Place[] => {
  const merged: Place[] = []
  let taken = 0
  for (const place of generated) {
    for (let next = added[taken]; next !== undefined && next.second < place.second; next = added[taken]) {
      merged.push(next)
      taken += 1
    }
    merged.push(place)
  }
  return merged.concat(added.slice(taken))
}
