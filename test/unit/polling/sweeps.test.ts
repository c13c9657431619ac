import { describe, expect, it } from 'vitest'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { FetchResult } from '../../../shared/domain/polling/request-gate.ts'
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

describe('a sweep that is not due', () => {
  it('of a stream that never had one is due for the first time after its interval', async () => {
    const { run, commits, asked, memory } = createSweep()
    expect(await run()).toBeNull()
    const sweep = { fromSecond: 0, toSecond: 0, running: false, nextAtMs: nowMs + 900_000 }
    expect(commits).toEqual([{ name: 'sweep-hour', cursor: { ...emptyCursor, sweep } }])
    expect([asked, memory.nextAtMs]).toEqual([[], nowMs + 900_000])
  })

  it('asks for nothing, and its cursor is read once until then', async () => {
    const { run, turn, put, reads, asked, memory } = createSweep()
    await put('sweep-hour', notRunning(nowMs + 10))
    expect(await run()).toBeNull()
    expect(memory.nextAtMs).toBe(nowMs + 10)
    await turn(9)
    expect([await run(), reads, asked]).toEqual([null, ['sweep-hour'], []])
    await turn(1)
    expect((await run())?.end).toEqual({ kind: 'complete' })
    expect(reads).toEqual(['sweep-hour', 'sweep-hour'])
  })

  it('and whose cursor says nothing of a sweep asks for nothing, and is looked at again', async () => {
    const { run, put, reads, asked, memory } = createSweep()
    await put('sweep-hour', emptyCursor)
    expect([await run(), await run(), memory.nextAtMs]).toEqual([null, null, null])
    expect([reads, asked]).toEqual([['sweep-hour', 'sweep-hour'], []])
  })
})

describe('a sweep that is due', () => {
  /** What a sweep that begins now says, by the service's time of two seconds ago. */
  const begun = async (of: { main: Cursor; logged?: readonly number[] }) => {
    const { run, put, logged, commits, asked } = createSweep({ serviceSecond: nowSecond - 2 })
    for (const seconds of of.logged ?? []) await logged(seconds)
    await put('sweep-hour', { ...notRunning(nowMs), anchor: ago(7), anchorsLost: 2 })
    await run({ main: of.main })
    const cursor = commits[0]?.cursor
    expect(asked[0]?.lastId).toBe(cursor?.anchor?.uuid ?? null)
    return cursor
  }

  it('says what it covers: its span back from the time of the service, without the overlap', async () => {
    expect(await begun({ main })).toEqual({
      ...emptyCursor,
      anchor: ago(5_000),
      sweep: {
        fromSecond: nowSecond - 3_602,
        toSecond: nowSecond - 122,
        running: true,
        nextAtMs: nowMs + 900_000,
      },
    })
  })

  it('regression: covers its span back from when it was due, where it is late and the plan says so', async () => {
    const plan = { name: 'sweep-days', spanSeconds: 3_600, everyMs: 900_000 } as const
    const fromSecondOf = async (fromDue: boolean, dueMs: number) => {
      const { run, put, commits } = createSweep()
      await put('sweep-days', notRunning(dueMs))
      await run({ plan: { ...plan, fromDue }, main: { ...main, floorSecond: 0 } })
      return commits[0]?.cursor.sweep?.fromSecond
    }
    expect(await fromSecondOf(true, nowMs - 200_000_000)).toBe(nowSecond - 200_000 - 3_600)
    expect(await fromSecondOf(true, nowMs)).toBe(nowSecond - 3_600)
    expect(await fromSecondOf(false, nowMs - 200_000_000)).toBe(nowSecond - 3_600)
  })

  it('covers nothing of before the floor of its stream', async () => {
    const young = await begun({ main: { ...main, floorSecond: ago(600).second } })
    expect(young?.sweep?.fromSecond).toBe(ago(600).second)
    const unknown = await begun({ main: { ...main, floorSecond: null } })
    expect(unknown?.sweep?.fromSecond).toBe(nowSecond - 2)
  })

  it.each<[string, Partial<Cursor>, readonly number[], number | null]>([
    ['the anchor of its stream, where it lies before', { anchor: ago(3_603) }, [4_000], 3_603],
    [
      'the newest of the log that does, where the anchor does not',
      { anchor: ago(3_602) },
      [9_000, 3_603],
      3_603,
    ],
    [
      'the newest of the log, where there is no anchor',
      { anchor: null, origin: ago(9_000) },
      [3_602, 4_000],
      4_000,
    ],
    ['the first anchor ever, where the log has none', { anchor: null, origin: ago(3_603) }, [3_602], 3_603],
    ['nowhere, where that does not lie before either', { anchor: ago(9), origin: ago(3_602) }, [], null],
    ['nowhere, where there never was an anchor', { anchor: null, origin: null }, [], null],
  ])('begins at a record before all that it covers: %s', async (_, known, logged, from) => {
    const cursor = await begun({ main: { ...main, ...known }, logged })
    expect(cursor?.anchor).toEqual(from === null ? null : ago(from))
  })

  it('is left to another poller that has begun it meanwhile', async () => {
    const { run, put, othersCommitFirst, asked, commits } = createSweep()
    await put('sweep-hour', notRunning(nowMs))
    othersCommitFirst()
    expect([await run(), asked, commits]).toEqual([null, [], []])
  })
})

describe('when a sweep is looked at again', () => {
  it.each<[string, FetchResult, string, number | null]>([
    ['when it is due again, once it is complete', pageOf([]), 'complete', nowMs + 900_000],
    ['after a minute, if it failed', failedBy('unreachable', 0), 'failed', nowMs + 60_000],
    ['after a minute, if its anchor led nowhere', failedBy('rejected', 404), 'lost', nowMs + 60_000],
    ['at the next chance, if it had no budget', { kind: 'stopped', why: 'no_budget' }, 'unfinished', null],
  ])('is %s', async (_, answer, end, nextAtMs) => {
    const { run, put, memory } = createSweep({ answers: [answer] })
    await put('sweep-hour', notRunning(nowMs))
    expect((await run())?.end.kind).toBe(end)
    expect(memory.nextAtMs).toBe(nextAtMs)
  })

  it('is at the next chance, if another poller has moved it', async () => {
    const { run, put, othersCommitFirst, memory, stored } = createSweep()
    await put('sweep-hour', notRunning(nowMs))
    othersCommitFirst(2)
    expect((await run())?.end).toEqual({ kind: 'superseded' })
    expect(memory.nextAtMs).toBeNull()
    expect((await stored('sweep-hour'))?.cursor.sweep?.running).toBe(true)
  })
})
