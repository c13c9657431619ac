import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import type { Cursor, CursorStore } from '../../../shared/domain/polling/cursor.ts'
import { createEnqueue } from '../../../shared/domain/polling/enqueue.ts'
import { FeedbackApiError, type FeedbackFailure } from '../../../shared/domain/polling/feedback-api.ts'
import type { FetchResult, RequestGate } from '../../../shared/domain/polling/request-gate.ts'
import type { StreamContext } from '../../../shared/domain/polling/stream-context.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { createTestClock, nowMs } from '../delivery/harness.ts'
import { serviceRecord } from './world/records.ts'

export const of = { sourceId: 'main', stream: 'bounces' } as const
export const mainKey = { ...of, name: 'main' } as const
export const nowSecond = nowMs / 1_000

export const sourceOf = (over: Partial<Source> = {}): Source => ({
  ...sourceDefaults,
  id: of.sourceId,
  baseUrl: 'https://service.example',
  tokenSecret: 'token',
  ...over,
})

const notCalled = () => Promise.reject(new Error('not to be called'))

/** A stream on stores in memory, and what is committed of it and remembered. `log`: what is otherwise with the log. */
export const createStream = (
  over: { source?: Partial<Source>; log?: Partial<StreamContext['log']> } = {},
) => {
  const { clock } = createTestClock()
  const cursors = createMemoryCursorStore()
  const log = createMemoryEventLog()
  const commits: Cursor[] = []
  const remembered: string[] = []
  const asItIs: CursorStore = {
    read: cursors.read,
    commit: async (key, cursor, expected) => {
      const result = await cursors.commit(key, cursor, expected)
      if (result === 'committed') commits.push(cursor)
      return result
    },
  }
  const usedLog = { ...log, ...over.log }
  const reporter = { report: () => undefined }
  // What is only seen is never sent.
  const enqueueDeps = { queue: { send: notCalled }, marks: createMemoryReconcileMarks(), reporter, clock }
  const context: StreamContext = {
    source: sourceOf(over.source),
    stream: of.stream,
    cursors: asItIs,
    log: usedLog,
    known: { among: notCalled, remember: ids => void remembered.push(...ids) },
    intake: notCalled,
    logAsSeen: createEnqueue({ ...enqueueDeps, log: usedLog }, of),
    reporter,
    clock,
  }
  return { context, cursors, log, commits, remembered }
}

type Asked = Parameters<RequestGate['fetch']>

/** A gate that gives these answers, one after the other, and notes what it is asked. */
export const gateOf = (...answers: readonly FetchResult[]) => {
  const asked: Asked[] = []
  const gate: RequestGate = {
    fetch: async (...request) => {
      const answer = answers[asked.length]
      asked.push(request)
      if (answer === undefined) throw new Error('asked more often than there are answers')
      return answer
    },
    serviceSecond: () => nowSecond,
    budgetLeft: () => 0,
    takeRequests: () => 0,
    pollEnded: () => 0,
    pollFailed: () => undefined,
    isOurs: async () => true,
  }
  return { gate, asked, queries: () => asked.map(([{ nextQuery }]) => nextQuery) }
}

/** A page of records in this order, each by its uuid with its second from now; `next` is its query, null on the last page. */
export const pageOf = (
  records: Readonly<Record<string, number>>,
  next: string | null = null,
  answeredAt = 0,
): FetchResult => ({
  kind: 'page',
  page: {
    ...{ serverDateMs: null, rateLimit: null, bytes: 0 },
    next: next === null ? null : `https://service.example/list?${next}`,
    records: Object.entries(records).map(([uuid, at]) => serviceRecord({ uuid, second: nowSecond + at }).raw),
  },
  askedSecond: nowSecond + answeredAt,
  answeredSecond: nowSecond + answeredAt,
})

export const errorOf = (failure: FeedbackFailure): FeedbackApiError =>
  new FeedbackApiError({ code: `feedback_${failure}`, message: 'no', hint: '', failure, status: null })
