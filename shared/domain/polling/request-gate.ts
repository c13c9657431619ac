import type { Clock } from '../clock.ts'
import type { StreamName } from '../source.ts'
import {
  type BudgetState,
  budgetOf,
  budgetSnapshotSchema,
  emptyBudget,
  ended,
  mergeSpent,
  newsAhead,
  observe,
  permission,
  type RequestKind,
  remaining,
  restore,
  type SideKind,
  sideBudgetOf,
  sideLeft,
  snapshot,
  spend,
} from './budget.ts'
import { type FeedbackApi, FeedbackApiError, type Page, type PageRequest } from './feedback-api.ts'
import { createKeptShares, type KeptShares } from './kept-shares.ts'
import { createNewsPace, evenPaceMs, type NewsPace } from './news-pace.ts'

/**
 * A stream that was not asked for this long goes before any backlog: one stream may not silence the other. While one
 * catches up, the other is polled no more often: its polls would take up to a quarter of the budget from the backlog.
 */
export const patienceMs = 45_000

export type FetchResult =
  | {
      kind: 'page'
      page: Page
      /** The service's time when it was asked, at the latest: its `Date`, less the time that the request took. */
      askedSecond: number
      /** The service's time when it answered: its `Date`. */
      answeredSecond: number
    }
  | { kind: 'failed'; error: FeedbackApiError }
  /** Not asked: the run is over, or this kind has no budget now. */
  | { kind: 'stopped'; why: 'run_over' | 'no_budget' }

/** What a request is for; a backlog goes before a poll that may find nothing. */
export type Purpose = { kind: RequestKind; backlog: boolean }

/** The one way to the service: keeps the budget of a source over both of its streams. */
export type RequestGate = {
  /** News wait for the budget; re-reading and sweeps don't, but what they were refused is kept free for them. Never rejects for what the service does. */
  fetch(request: PageRequest, purpose: Purpose): Promise<FetchResult>
  /** The service's time now, by its last `Date`; our own before the first. Unix seconds. */
  serviceSecond(): number
  budgetLeft(): number
  /** Whether the run still has the lease of its source, by a look that began now. */
  isOurs(): Promise<boolean>
  /** Requests for a stream since the last call. */
  takeRequests(stream: StreamName): number
  /** To be told of each poll that has read everything; how long after its start the next one begins at the least. */
  pollEnded(stream: StreamName): number
  /** To be told of each poll that failed, or was lost. */
  pollFailed(stream: StreamName): void
}

const sides = ['reread', 'sweep'] as const satisfies readonly SideKind[]

/** `sinceMs`: when its stream was asked for news last, or the run began. `wake` is told when its request was spent. */
type Waiter = { sinceMs: number; purpose: Purpose; wake: (spentMs: number) => void }

export type GateDeps = {
  api: FeedbackApi
  clock: Clock
  requestsPerMinute: number
}

export type GateState = {
  budget: BudgetState
  /** The service's clock less ours, of its last answer. */
  offsetMs: number
  newsPace: NewsPace
  kept: KeptShares
}

export const newGateState = (requestsPerMinute: number): GateState => ({
  budget: emptyBudget(requestsPerMinute),
  offsetMs: 0,
  newsPace: createNewsPace(),
  kept: createKeptShares(sideBudgetOf(requestsPerMinute)),
})

/** Takes over what an earlier run spent; a snapshot that can't be read counts as none. */
export const adoptSpending = (state: GateState, requestsPerMinute: number, left: unknown): void => {
  const parsed = budgetSnapshotSchema.safeParse(left)
  if (!parsed.success) return
  const theirs = restore(requestsPerMinute, parsed.data)
  const notBeforeMs = Math.max(theirs.notBeforeMs, state.budget.notBeforeMs)
  // What the lease says may be older than what this process knows of itself, or newer: the greater counts.
  state.budget = { ...theirs, notBeforeMs, spent: mergeSpent(theirs.spent, state.budget.spent, Math.max) }
}

export const spendingOf = (state: GateState, nowMs: number): unknown => snapshot(state.budget, nowMs)

/** `isOver` says that the run has ended: whoever waits then is sent away. `onSpent` is called for each request. */
export const createRequestGate = (
  deps: GateDeps,
  state: GateState,
  run: { isOver: () => boolean; signal: AbortSignal; onSpent: () => void; isOurs: () => Promise<boolean> },
): RequestGate => {
  const { api, clock } = deps
  const waiters: Waiter[] = []
  const { kept } = state
  const asked = new Map<StreamName, number>()
  const lastNewsMs = new Map<StreamName, number>()
  const beganMs = clock.now()
  let pumping = false

  const askAndCount = async (
    request: PageRequest,
    kind: RequestKind,
    spentMs: number,
  ): Promise<FetchResult> => {
    const result = await ask(request)
    state.budget = ended(state.budget, spentMs, clock.now(), kind)
    return result
  }

  const ask = async (request: PageRequest): Promise<FetchResult> => {
    const startedMs = clock.now()
    asked.set(request.stream, (asked.get(request.stream) ?? 0) + 1)
    try {
      const page = await api.listPage(request, run.signal)
      const endedMs = clock.now()
      state.budget = observe(state.budget, { rateLimit: page.rateLimit, retryAtMs: null, nowMs: endedMs })
      // An answer without a `Date` is read by the clock of the answers that had one.
      const dateMs = page.serverDateMs ?? endedMs + state.offsetMs
      state.offsetMs = dateMs - endedMs
      // The list was read before `Date` was written, at the earliest when we asked; and `Date` has whole seconds.
      const askedSecond = Math.floor(dateMs / 1000) - Math.ceil((endedMs - startedMs) / 1000)
      return { kind: 'page', page, askedSecond, answeredSecond: Math.floor(dateMs / 1000) }
    } catch (error) {
      if (!(error instanceof FeedbackApiError)) throw error
      const { rateLimit } = error.facts
      state.budget = observe(state.budget, { rateLimit, retryAtMs: error.retryAtMs, nowMs: clock.now() })
      return run.signal.aborted ? { kind: 'stopped', why: 'run_over' } : { kind: 'failed', error }
    }
  }

  /** Spent with the permission, not with the request: two that ask at once must not share one. */
  const spendOne = (kind: RequestKind): number => {
    const spentMs = clock.now()
    state.budget = spend(state.budget, spentMs, kind)
    run.onSpent()
    return spentMs
  }

  /** News always get half of the budget. */
  const keptFree = (now: number): number => {
    const owedTo = (kind: SideKind) => Math.min(kept.owed(kind, now), sideLeft(state.budget, now, kind))
    const owed = sides.reduce((sum, kind) => sum + owedTo(kind), 0)
    return Math.min(owed, Math.floor(budgetOf(state.budget.limit) / 2))
  }

  const newsMayGo = (now: number): boolean => remaining(state.budget, now) > keptFree(now)

  const sideMayGo = (stream: StreamName, kind: SideKind): boolean => {
    const now = clock.now()
    const isPermitted = permission(state.budget, now, kind).allowed
    // Whoever waits for news goes first, but for what is kept free.
    const mayGo = isPermitted && (kept.has(stream, kind, now) || waiters.length === 0)
    if (mayGo) kept.granted(stream, kind, now)
    // What its own share refuses is not starved by news.
    else if (sideLeft(state.budget, now, kind) > 0) kept.refused(stream, kind, now)
    return mayGo
  }

  const next = (): Waiter | undefined => {
    const now = clock.now()
    const rank = (waiter: Waiter): number =>
      now - waiter.sinceMs >= patienceMs ? 0 : waiter.purpose.backlog ? 1 : 2
    return [...waiters].sort((a, b) => rank(a) - rank(b) || a.sinceMs - b.sinceMs)[0]
  }

  /** Wakes waiters, one a permission, in their order; ends when nobody waits. */
  const pump = async (): Promise<void> => {
    pumping = true
    while (waiters.length > 0) {
      const now = clock.now()
      if (run.isOver()) {
        for (const waiter of waiters.splice(0)) waiter.wake(now)
        break
      }
      if (newsMayGo(now)) {
        const chosen = next()
        if (chosen === undefined) break
        waiters.splice(waiters.indexOf(chosen), 1)
        chosen.wake(spendOne(chosen.purpose.kind))
        continue
      }
      const answer = permission(state.budget, now)
      const waitMs = answer.allowed ? waitStepMs : answer.untilMs - now
      await clock.sleep(Math.min(waitMs, waitStepMs), run.signal)
    }
    // In one step with the look at the queue: whoever comes after it must find that nobody pumps.
    pumping = false
  }

  /** When the request was spent. */
  const turn = async (stream: StreamName, purpose: Purpose): Promise<number> => {
    if (waiters.length === 0 && newsMayGo(clock.now())) return spendOne(purpose.kind)
    return new Promise<number>(wake => {
      waiters.push({ sinceMs: lastNewsMs.get(stream) ?? beganMs, purpose, wake })
      if (!pumping) void pump()
    })
  }

  return {
    fetch: async (request, purpose) => {
      if (run.isOver()) return { kind: 'stopped', why: 'run_over' }
      if (purpose.kind !== 'news') {
        if (!sideMayGo(request.stream, purpose.kind)) return { kind: 'stopped', why: 'no_budget' }
        return askAndCount(request, purpose.kind, spendOne(purpose.kind))
      }
      const spentMs = await turn(request.stream, purpose)
      if (run.isOver()) return { kind: 'stopped', why: 'run_over' }
      state.newsPace.spent(request.stream)
      lastNewsMs.set(request.stream, clock.now())
      return askAndCount(request, purpose.kind, spentMs)
    },
    serviceSecond: () => Math.floor((clock.now() + state.offsetMs) / 1000),
    isOurs: run.isOurs,
    budgetLeft: () => remaining(state.budget, clock.now()),
    takeRequests: stream => {
      const taken = asked.get(stream) ?? 0
      asked.delete(stream)
      return taken
    },
    pollEnded: stream => {
      state.newsPace.ended(stream)
      const evenMs = evenPaceMs(state.newsPace.requests(), newsAhead(state.budget, clock.now()))
      return state.newsPace.isOtherBehind(stream) ? Math.max(evenMs, patienceMs) : evenMs
    },
    pollFailed: stream => state.newsPace.failed(stream),
  }
}

/** A wait is cut into steps of this, so that the end of a run is noticed. */
const waitStepMs = 1_000
