import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import type { Happening, PollHappening } from '../../../shared/domain/happenings.ts'
import { type Cursor, type CursorName, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import {
  FeedbackApiError,
  type FeedbackFailure,
  type PageRequest,
} from '../../../shared/domain/polling/feedback-api.ts'
import { noCounts } from '../../../shared/domain/polling/intake.ts'
import type { FetchResult, RequestGate } from '../../../shared/domain/polling/request-gate.ts'
import { cursorKey, type StreamContext } from '../../../shared/domain/polling/stream-context.ts'
import { createStreamPoller } from '../../../shared/domain/polling/stream-poller.ts'
import type { SweepPlan } from '../../../shared/domain/polling/sweeps.ts'
import type { Anchor } from '../../../shared/domain/polling/walk-state.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { createTestClock, nowMs } from '../delivery/harness.ts'
import { serviceRecord } from './world/records.ts'

/** The second in which a test begins; records have theirs relative to it. */
export const nowSecond = nowMs / 1_000
/** What the gate says is left of the budget. */
export const budgetLeft = 17

/** A record of so many seconds after the test's begin, negative for before: `-60`, `+1`. */
export const at = (seconds: number, uuid = `${seconds < 0 ? '' : '+'}${seconds}`): Anchor => ({
  uuid,
  second: nowSecond + seconds,
})

export const failure = (kind: FeedbackFailure, status: number | null = null): FeedbackApiError =>
  new FeedbackApiError({
    ...{ code: `feedback_${kind}`, message: `the service: ${kind}`, hint: `about ${kind}` },
    ...{ failure: kind, status },
  })

export const fails = (kind: FeedbackFailure, status: number | null = null): FetchResult => ({
  kind: 'failed',
  error: failure(kind, status),
})

export const noBudget: FetchResult = { kind: 'stopped', why: 'no_budget' }
const isNeverOver = (): boolean => false

const askOf = ({ order, lastId, nextQuery }: PageRequest): string => {
  if (nextQuery !== null) return `next ${nextQuery}`
  const where = lastId === null ? 'start' : `after ${lastId}`
  return order === 'desc' ? 'newest first' : where
}

type ListedService = {
  /** In the order of the service. */
  list: readonly Anchor[]
  pageSize: number
  /** How long each request takes. */
  tookMs: number
  /** Decides an answer before the list does; null leaves it to the list. */
  answer: (asked: string) => FetchResult | null
}

type StreamOptions = { source?: Partial<Source>; sweeps?: readonly SweepPlan[] }

/**
 * One stream of a source, polled by one process: a list of the service behind a gate that lets everything pass, and an intake that knows what was taken, or logged as seen. `asked` are the requests, as `news: after -60`,
 * with `backlog` where they were asked as such.
 */
export const createStream = (of: StreamOptions = {}) => {
  const { clock, turn } = createTestClock()
  const happenings: Happening[] = []
  const asked: string[] = []
  const taken: string[] = []
  let requests = 0
  const service: ListedService = { list: [], pageSize: 100, tookMs: 0, answer: () => null }
  const source: Source = {
    ...{ ...sourceDefaults, id: 'main', baseUrl: 'https://service.example', tokenSecret: 'token-main' },
    startAt: { kind: 'earliest' },
    ...of.source,
  }
  const context: StreamContext = {
    ...{ source, stream: 'bounces', clock },
    cursors: createMemoryCursorStore(),
    log: createMemoryEventLog(),
    known: { among: async () => new Set(), remember: () => undefined },
    intake: async page => {
      const fresh = page.anchors.map(({ uuid }) => uuid).filter(uuid => !taken.includes(uuid))
      taken.push(...fresh)
      const read = page.anchors.length
      const counts = { ...noCounts, read, enqueued: fresh.length, known: read - fresh.length }
      return { counts, failure: null }
    },
    logAsSeen: async events => {
      taken.push(...events.map(({ recordId }) => recordId))
      return { recorded: [...events], refused: [], failed: [] }
    },
    reporter: { report: happening => void happenings.push(happening) },
  }

  const listed = (request: PageRequest): FetchResult => {
    const list = request.order === 'desc' ? service.list.toReversed() : service.list
    const after = request.nextQuery ?? request.lastId
    const at = list.findIndex(({ uuid }) => uuid === after)
    if (after !== null && at < 0) return fails('rejected', 422)
    const records = list.slice(at + 1, at + 1 + service.pageSize)
    const hasMore = at + 1 + service.pageSize < list.length
    const second = Math.floor(clock.now() / 1_000)
    return {
      kind: 'page',
      page: {
        records: records.map(record => serviceRecord(record).raw),
        next: hasMore ? `https://service.example/list?${records.at(-1)?.uuid}` : null,
        ...{ bytes: 0, serverDateMs: null, rateLimit: null },
      },
      askedSecond: second - Math.ceil(service.tookMs / 1_000),
      answeredSecond: second,
    }
  }

  const gate: RequestGate = {
    fetch: async (request, { kind, backlog }) => {
      const what = `${kind}${backlog ? ' backlog' : ''}: ${askOf(request)}`
      asked.push(what)
      const answer = service.answer(what)
      if (answer?.kind === 'stopped') return answer
      requests += 1
      if (service.tookMs > 0) await turn(service.tookMs)
      return answer ?? listed(request)
    },
    serviceSecond: () => Math.floor(clock.now() / 1_000),
    budgetLeft: () => budgetLeft,
    takeRequests: () => {
      const since = requests
      requests = 0
      return since
    },
    pollEnded: () => 0,
    pollFailed: () => undefined,
    isOurs: async () => true,
  }

  const newProcess = () => createStreamPoller(context, of.sweeps ?? [])
  let process = newProcess()
  const polls = (): PollHappening[] => happenings.filter(one => one.kind === 'poll')
  const cursor = async (name: CursorName = 'main'): Promise<Cursor | null> =>
    (await context.cursors.read(cursorKey(context, name)))?.cursor ?? null

  return {
    ...{ clock, turn, context, gate, service, happenings, asked, taken, polls, cursor },
    poll: (isOver: () => boolean = isNeverOver) => process.poll(gate, isOver),
    /** What was asked since the last call. */
    askedSince: () => asked.splice(0),
    /** What the lines of the polls say since the last call, in short. */
    told: () =>
      happenings
        .splice(0)
        .map(one =>
          one.kind === 'poll'
            ? `${one.walk}${one.resumed ? ' resumed' : ''}: ${one.outcome}${one.reason === null ? '' : `, ${one.reason}`}`
            : one.kind,
        ),
    /** Another process takes over: only what is stored is known. */
    restart: () => {
      process = newProcess()
    },
    /** Puts a cursor where the stream's is, as an earlier process, or an operator, left it. */
    keep: async (values: Partial<Cursor>, name: CursorName = 'main') => {
      const key = cursorKey(context, name)
      const found = await context.cursors.read(key)
      await context.cursors.commit(key, { ...emptyCursor, ...values }, found?.version ?? null)
    },
  }
}

/** A stream of six records that was read to its end once: the anchor is -200, and fast polls go on after -60. */
export const readOnce = async (of: StreamOptions & { afterMs?: number; pageSize?: number } = {}) => {
  const stream = createStream(of)
  const { service, poll, turn, askedSince, told } = stream
  service.list = [at(-600), at(-300), at(-200), at(-100), at(-60), at(-30)]
  await poll()
  askedSince()
  told()
  await turn(of.afterMs ?? 0)
  service.pageSize = of.pageSize ?? service.pageSize
  return stream
}
