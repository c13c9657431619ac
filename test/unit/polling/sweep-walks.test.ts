import { describe, expect, it } from 'vitest'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import {
  ago,
  createSweep,
  failedBy,
  sweptMain as main,
  notRunning,
  nowMs,
  nowSecond,
  pageOf,
} from './walk-harness.ts'

const sweep = {
  fromSecond: nowSecond - 3_600,
  toSecond: nowSecond - 120,
  running: true,
  nextAtMs: nowMs + 900_000,
}
const running: Cursor = { ...emptyCursor, anchor: ago(5_000), sweep }
const first = { kind: 'sweep', backlog: false }
const further = { kind: 'sweep', backlog: true }

describe('the walk of a sweep', () => {
  it('goes page by page to the end of what it covers, and what it shows is taken by the rules of the stream', async () => {
    const answers = [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000, 119], '?page=3')]
    const { run, put, asked, taken, commits } = createSweep({ answers })
    await put('sweep-hour', notRunning(nowMs))
    const report = await run({ main: { ...main, firstWalkComplete: true } })
    expect([report?.end, report?.pages, report?.counts.read]).toEqual([{ kind: 'complete' }, 2, 4])
    expect(asked).toEqual([
      { lastId: '5000 s ago', nextQuery: null, purpose: first },
      { lastId: '4000 s ago', nextQuery: null, purpose: further },
    ])
    const rules = { floorSecond: nowSecond - 90_000, memoryFromSecond: nowSecond - 34 * 86_400 }
    expect(taken).toEqual([
      { uuids: ['4000 s ago', '3000 s ago'], rules },
      { uuids: ['3000 s ago', '119 s ago'], rules },
    ])
    expect(commits.map(({ cursor }) => [cursor.place?.ask, cursor.sweep])).toEqual([
      [undefined, sweep],
      [{ kind: 'after', anchor: ago(4_000) }, sweep],
      [undefined, { ...sweep, running: false }],
    ])
    expect(commits.map(({ cursor }) => cursor.lastCompleteWalkAtMs)).toEqual([null, null, nowMs])
  })

  it('goes on in a later run where it was, and does not begin anew', async () => {
    const answers = [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000, 2_000], null)]
    const { run, put, asked, stored } = createSweep({ answers })
    await put('sweep-hour', running)
    expect((await run({ isOver: () => true }))?.end).toEqual({ kind: 'unfinished', why: 'run_over' })
    expect((await run())?.end).toEqual({ kind: 'complete' })
    expect(asked.map(({ lastId, purpose }) => [lastId, purpose])).toEqual([
      ['5000 s ago', first],
      ['4000 s ago', first],
    ])
    const found = await stored('sweep-hour')
    expect([found?.version, found?.cursor.anchor, found?.cursor.sweep]).toEqual([
      3,
      ago(5_000),
      { ...sweep, running: false },
    ])
  })
})

describe('a sweep that loses its way', () => {
  it.each<[string, Partial<Cursor>, readonly number[], string]>([
    [
      'a known record is newer than its anchor, and the end of the list shows none',
      { newest: ago(4_999) },
      [],
      'lost',
    ],
    ['that record is shown', { newest: ago(4_999) }, [3_000], 'complete'],
    ['none is newer than its anchor', { newest: ago(5_000) }, [], 'complete'],
    ['none is known', { newest: null }, [], 'complete'],
    ['the whole list is read, which has to show nothing', { anchor: null, newest: ago(9) }, [], 'complete'],
  ])('where %s', async (_, knownOfMain, known, end) => {
    const { run, put } = createSweep({ answers: [pageOf([3_000])], known })
    await put('sweep-hour', notRunning(nowMs))
    expect((await run({ main: { ...main, ...knownOfMain } }))?.end.kind).toBe(end)
  })

  it('goes on after a minute from an older anchor, of the log', async () => {
    const { run, put, logged, stored, memory } = createSweep({ answers: [failedBy('rejected', 404)] })
    await logged(5_001)
    await put('sweep-hour', running)
    expect((await run())?.end).toEqual({ kind: 'lost', reason: 'rejected' })
    const cursor = { ...running, anchor: ago(5_001), anchorsLost: 1 }
    expect(await stored('sweep-hour')).toEqual({ cursor, version: 2 })
    expect(memory.nextAtMs).toBe(nowMs + 60_000)
  })

  it('goes on from its anchor where it was another record, on its way, that led nowhere', async () => {
    const { run, put, stored } = createSweep({ answers: [failedBy('rejected', 404)] })
    const place = beginWalk({ from: ago(5_000), newestSecond: null, stopSecond: sweep.toSecond })
    await put('sweep-hour', { ...running, place: { ...place, ask: { kind: 'after', anchor: ago(4_000) } } })
    expect((await run())?.end).toEqual({ kind: 'lost', reason: 'rejected' })
    expect(await stored('sweep-hour')).toEqual({ cursor: running, version: 2 })
  })

  it('reads the whole list again where it has no anchor to lose', async () => {
    const { run, put, stored } = createSweep({ answers: [failedBy('rejected', 404)] })
    const place = beginWalk({ from: null, newestSecond: null, stopSecond: sweep.toSecond })
    const unanchored = { ...running, anchor: null }
    await put('sweep-hour', { ...unanchored, place: { ...place, ask: { kind: 'next', query: 'page=2' } } })
    await run()
    expect(await stored('sweep-hour')).toEqual({ cursor: unanchored, version: 2 })
  })
})

describe('a sweep whose anchor the service fails with', () => {
  const fails = failedBy('server_error', 503)

  it('gives it up at the third time in a row, and counts anew', async () => {
    const { run, put, turn, stored, memory } = createSweep({ answers: [fails, fails, fails] })
    await put('sweep-hour', running)
    const versions: unknown[] = []
    for (let time = 0; time < 3; time++) {
      expect((await run())?.end.kind).toBe('failed')
      versions.push((await stored('sweep-hour'))?.version, memory.serverErrors)
      await turn(60_000)
    }
    expect(versions).toEqual([1, 1, 1, 2, 2, 0])
    expect((await stored('sweep-hour'))?.cursor).toEqual({ ...running, anchor: null, anchorsLost: 1 })
  })

  it('keeps it where a page was answered in between', async () => {
    const page = pageOf([4_000, 3_000], '?page=2')
    const { run, put, turn, stored, memory } = createSweep({ answers: [fails, fails, page, fails] })
    await put('sweep-hour', running)
    for (let time = 0; time < 3; time++) {
      await run()
      await turn(60_000)
    }
    expect(memory.serverErrors).toBe(1)
    expect((await stored('sweep-hour'))?.cursor.anchor).toEqual(ago(5_000))
  })

  it('keeps it where it was no error of the service', async () => {
    const away = failedBy('unreachable', 0)
    const { run, put, turn, stored, memory } = createSweep({ answers: [away, away, away] })
    await put('sweep-hour', running)
    for (let time = 0; time < 3; time++) {
      await run()
      await turn(60_000)
    }
    expect([memory.serverErrors, (await stored('sweep-hour'))?.version]).toEqual([0, 1])
  })
})

describe('a sweep that is behind', () => {
  const stopped = { kind: 'stopped', why: 'no_budget' } as const
  const late = (ms: number): Cursor => ({ ...running, sweep: { ...sweep, nextAtMs: nowMs - ms } })
  const behind = { kind: 'sweep_behind', source: 'main', stream: 'bounces', sweep: 'sweep-hour' }

  it.each([
    ['nothing of one that is in time', 0, []],
    ['by how many whole seconds the next one is late', 2_999, [{ ...behind, bySeconds: 2 }]],
  ])('tells %s', async (_, ms, told) => {
    const { run, put, happenings } = createSweep({ answers: [stopped] })
    await put('sweep-hour', late(ms))
    await run()
    expect(happenings).toEqual(told)
  })

  it('tells nothing once it is complete', async () => {
    const { run, put, happenings } = createSweep()
    await put('sweep-hour', late(5_000))
    expect((await run())?.end).toEqual({ kind: 'complete' })
    expect(happenings).toEqual([])
  })

  it('is not complete where another poller committed before it', async () => {
    const { run, put, happenings, othersCommitFirst } = createSweep()
    await put('sweep-hour', late(5_000))
    othersCommitFirst()
    expect((await run())?.end).toEqual({ kind: 'superseded' })
    expect(happenings).toEqual([{ ...behind, bySeconds: 5 }])
  })
})
