import { expect, test } from 'vitest'
import { noRecordCounts } from '../../../shared/domain/audit/record-counts.ts'
import {
  type ServiceFailure,
  type ServiceWalk,
  walkService,
} from '../../../shared/domain/audit/walk-service.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { noCounts } from '../../../shared/domain/polling/intake.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const fault = { code: 'feedback_down', message: 'down', hint: 'Check the address.' }
const refusedConnection = new FeedbackApiError({ ...fault, failure: 'unreachable', status: null })
const serverError = new FeedbackApiError({ ...fault, failure: 'server_error', status: 503 })

const emptyLog: EventLog = {
  idsInRange: async () => [],
  existing: async () => new Set(),
  record: async () => new Set(),
  read: async () => null,
  newestOfDay: async () => [],
  pageOfDay: async () => ({ events: [], unreadable: [], nextFromId: null }),
}

/** Walks until it gives up; what it told, and how many seconds it took. */
const walkThrough = async (errors: readonly FeedbackApiError[]) => {
  const clock = createVirtualClock(1_763_631_000_000)
  const toldOf: ServiceFailure[] = []
  let asked = 0
  const result = { walk: null as ServiceWalk | null, tookMs: 0 }
  const startedMs = clock.now()
  const range = { fromSecond: 1_763_600_000, toSecond: 1_763_630_000, settleSeconds: 60, overlapSeconds: 0 }
  const walking = walkService(
    { sourceId: 'main', stream: 'bounces', range, cursor: emptyCursor },
    {
      gate: {
        fetch: async () => {
          const error = errors[Math.min(asked, errors.length - 1)] ?? serverError
          asked += 1
          return { kind: 'failed', error }
        },
        requests: () => asked,
      },
      log: emptyLog,
      comparer: {
        compare: async () => ({ counts: noCounts, failure: null }),
        counts: () => noRecordCounts,
        missing: () => [],
      },
      clock,
      signal: new AbortController().signal,
      onPage: () => undefined,
      onFailure: failure => toldOf.push(failure),
    },
  ).then(walk => {
    result.walk = walk
    result.tookMs = clock.now() - startedMs
  })
  await clock.turnTo(startedMs + 600_000)
  await walking
  return { ...result, asked, toldOf }
}

test('a service that never answers is given up after three tries, and what is waited for is told', async () => {
  const { walk, tookMs, asked, toldOf } = await walkThrough([refusedConnection])
  expect(walk).toEqual({ kind: 'unreadable', reason: 'feedback_down', status: null, hint: fault.hint })
  expect([asked, tookMs]).toEqual([3, 6_000])
  expect(toldOf).toEqual([
    { reason: 'feedback_down', failures: 1, failuresMax: 3, waitMs: 2_000 },
    { reason: 'feedback_down', failures: 2, failuresMax: 3, waitMs: 4_000 },
  ])
})

test('a service that answers, if only with an error, is asked five times', async () => {
  const { asked, tookMs } = await walkThrough([refusedConnection, serverError, refusedConnection])
  expect([asked, tookMs]).toEqual([5, 30_000])
})
