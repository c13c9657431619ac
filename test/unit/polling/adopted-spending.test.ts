import { describe, expect, test } from 'vitest'
import { type BudgetSnapshot, windowMs } from '../../../shared/domain/polling/budget.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import {
  adoptSpending,
  createRequestGate,
  newGateState,
} from '../../../shared/domain/polling/request-gate.ts'
import { createTestClock, nowMs } from '../delivery/harness.ts'

const left = (of: Partial<BudgetSnapshot> = {}): BudgetSnapshot => ({
  limit: 60,
  notBeforeMs: 0,
  spent: [],
  ...of,
})

/** What a process goes by that adopts these, one after the other. */
const adopted = (...snapshots: readonly unknown[]) => {
  const state = newGateState(60)
  for (const snapshot of snapshots) adoptSpending(state, 60, snapshot)
  return state.budget
}

describe('what an earlier run spent', () => {
  test('counts in each second and of each kind as the greater of what is known of it', () => {
    const ours = left({
      spent: [
        [nowMs, 5, 1, 7],
        [nowMs + 2_000, 1, 1, 1],
      ],
    })
    const theirs = left({
      spent: [
        [nowMs - 3_000, 2, 2, 2],
        [nowMs + 900, 3, 4, 6],
      ],
    })
    const expected = [
      { lastMs: nowMs - 3_000, news: 2, reread: 2, sweep: 2 },
      { lastMs: nowMs + 900, news: 5, reread: 4, sweep: 7 },
      { lastMs: nowMs + 2_000, news: 1, reread: 1, sweep: 1 },
    ]
    expect(adopted(ours, theirs).spent).toEqual(expected)
    expect(adopted(theirs, ours).spent).toEqual(expected)
  })

  test.each([
    [nowMs + 5_000, nowMs + 9_000],
    [nowMs + 9_000, nowMs + 5_000],
  ])('keeps everybody waiting until the later time: %i, %i', (one, other) => {
    expect(adopted(left({ notBeforeMs: one }), left({ notBeforeMs: other })).notBeforeMs).toBe(nowMs + 9_000)
  })

  test.each([
    null,
    undefined,
    'text',
    { limit: 60 },
    left({ limit: 0 }),
    { ...left(), spent: [[nowMs, -1, 0, 0]] },
  ])('counts as none where it can not be read: %j', snapshot => {
    const known = left({ spent: [[nowMs, 5, 1, 7]] })
    expect(adopted(known, snapshot)).toEqual(adopted(known))
  })
})

describe('a request of a run that is over', () => {
  const error = new FeedbackApiError({
    code: 'c',
    message: 'm',
    hint: 'h',
    failure: 'unreachable',
    status: null,
  })
  const create = (listPage: (end: () => void) => Promise<never>) => {
    const ended = new AbortController()
    const { clock, turn } = createTestClock()
    const gate = createRequestGate(
      { clock, requestsPerMinute: 60, api: { listPage: () => listPage(() => ended.abort()) } },
      newGateState(60),
      {
        isOver: () => ended.signal.aborted,
        signal: ended.signal,
        onSpent: () => undefined,
        isOurs: async () => true,
      },
    )
    const ask = () =>
      gate.fetch(
        { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null },
        { kind: 'news', backlog: false },
      )
    return { ask, ended, turn }
  }

  test('was stopped where it failed since, and failed where the run goes on', async () => {
    const stopped = create(async end => {
      end()
      throw error
    })
    expect(await stopped.ask()).toEqual({ kind: 'stopped', why: 'run_over' })
    expect(await create(async () => Promise.reject(error)).ask()).toEqual({ kind: 'failed', error })
  })

  test('is not made at all', async () => {
    let asked = 0
    const { ask, ended, turn } = create(async () => {
      asked += 1
      throw error
    })
    ended.abort()
    expect(await ask()).toEqual({ kind: 'stopped', why: 'run_over' })
    await turn(windowMs)
    expect(asked).toBe(0)
  })
})
