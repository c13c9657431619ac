import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { advanceSeries, begunAgainMax, type CountedPage } from '../../../shared/domain/polling/page-series.ts'
import {
  type Anchor,
  beginWalk,
  type WalkState,
  walkStateSchema,
} from '../../../shared/domain/polling/walk-state.ts'

const second = 1_763_631_000
const overlapSeconds = 120
const askedSecond = second + 100_000
const fromStart = beginWalk({ from: null, newestSecond: null, stopSecond: null })

/** Records of these seconds after `second`, each by its place in the list. */
const listOf = (seconds: readonly number[]): Anchor[] =>
  seconds.map((at, place) => ({ uuid: `record-${place}`, second: second + at }))

/** The service's answer: pages by their numbers, which are counted from what the question names. */
const answerOf = (list: readonly Anchor[], { ask }: WalkState, pageSize: number): CountedPage => {
  const isNext = ask.kind === 'next'
  const query = new URLSearchParams(isNext ? ask.query : '')
  const lastId = isNext ? query.get('last_id') : (ask.anchor?.uuid ?? null)
  const page = Number(query.get('page') ?? 0)
  const after = list.slice(lastId === null ? 0 : list.findIndex(({ uuid }) => uuid === lastId) + 1)
  const records = after.slice(page * pageSize, (page + 1) * pageSize)
  const more = after.length > (page + 1) * pageSize
  const next = new URLSearchParams({ ...(lastId !== null && { last_id: lastId }), page: String(page + 1) })
  return { records, count: records.length, nextQuery: more ? next.toString() : null, askedSecond }
}

const requestsMax = 500

/** Walks the list; the n-th request gets pages of `sizeAt(n)`. */
const walk = (list: readonly Anchor[], sizeAt: (request: number) => number) => {
  let state = fromStart
  const seen = new Set<string>()
  const asked: string[] = []
  const anchors: (Anchor | null)[] = []
  for (let request = 0; request < requestsMax; request += 1) {
    asked.push(state.ask.kind === 'next' ? state.ask.query : (state.ask.anchor?.uuid ?? 'start'))
    const page = answerOf(list, state, sizeAt(request))
    const step = advanceSeries(state, page, overlapSeconds)
    if (step.kind !== 'page') throw new Error(step.kind)
    for (const { uuid } of page.records) seen.add(uuid)
    // As it is kept between two runs.
    state = walkStateSchema.parse(JSON.parse(JSON.stringify(step.state)))
    const mayMove = step.complete || !state.orderIgnored
    anchors.push(mayMove ? state.candidate : null)
    const { candidate } = state
    if (mayMove && candidate !== null)
      for (const { uuid, second: at } of list)
        if (at <= candidate.second && !seen.has(uuid)) throw new Error(`${uuid} is left behind`)
    if (step.complete) return { seen, asked, anchors }
  }
  throw new Error('the walk does not end')
}

describe('pages that are asked for by `next`', () => {
  it('are ended by their first page once more, and then the anchor moves', () => {
    const { asked, seen, anchors } = walk(listOf([9, 8, 7, 6, 5]), () => 2)
    expect(asked).toEqual(['start', 'page=1', 'page=2', 'start'])
    expect(seen.size).toBe(5)
    expect(anchors.slice(0, 3)).toEqual([null, null, null])
  })

  it('within one second are ended so before the walk goes on by its own record', () => {
    const { asked } = walk(listOf([1, 1, 1, 1, 500, 900, 950]), () => 2)
    expect(asked).toEqual(['start', 'page=1', 'page=2', 'start', 'record-4'])
  })

  it('regression: begin again where the pages have grown meanwhile, since what lay between is on none of them', () => {
    const newestFirst = listOf([70, 60, 50, 40, 30, 20, 10])
    const { seen, asked } = walk(newestFirst, request => (request < 2 ? 2 : 5))
    expect(asked).toEqual(['start', 'page=1', 'page=2', 'start', 'start', 'page=1', 'start'])
    expect([...seen].sort()).toEqual(newestFirst.map(({ uuid }) => uuid))
  })

  it('begin again at once where one of them is larger than the first was', () => {
    const { seen, asked } = walk(listOf([90, 80, 70, 60, 50, 40, 30, 20, 10]), request =>
      request < 1 ? 1 : 4,
    )
    expect(asked).toEqual(['start', 'page=1', 'start', 'page=1', 'page=2', 'start'])
    expect(seen.size).toBe(9)
  })

  it('regression: are read to their end, and leave the anchor alone, where the first is always smaller than others', () => {
    // Two servers that cut differently, say: what lies between their pages is on none of them.
    const list = listOf([90, 80, 70, 60, 50, 40, 30, 20, 10])
    const { seen, asked, anchors } = walk(list, request => (request % 2 === 0 && request < 8 ? 1 : 3))
    const begun = Array.from({ length: 1 + begunAgainMax }, () => ['start', 'page=1'])
    expect(asked).toEqual([...begun.flat(), 'page=2'])
    expect(list.filter(({ uuid }) => !seen.has(uuid)).map(({ uuid }) => uuid)).toEqual([
      'record-1',
      'record-2',
    ])
    expect(anchors.filter(anchor => anchor !== null)).toEqual([])
  })

  it('regression: leave the anchor alone where the first has grown again each time that it is asked for', () => {
    const sizes = [4, 4, 4, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8]
    const { anchors, asked } = walk(
      listOf([90, 80, 70, 60, 50, 40, 30, 20, 10]),
      request => sizes[request] ?? 0,
    )
    expect(asked).toHaveLength(sizes.length)
    expect(asked.filter(ask => ask === 'start')).toHaveLength(2 * (1 + begunAgainMax))
    expect(anchors.filter(anchor => anchor !== null)).toEqual([])
  })

  it('regression: begin again where they have grown between a lost record and the first `next` that replaces it', () => {
    const before = {
      ...fromStart,
      pageSize: 100,
      byNext: true,
      ask: { kind: 'next', query: 'page=1' },
    } as const
    const records = listOf(Array.from({ length: 200 }, (_, at) => at))
    const page = { records, count: 200, nextQuery: 'page=2', askedSecond }
    const step = advanceSeries(before, page, overlapSeconds)
    expect(step).toMatchObject({ kind: 'page', complete: false })
    expect(step.kind === 'page' && step.state.ask).toEqual({ kind: 'after', anchor: null })
  })

  it('cost no further request where the walk goes by its own records', () => {
    expect(walk(listOf([1, 2, 3, 4, 5, 6]), () => 3).asked).toEqual(['start', 'record-1', 'record-3'])
  })

  it('leave no record behind, wherever in the walk the pages grow or shrink', () => {
    const seconds = fc.array(fc.nat(5_000), { minLength: 1, maxLength: 40 })
    const size = fc.integer({ min: 1, max: 9 })
    fc.assert(
      fc.property(seconds, fc.boolean(), fc.nat(60), size, size, (at, isAscending, change, before, after) => {
        const list = listOf(at.map(one => one - (one % 100)).sort((a, b) => (isAscending ? a - b : b - a)))
        const { seen } = walk(list, request => (request < change ? before : after))
        expect(seen.size).toBe(list.length)
      }),
      { numRuns: 1_000 },
    )
  })
})
