import { describe, expect, it } from 'vitest'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import {
  type Cursor,
  type CursorStore,
  emptyCursor,
  type StartPlace,
} from '../../../shared/domain/polling/cursor.ts'
import { findStart } from '../../../shared/domain/polling/find-start.ts'
import type { FetchResult } from '../../../shared/domain/polling/request-gate.ts'
import { createStream, errorOf, gateOf, mainKey, nowSecond, of, pageOf } from './start-harness.ts'

const beginning: StartPlace = {
  query: '',
  newestSecond: null,
  before: null,
  lastSecond: null,
  newestFirst: true,
}
/** After a page of one second, that of ten seconds ago. */
const place: StartPlace = {
  ...beginning,
  query: 'page=2',
  newestSecond: nowSecond - 10,
  lastSecond: nowSecond - 10,
}
const searching = (start: StartPlace): Cursor => ({ ...emptyCursor, start })
const firstPage = pageOf({ c: -10, b: -10 }, 'page=2')
const stopped: FetchResult = { kind: 'stopped', why: 'no_budget' }

const search = async (...answers: FetchResult[]) => {
  const stream = createStream()
  const found = await findStart(stream.context, gateOf(...answers).gate, null)
  const seen = stream.log.all().map(({ recordId }) => recordId)
  return { ...found, commits: stream.commits, seen: seen.sort() }
}

/** Goes on from a place that an earlier run has left. */
const goOn = async (from: StartPlace, ...answers: FetchResult[]) => {
  const stream = createStream()
  await stream.cursors.commit(mainKey, searching(from), null)
  const { gate, queries } = gateOf(...answers)
  const found = await findStart(stream.context, gate, await stream.cursors.read(mainKey))
  const seen = stream.log.all().map(({ recordId }) => recordId)
  return { ...found, commits: stream.commits, seen, queries: queries() }
}

describe('a search for the start that can not be finished now', () => {
  it('logs what it has seen of the newest second, and keeps its place', async () => {
    expect(await search(firstPage, stopped)).toEqual({
      end: { kind: 'unfinished', why: 'no_budget' },
      pages: 1,
      commits: [searching(beginning), searching(place)],
      seen: ['b', 'c'],
    })
  })

  it('keeps in its place what it knows of the order, and of the record before the newest second', async () => {
    const oldestFirst = pageOf({ a: -50, b: -40 }, 'page=2')
    const { commits } = await search(oldestFirst, { kind: 'stopped', why: 'run_over' })
    expect(commits.at(-1)?.start).toEqual({
      query: 'page=2',
      newestSecond: nowSecond - 40,
      before: { uuid: 'a', second: nowSecond - 50 },
      lastSecond: nowSecond - 40,
      newestFirst: false,
    })
  })

  it('keeps the last second of the page before where a page shows nothing', async () => {
    const { commits, pages } = await search(firstPage, pageOf({}, 'page=3'), stopped)
    expect(commits.at(-1)).toEqual(searching({ ...place, query: 'page=3' }))
    expect(pages).toBe(2)
  })

  it('leaves nothing behind where it got no answer at all', async () => {
    expect(await search(stopped)).toEqual({
      ...{ end: { kind: 'unfinished', why: 'no_budget' }, pages: 0, commits: [], seen: [] },
    })
    const error = errorOf('rejected')
    expect(await search({ kind: 'failed', error })).toEqual({
      ...{ end: { kind: 'failed', reason: 'feedback_rejected', error }, pages: 0, commits: [], seen: [] },
    })
  })

  it('asks for the same page again after a failure, and for the first one where its `next` is refused', async () => {
    const away = errorOf('server_error')
    const failed = await search(firstPage, { kind: 'failed', error: away })
    expect(failed.end).toEqual({ kind: 'failed', reason: 'feedback_server_error', error: away })
    expect(failed.commits.at(-1)).toEqual(searching(place))
    const expired = errorOf('rejected')
    const refused = await search(firstPage, { kind: 'failed', error: expired })
    expect(refused.end).toEqual({ kind: 'failed', reason: 'feedback_rejected', error: expired })
    expect(refused.commits.at(-1)).toEqual(searching({ ...place, query: '' }))
  })

  it.each<[string, FetchResult[]]>([
    ['leads nowhere', [pageOf({ b: -10 }, '')]],
    ['leads in a circle', [firstPage, pageOf({ a: -10 }, 'page=2')]],
  ])('has failed where `next` %s, and begins anew the next time', async (_, answers) => {
    const { end, commits, pages } = await search(...answers)
    expect(end).toEqual({ kind: 'failed', reason: 'page_does_not_advance', error: null })
    expect(pages).toBe(answers.length)
    expect(commits).toEqual([searching(beginning)])
  })

  it('has failed where what it saw can not be logged, and does not move on from there', async () => {
    const kept = eventId({ ...of, uuid: 'b', second: nowSecond - 10 })
    const stream = createStream({ log: { record: async () => new Set([kept]) } })
    const found = await findStart(stream.context, gateOf(firstPage, stopped).gate, null)
    expect(found).toEqual({ end: { kind: 'failed', reason: 'log_failed', error: null }, pages: 1 })
    expect(stream.commits).toEqual([searching(beginning)])
    // What is known for certain, and nothing else.
    expect(stream.remembered).toEqual([kept])
  })
})

describe('a search for the start that goes on', () => {
  it('regression: a search that goes on, and comes to a page that leads nowhere, begins anew', async () => {
    const s = createStream()
    const start = {
      query: 'page=2',
      newestSecond: nowSecond - 10,
      before: null,
      lastSecond: nowSecond - 10,
      newestFirst: true,
    }
    await s.cursors.commit(mainKey, { ...emptyCursor, start }, null)
    const asked: (string | null)[] = []
    for (let run = 0; run < 3; run += 1) {
      const { gate, queries } = gateOf(pageOf({ b: -10 }, ''))
      expect((await findStart(s.context, gate, await s.cursors.read(mainKey))).end.kind).toBe('failed')
      asked.push(...queries())
    }
    expect(asked).toEqual(['page=2', null, null])
  })

  it('asks for the page of its place, and claims the search with it before it logs anything', async () => {
    const found = await goOn(place, pageOf({ a: -10, old: -20 }, 'page=3'))
    const before = { uuid: 'old', second: nowSecond - 20 }
    const cursor: Cursor = {
      ...emptyCursor,
      floorSecond: nowSecond - 10,
      ...{ anchor: before, origin: before, newest: { uuid: 'a', second: nowSecond - 10 } },
      firstWalkComplete: true,
    }
    expect(found).toEqual({
      ...{ end: { kind: 'complete' }, pages: 1, queries: ['page=2'] },
      ...{ commits: [searching(place), cursor], seen: ['a'] },
    })
  })

  it('knows where it starts though nothing more is of the newest second', async () => {
    const { commits, seen } = await goOn(place, pageOf({ old: -20 }))
    expect(seen).toEqual([])
    expect(commits).toMatchObject([{ floorSecond: nowSecond - 10, newest: null, anchor: { uuid: 'old' } }])
  })

  it('reads the list to its end where the order was ignored before, or is now', async () => {
    const before = { uuid: 'a', second: nowSecond - 50 }
    const inNoOrder = { ...place, before, newestFirst: false }
    const ignored = await goOn(inNoOrder, pageOf({ b: -20 }, 'page=3'), pageOf({ c: -5 }))
    expect(ignored.queries).toEqual(['page=2', 'page=3'])
    expect(ignored.commits.at(-1)).toMatchObject({ floorSecond: nowSecond - 5 })
    // It is later than the last record that the earlier run saw.
    const isNow = await goOn({ ...place, before }, pageOf({ b: -9 }, 'page=3'), pageOf({ c: -5 }))
    expect(isNow.queries).toEqual(['page=2', 'page=3'])
    expect(isNow.commits.at(-1)).toMatchObject({ floorSecond: nowSecond - 5 })
  })

  it('reads the first page again where its `next` was refused, which may begin with newer records', async () => {
    const anew = pageOf({ 'came since': -3, b: -10, old: -20 }, 'page=2')
    const { queries, commits, seen } = await goOn({ ...place, query: '' }, anew)
    expect(queries).toEqual([null])
    expect(commits.at(-1)).toMatchObject({ floorSecond: nowSecond - 10, anchor: { uuid: 'old' } })
    expect(seen).toEqual(['b'])
  })

  it('stays at its first page where that is refused as well', async () => {
    const { commits } = await goOn({ ...place, query: '' }, { kind: 'failed', error: errorOf('rejected') })
    expect(commits).toEqual([searching({ ...place, query: '' })])
  })
})

describe('a search for the start during which another run moves the cursor', () => {
  /** The other run's commit comes before this one's: the first, or the second. */
  const overtaken = async (commit: number, ...answers: FetchResult[]) => {
    const stream = createStream()
    let commits = 0
    const cursors: CursorStore = {
      ...stream.context.cursors,
      commit: async (key, cursor, expected) => {
        commits += 1
        if (commits === commit) await stream.cursors.commit(key, { ...emptyCursor, floorSecond: 1 }, expected)
        return stream.context.cursors.commit(key, cursor, expected)
      },
    }
    const found = await findStart({ ...stream.context, cursors }, gateOf(...answers).gate, null)
    expect((await stream.cursors.read(mainKey))?.cursor.floorSecond).toBe(1)
    return { ...found, seen: stream.log.all().length }
  }

  it('gives way before it logs anything', async () => {
    expect(await overtaken(1, firstPage, stopped)).toEqual({
      ...{ end: { kind: 'superseded' }, pages: 1, seen: 0 },
    })
  })

  it('gives way where it would leave its place', async () => {
    expect(await overtaken(2, firstPage, stopped)).toMatchObject({ end: { kind: 'superseded' }, seen: 2 })
  })

  it('gives way where it has found the start, of an empty list too', async () => {
    expect(await overtaken(2, pageOf({ a: -10 }))).toMatchObject({ end: { kind: 'superseded' } })
    expect(await overtaken(1, pageOf({}))).toMatchObject({ end: { kind: 'superseded' } })
  })
})
