import { describe, expect, it } from 'vitest'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { findStart } from '../../../shared/domain/polling/find-start.ts'
import type { FetchResult } from '../../../shared/domain/polling/request-gate.ts'
import type { StartAt } from '../../../shared/domain/source.ts'
import { createStream, gateOf, mainKey, nowSecond, of, pageOf } from './start-harness.ts'

const at = (uuid: string, second: number) => ({ uuid, second: nowSecond + second })
const claimed: Cursor = {
  ...emptyCursor,
  start: { query: '', newestSecond: null, before: null, lastSecond: null, newestFirst: true },
}

/** What became of the start that is looked for in these pages, by a run that has found none before. */
const find = async (...pages: FetchResult[]) => {
  const stream = createStream()
  const { gate, asked } = gateOf(...pages)
  const { end, pages: read } = await findStart(stream.context, gate, null)
  expect({ end, read }).toEqual({ end: { kind: 'complete' }, read: pages.length })
  const cursor = stream.commits.at(-1)
  if (cursor === undefined) throw new Error('nothing was committed')
  const seen = stream.log.all().map(({ recordId, endpointIds }) => [recordId, ...endpointIds])
  return { ...stream, asked, cursor, seen }
}

/** The second from now at which the stream starts, the record before it, and what was logged as seen. */
const startOf = async (...pages: FetchResult[]) => {
  const { cursor, seen } = await find(...pages)
  const { floorSecond, anchor } = cursor
  if (floorSecond === null) throw new Error('it has no floor')
  return { floor: floorSecond - nowSecond, before: anchor?.uuid ?? null, seen: seen.flat().sort() }
}

describe('a start at the earliest record, or at a time', () => {
  it.each<[StartAt, number]>([
    [{ kind: 'earliest' }, 0],
    [{ kind: 'time', second: 77 }, 77],
  ])('is known without a request: %j', async (startAt, floorSecond) => {
    const { context, commits } = createStream({ source: { startAt } })
    const found = await findStart(context, gateOf().gate, null)
    expect(found).toEqual({ end: { kind: 'complete' }, pages: 0 })
    expect(commits).toEqual([{ ...emptyCursor, floorSecond }])
  })

  it('is given up where another run has committed one meanwhile', async () => {
    const { context, cursors, commits } = createStream({ source: { startAt: { kind: 'earliest' } } })
    await cursors.commit(mainKey, { ...emptyCursor, floorSecond: 5 }, null)
    const found = await findStart(context, gateOf().gate, null)
    expect(found).toEqual({ end: { kind: 'superseded' }, pages: 0 })
    expect(commits).toEqual([])
  })
})

describe('a start at the latest record', () => {
  it('is the newest second: its records are logged as seen, and the anchor is the newest record before it', async () => {
    const { cursor, commits, seen, remembered, asked } = await find(
      pageOf({ c: -10, b: -10, a: -20, older: -30 }),
    )
    expect(cursor).toEqual({
      ...emptyCursor,
      floorSecond: nowSecond - 10,
      anchor: at('a', -20),
      origin: at('a', -20),
      newest: at('b', -10),
      firstWalkComplete: true,
    })
    // Claimed before anything is logged: see start-race.test.ts.
    expect(commits).toEqual([claimed, cursor])
    expect(seen.toSorted()).toEqual([['b'], ['c']])
    const ids = ['c', 'b'].map(uuid => eventId({ ...of, ...at(uuid, -10) }))
    expect(remembered).toEqual(ids)
    // Newest first; it goes before the polls of a stream that may find nothing.
    const request = { stream: 'bounces', order: 'desc', lastId: null, nextQuery: null }
    expect(asked).toEqual([[request, { kind: 'news', backlog: true }]])
  })

  it('has no anchor where all records are of one second', async () => {
    const page = pageOf({ b: -10, a: -10 })
    expect(await startOf(page)).toEqual({ floor: -10, before: null, seen: ['a', 'b'] })
  })

  it('has no floor to spare anybody where the list is empty, and expects nothing', async () => {
    const { commits, seen, remembered } = await find(pageOf({}))
    expect(commits).toEqual([{ ...emptyCursor, floorSecond: 0, firstWalkComplete: true }])
    expect([seen, remembered]).toEqual([[], []])
  })

  it('reads on by `next` until a record before the newest second is found, and no further', async () => {
    const { asked, cursor, seen } = await find(
      pageOf({ c: -10 }, 'page=2'),
      pageOf({ b: -10, a: -20 }, 'page=3'),
    )
    expect(asked.map(([{ nextQuery }]) => nextQuery)).toEqual([null, 'page=2'])
    expect(cursor).toMatchObject({ anchor: at('a', -20), newest: at('b', -10) })
    expect(seen.flat().sort()).toEqual(['b', 'c'])
  })

  it('reads records of the same second, one after the other, as in order', async () => {
    const page = pageOf({ d: -10, c: -10, b: -20, a: -20 }, 'page=2')
    expect(await startOf(page)).toEqual({ floor: -10, before: 'b', seen: ['c', 'd'] })
  })

  it('takes no record for the newest that is after the time of the answer, and one of that second for it', async () => {
    const page = pageOf({ 'of tomorrow': 86_400, after: 3, now: 2, before: -20 }, null, 2)
    expect(await startOf(page)).toEqual({ floor: 2, before: 'before', seen: ['now'] })
  })

  it('leaves what comes between two pages for news: it is not logged as seen, and does not move the start', async () => {
    const shifted = pageOf({ 'came since': -1, b: -10, a: -20 }, 'page=3', 5)
    // A page that begins later than the one before it ended is no proof of the order: the list is read to its end.
    const start = await startOf(pageOf({ b: -10 }, 'page=2'), shifted, pageOf({ oldest: -90 }))
    expect(start).toEqual({ floor: -10, before: 'a', seen: ['b'] })
  })
})

describe('a start at the latest record of a service that ignores the order', () => {
  it('is looked for to the end of the list, wherever in it the newest second stands', async () => {
    const oldestFirst = await startOf(
      pageOf({ a: -50, b: -40 }, 'page=2'),
      pageOf({ c: -40, d: -30 }, 'page=3'),
      pageOf({ e: -30, f: -35 }),
    )
    expect(oldestFirst).toEqual({ floor: -30, before: 'f', seen: ['d', 'e'] })
  })

  it('has the newest second of before as its anchor where nothing stands between', async () => {
    const page = pageOf({ a: -50, b: -40, c: -30 })
    expect(await startOf(page)).toEqual({ floor: -30, before: 'b', seen: ['c'] })
    const mixed = pageOf({ a: -50, b: -30, c: -40, d: -45, e: -40 })
    expect(await startOf(mixed)).toEqual({ floor: -30, before: 'c', seen: ['b'] })
  })

  it('is not taken for found by a later page that is in order by itself', async () => {
    const start = await startOf(
      pageOf({ a: -50, b: -40 }, 'page=2'),
      pageOf({ c: -45 }, 'page=3'),
      pageOf({ d: -30 }),
    )
    expect(start).toEqual({ floor: -30, before: 'b', seen: ['d'] })
  })

  it('notices pages that are in order by themselves, and not one after the other', async () => {
    const start = await startOf(
      pageOf({ a: -40 }, 'page=2'),
      pageOf({ b: -35, older: -60 }, 'page=3'),
      pageOf({ c: -30 }),
    )
    expect(start).toMatchObject({ floor: -30, seen: ['c'] })
  })

  it('takes what comes while its pages are read for a record that was there, up to the last answer', async () => {
    const first = pageOf({ a: -50, b: -40 }, 'page=2')
    const second = pageOf({ c: 3, d: 4, 'of the future': 5 }, null, 4)
    expect(await startOf(first, second)).toEqual({ floor: 4, before: 'c', seen: ['d'] })
  })

  it('logs a record once that two pages show', async () => {
    const first = pageOf({ a: -50, b: -40 }, 'page=2')
    expect(await startOf(first, pageOf({ b: -40 }))).toEqual({ floor: -40, before: 'a', seen: ['b'] })
  })
})
