import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import {
  type Cursor,
  type CursorName,
  emptyCursor,
  type VersionedCursor,
} from '../../../shared/domain/polling/cursor.ts'
import { FeedbackApiError, type FeedbackFailure } from '../../../shared/domain/polling/feedback-api.ts'
import { type IntakeRules, noCounts } from '../../../shared/domain/polling/intake.ts'
import { createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import { walkFromAnchor } from '../../../shared/domain/polling/main-walks.ts'
import type { FetchResult, Purpose, RequestGate } from '../../../shared/domain/polling/request-gate.ts'
import type { StreamContext } from '../../../shared/domain/polling/stream-context.ts'
import { runSweep, type SweepMemory, type SweepPlan } from '../../../shared/domain/polling/sweeps.ts'
import { type Anchor, beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { createTestClock, idOf } from '../delivery/harness.ts'
import { serviceRecord } from './world/records.ts'

export const nowSecond = Date.UTC(2026, 10, 20, 12) / 1_000
export const nowMs = nowSecond * 1_000

export const source: Source = {
  ...sourceDefaults,
  ...{ id: 'main', baseUrl: 'https://service.example', tokenSecret: 'token' },
}

/** A record of so many seconds ago, named after them. */
export const ago = (seconds: number): Anchor => ({
  uuid: `${seconds} s ago`,
  second: nowSecond - seconds,
})

/** A page with a record of each of so many seconds ago. */
export const pageOf = (seconds: readonly number[], next: string | null = null): FetchResult => ({
  kind: 'page',
  page: {
    ...{ serverDateMs: null, rateLimit: null, next, bytes: 0 },
    records: seconds.map(at => serviceRecord(ago(at)).raw),
  },
  askedSecond: nowSecond,
  answeredSecond: nowSecond,
})

export const failedBy = (failure: FeedbackFailure, status: number): FetchResult => ({
  kind: 'failed',
  error: new FeedbackApiError({ code: `feedback_${failure}`, message: '', hint: '', failure, status }),
})

type Asked = { lastId: string | null; nextQuery: string | null; purpose: Purpose }

/** A gate that gives these answers, one after the other. `serviceSecond`: the service's time. */
export const createGate = (answers: readonly FetchResult[], serviceSecond = nowSecond) => {
  const asked: Asked[] = []
  const unused = (): never => {
    throw new Error('no walk asks for it')
  }
  const gate: RequestGate = {
    fetch: async ({ lastId, nextQuery }, purpose) => {
      const answer = answers[asked.length]
      asked.push({ lastId, nextQuery, purpose })
      if (answer === undefined) throw new Error('one request too many')
      return answer
    },
    serviceSecond: () => serviceSecond,
    budgetLeft: unused,
    takeRequests: unused,
    pollEnded: unused,
    pollFailed: unused,
    isOurs: async () => true,
  }
  return { gate, asked }
}

/**
 * A stream in memory, with all that its walks do to it. Its intake takes every page, and knows what it took and the
 * records of `known`, so many seconds ago.
 */
export const createStream = (of: { known?: readonly number[] } = {}) => {
  const { clock, turn } = createTestClock(nowMs)
  const store = createMemoryCursorStore()
  const log = createMemoryEventLog()
  const known = new Set(of.known?.map(at => ago(at).uuid))
  const happenings: Happening[] = []
  const taken: { uuids: string[]; rules: IntakeRules }[] = []
  const reads: CursorName[] = []
  const commits: { name: CursorName; cursor: Cursor }[] = []
  let commitsUntilMoved = Number.POSITIVE_INFINITY
  const context: StreamContext = {
    ...{ source, stream: 'bounces', log, clock },
    cursors: {
      read: async key => {
        reads.push(key.name)
        return store.read(key)
      },
      commit: async (key, cursor, expected) => {
        commitsUntilMoved -= 1
        if (commitsUntilMoved === 0) {
          const theirs = await store.read(key)
          await store.commit(key, theirs?.cursor ?? emptyCursor, theirs?.version ?? null)
        }
        const result = await store.commit(key, cursor, expected)
        if (result === 'committed') commits.push({ name: key.name, cursor })
        return result
      },
    },
    known: createKnownRecords({ log, sourceId: source.id, stream: 'bounces' }),
    intake: async (page, rules) => {
      const uuids = page.records.map(({ uuid }) => uuid)
      taken.push({ uuids, rules })
      const counts = { ...noCounts, read: uuids.length, known: uuids.filter(uuid => known.has(uuid)).length }
      for (const uuid of uuids) known.add(uuid)
      return { counts, failure: null }
    },
    logAsSeen: () => Promise.reject(new Error('no walk logs as seen')),
    reporter: { report: happening => void happenings.push(happening) },
  }
  const keyOf = (name: CursorName) => ({ sourceId: source.id, stream: 'bounces', name }) as const
  return {
    ...{ context, turn, happenings, taken, reads, commits },
    /** Somebody else commits just before the next commit of ours, or before a later one (1 is the next). */
    othersCommitFirst: (which = 1): void => {
      commitsUntilMoved = which
    },
    /** What is there before the test begins: its commit is not told. */
    put: async (name: CursorName, cursor: Cursor): Promise<VersionedCursor> => {
      const was = await store.read(keyOf(name))
      await store.commit(keyOf(name), cursor, was?.version ?? null)
      return { cursor, version: (was?.version ?? 0) + 1 }
    },
    stored: (name: CursorName): Promise<VersionedCursor | null> => store.read(keyOf(name)),
    logged: async (seconds: number): Promise<void> => {
      const { uuid, second } = ago(seconds)
      await log.record([
        {
          ...{ id: idOf(uuid, second), sourceId: source.id, stream: 'bounces', type: 'email.bounce.hard' },
          ...{ recordId: uuid, second, body: '{}', endpointIds: [], loggedAtMs: nowMs },
          expiresAtSeconds: nowSecond + 86_400,
        },
      ])
    },
  }
}

const plan: SweepPlan = { name: 'sweep-hour', spanSeconds: 3_600, everyMs: 900_000 }
/** The main cursor of a stream that is swept: its anchor lies before all that a sweep covers. */
export const sweptMain: Cursor = { ...emptyCursor, anchor: ago(5_000), floorSecond: ago(90_000).second }

/** The cursor of a sweep that waits for its time. */
export const notRunning = (nextAtMs: number): Cursor => ({
  ...emptyCursor,
  sweep: { fromSecond: 3, toSecond: 4, running: false, nextAtMs },
})

/** A stream with a sweep of the last hour: `run` is one run of it, with the same memory each time. */
export const createSweep = (
  of: { answers?: readonly FetchResult[]; serviceSecond?: number; known?: readonly number[] } = {},
) => {
  const stream = createStream(of)
  const { gate, asked } = createGate(of.answers ?? [pageOf([])], of.serviceSecond)
  const memory: SweepMemory = { nextAtMs: null, serverErrors: 0 }
  const run = (over: { plan?: SweepPlan; main?: Cursor; isOver?: () => boolean } = {}) =>
    runSweep(stream.context, gate, { plan, memory, main: sweptMain, isOver: () => false, ...over })
  return { ...stream, asked, memory, run }
}

/** The main cursor of a stream that has been read to its end. */
export const mainCursor: Cursor = {
  ...emptyCursor,
  ...{ anchor: ago(5_000), origin: ago(90_000), floorSecond: ago(90_000).second },
  ...{ firstWalkComplete: true, lastCompleteWalkAtMs: nowMs },
}

export const fromAnchor = beginWalk({ from: ago(5_000), newestSecond: null, stopSecond: null })

/** A stream whose main cursor is `mainCursor` with the changes of `cursor`; `walk` is one walk from its anchor. */
export const createMain = async (of: {
  answers: readonly FetchResult[]
  known?: readonly number[]
  cursor?: Partial<Cursor>
}) => {
  const stream = createStream(of)
  const { gate, asked } = createGate(of.answers)
  const at = await stream.put('main', { ...mainCursor, ...of.cursor })
  const walk = (over: { purpose?: 'news' | 'reread'; stopSecond?: number | null; isOver?: () => boolean }) =>
    walkFromAnchor(stream.context, gate, {
      ...{ at, purpose: 'news', stopSecond: null, isOver: () => false },
      ...over,
    })
  const lastIds = () => asked.map(({ lastId, nextQuery }) => lastId ?? nextQuery)
  return { ...stream, gate, asked, lastIds, at, walk }
}
