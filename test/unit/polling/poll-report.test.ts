import { describe, expect, it, test } from 'vitest'
import type { Happening, IntakeCounts } from '../../../shared/domain/happenings.ts'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { reported, reportPoll } from '../../../shared/domain/polling/poll-report.ts'
import type { WalkEnd, WalkReport } from '../../../shared/domain/polling/walk.ts'
import { type Anchor, beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { at, budgetLeft, createStream, failure } from './poll-harness.ts'

const counts: IntakeCounts = {
  ...{ read: 21, enqueued: 6, known: 5, quarantined: 4, beforeFloor: 3, beyondMemory: 3 },
}

const reportOf = (end: WalkEnd, of: { newest?: Anchor; pages?: number } = {}): WalkReport => ({
  end,
  counts,
  state: { ...beginWalk({ from: null, newestSecond: null, stopSecond: null }), newest: of.newest ?? null },
  pages: of.pages ?? 2,
})

const cursorAt = (anchor: Anchor | null): { cursor: Cursor; version: number } => ({
  cursor: { ...emptyCursor, anchor },
  version: 7,
})

/** The line of a walk for news that took 1.5 seconds and two requests. */
const lineOf = async (
  report: WalkReport,
  known: Parameters<typeof reportPoll>[3] = { at: null, newest: null },
): Promise<Happening[]> => {
  const { context, gate, happenings, turn, clock } = createStream()
  const startedMs = clock.now()
  for (const lastId of ['a', 'b']) {
    const request = { stream: 'bounces', order: 'asc', lastId, nextQuery: null } as const
    await gate.fetch(request, { kind: 'news', backlog: false })
  }
  await turn(1_500)
  reportPoll(context, gate, { walk: 'news', resumed: true }, known, report, startedMs)
  return happenings
}

const usual = {
  ...{ kind: 'poll', source: 'main', stream: 'bounces', walk: 'news', resumed: true },
  ...{ outcome: 'complete', reason: null, status: null, detail: null, hint: null },
  ...counts,
  ...{ requests: 2, tookMs: 1_500, budgetLeft, newestAgeSeconds: null, anchorAgeSeconds: null },
}

describe('the line of a poll', () => {
  it('says what was walked, what became of its records, and what it took', async () => {
    expect(await lineOf(reportOf({ kind: 'complete' }))).toEqual([usual])
  })

  test.each<[string, WalkEnd, object]>([
    [
      'of a request that failed, what the service said, and what to do',
      { kind: 'failed', reason: 'feedback_server_error', error: failure('server_error', 503) },
      {
        ...{ outcome: 'failed', reason: 'feedback_server_error', status: 503 },
        ...{ detail: 'the service: server_error', hint: 'about server_error' },
      },
    ],
    [
      'of a service that gives no answer, that it gave no status',
      { kind: 'failed', reason: 'feedback_unreachable', error: failure('unreachable') },
      {
        ...{ outcome: 'failed', reason: 'feedback_unreachable', status: null },
        ...{ detail: 'the service: unreachable', hint: 'about unreachable' },
      },
    ],
    [
      'of a page that was not enqueued, only why: the service did nothing wrong',
      { kind: 'failed', reason: 'log_failed', error: null },
      { outcome: 'failed', reason: 'log_failed' },
    ],
    [
      'of a lost `last_id`, that the walk failed by it',
      { kind: 'lost', reason: 'known_missing' },
      { outcome: 'failed', reason: 'known_missing' },
    ],
    [
      'of a walk that goes on later, that nothing was wrong with it',
      { kind: 'unfinished', why: 'no_budget' },
      { outcome: 'unfinished' },
    ],
    [
      'of a cursor that somebody else has moved, no reason',
      { kind: 'superseded' },
      { outcome: 'superseded' },
    ],
  ])('says %s', async (_, end, differs) => {
    expect(await lineOf(reportOf(end))).toEqual([{ ...usual, ...differs }])
  })

  it('is left out where nothing was asked, but for what went wrong without an answer', async () => {
    expect(await lineOf(reportOf({ kind: 'unfinished', why: 'no_budget' }, { pages: 0 }))).toEqual([])
    const end: WalkEnd = { kind: 'failed', reason: 'feedback_unreachable', error: failure('unreachable') }
    expect(await lineOf(reportOf(end, { pages: 0 }))).toMatchObject([{ outcome: 'failed', requests: 2 }])
  })
})

describe('the ages in the line of a poll', () => {
  const complete: WalkEnd = { kind: 'complete' }
  /** The line is written 1.5 seconds later, and the service's time has whole seconds. */
  const later = 1

  test.each<[string, Parameters<typeof reportOf>[1], Parameters<typeof lineOf>[1], object]>([
    [
      'are those of the newest record that the walk saw, and of the anchor',
      { newest: at(-30) },
      { at: cursorAt(at(-200)), newest: at(-90) },
      { newestAgeSeconds: 30 + later, anchorAgeSeconds: 200 + later },
    ],
    [
      'are those of the newest record known before where the walk saw none',
      {},
      { at: cursorAt(at(-200)), newest: at(-90) },
      { newestAgeSeconds: 90 + later, anchorAgeSeconds: 200 + later },
    ],
    [
      'are not told where no record is known, nor an anchor',
      {},
      { at: cursorAt(null), newest: null },
      { newestAgeSeconds: null, anchorAgeSeconds: null },
    ],
    [
      'are not told where there is no cursor',
      {},
      { at: null, newest: null },
      { newestAgeSeconds: null, anchorAgeSeconds: null },
    ],
  ])('%s', async (_, walked, known, ages) => {
    expect(await lineOf(reportOf(complete, walked), known)).toEqual([{ ...usual, ...ages }])
  })
})

describe('a walk that is told', () => {
  it('is run, and told with the time that it took and with what is known when it ends', async () => {
    const { context, gate, polls, turn } = createStream()
    const known: { at: ReturnType<typeof cursorAt> | null; newest: Anchor | null } = {
      at: null,
      newest: null,
    }
    const report = reportOf({ kind: 'complete' }, { newest: at(-30) })
    const got = await reported(context, gate, { walk: 'overlap', resumed: false }, known, async () => {
      await turn(2_000)
      known.at = cursorAt(at(-150))
      return report
    })
    expect(got).toBe(report)
    expect(polls()).toEqual([
      {
        ...{ ...usual, walk: 'overlap', resumed: false, requests: 0, tookMs: 2_000 },
        ...{ newestAgeSeconds: 32, anchorAgeSeconds: 152 },
      },
    ])
  })

  it('is not told where a fault of ours ends it: whoever polls tells of that', async () => {
    const { context, gate, happenings } = createStream()
    const walk = { walk: 'news', resumed: false } as const
    const run = () => Promise.reject(new Error('the table is away'))
    await expect(reported(context, gate, walk, { at: null, newest: null }, run)).rejects.toThrow(
      'the table is away',
    )
    expect(happenings).toEqual([])
  })
})
