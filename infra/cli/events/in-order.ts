import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { Order, Page, PageQuery } from '../../../shared/adapters/dynamodb/event-pages.ts'
import { dayOfSecond, eventIdRange } from '../../../shared/domain/feedback/event-id.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'

/** Partitions of a day that are asked at once. */
const partsAtOnce = 8

/** Unix seconds, both inclusive. */
export type SecondRange = { fromSecond: number; toSecond: number }

export type ToRead<P, T> = {
  parts: readonly P[]
  range: SecondRange
  order: Order
  idOf: (item: T) => string
  page: (part: P, query: PageQuery) => Promise<Page<T>>
}

/**
 * What lies in several partitions of each day (an event log has one a stream, deliveries have one an endpoint), in the order
 * of the event ids. A day at a time, and a page of each partition in memory.
 */
export async function* inOrder<P, T>(of: ToRead<P, T>): AsyncGenerator<T> {
  if (of.range.fromSecond > of.range.toSecond) return
  for (const dayQuery of dayQueries(of.range, of.order)) {
    yield* mergedDay(of, dayQuery)
  }
}

type DayQuery = Omit<PageQuery, 'after'>

function* dayQueries({ fromSecond, toSecond }: SecondRange, order: Order): Generator<DayQuery> {
  const { first: fromId, last: toId } = eventIdRange(fromSecond, toSecond)
  const dayOf = (second: number): number => Math.floor(second / daySeconds)
  const days = dayOf(toSecond) - dayOf(fromSecond)
  for (let at = 0; at <= days; at += 1) {
    const dayStart = (order === 'oldest' ? dayOf(fromSecond) + at : dayOf(toSecond) - at) * daySeconds
    const ofDay = eventIdRange(dayStart, dayStart + daySeconds - 1)
    yield {
      day: dayOfSecond(dayStart),
      fromId: fromId > ofDay.first ? fromId : ofDay.first,
      toId: toId < ofDay.last ? toId : ofDay.last,
      order,
    }
  }
}

/** What is left of a page, and where the next one begins. */
type Reading<P, T> = { part: P; items: readonly T[]; at: number; after: string | null }

async function* mergedDay<P, T>(of: ToRead<P, T>, query: DayQuery): AsyncGenerator<T> {
  const advance = async (part: P, from: string | null): Promise<Reading<P, T> | null> => {
    for (let after = from; ; ) {
      const page = await of.page(part, { ...query, after })
      if (page.items.length > 0) return { part, items: page.items, at: 0, after: page.after }
      if (page.after === null) return null
      after = page.after
    }
  }
  const opened = await mapBounded(of.parts, partsAtOnce, part => advance(part, null))
  let open = opened.filter(reading => reading !== null)
  const idAt = ({ items, at }: Reading<P, T>): string => {
    const item = items[at]
    return item === undefined ? '' : of.idOf(item)
  }
  const isFirst = (id: string, other: string): boolean => (query.order === 'oldest' ? id < other : id > other)
  for (;;) {
    const [head, ...others] = open
    if (head === undefined) return
    const next = others.reduce((best, other) => (isFirst(idAt(other), idAt(best)) ? other : best), head)
    const item = next.items[next.at]
    if (item !== undefined) yield item
    next.at += 1
    if (next.at < next.items.length) continue
    const more = next.after === null ? null : await advance(next.part, next.after)
    open = open.flatMap(reading => (reading !== next ? [reading] : more === null ? [] : [more]))
  }
}
