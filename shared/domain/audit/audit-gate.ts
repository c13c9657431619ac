import type { Clock } from '../clock.ts'
import {
  type BudgetSnapshot,
  type BudgetState,
  budgetSnapshotSchema,
  emptyBudget,
  observe,
  permission,
  restore,
  spend,
} from '../polling/budget.ts'
import { type FeedbackApi, FeedbackApiError, type PageRequest } from '../polling/feedback-api.ts'
import type { FetchResult } from '../polling/request-gate.ts'

/** The poller leaves its spending every 15 s or so: to look more often tells nothing new. */
const lookEveryMs = 5_000
/** A wait is cut into steps of this, so that an interruption, and the poller's spending, are noticed. */
const waitStepMs = 1_000

/** What the poller of a source has spent lately, as it left it with its lease; null where there is none. */
export interface PollerSpending {
  read(sourceId: string): Promise<unknown>
}

export type AuditGateDeps = { api: FeedbackApi; spending: PollerSpending; clock: Clock; signal: AbortSignal }

/** The audit's one way to the service. */
export type AuditGate = {
  /** Waits for its turn. Never rejects for what the service does. */
  fetch(request: PageRequest): Promise<FetchResult>
  /** Requests so far. */
  requests(): number
}

/**
 * Keeps to two bounds at once: the audit's share of the budget, and, with what the poller spends, the whole of it; so
 * that an audit never brings the poller a 429 where it has the share to spare.
 */
export const createAuditGate = (
  of: { sourceId: string; requestsPerMinute: number; share: number },
  deps: AuditGateDeps,
): AuditGate => {
  const { api, clock, signal } = deps
  let own = emptyBudget(of.requestsPerMinute)
  let theirs = own
  let lookedMs = Number.NEGATIVE_INFINITY
  let requests = 0

  const lookAtPoller = async (): Promise<void> => {
    if (clock.now() - lookedMs < lookEveryMs) return
    lookedMs = clock.now()
    const left: { success: boolean; data?: BudgetSnapshot | undefined } = budgetSnapshotSchema.safeParse(
      await deps.spending.read(of.sourceId),
    )
    if (left.data !== undefined) theirs = restore(of.requestsPerMinute, left.data)
  }

  /** True once a request may go out, and counted; false where the audit was interrupted. */
  const turn = async (): Promise<boolean> => {
    while (!signal.aborted) {
      await lookAtPoller()
      const now = clock.now()
      const waitUntilMs = Math.max(
        untilOf({ ...own, limit: own.limit * of.share }, now),
        untilOf(together(own, theirs), now),
      )
      if (waitUntilMs <= now) {
        own = spend(own, now)
        requests += 1
        return true
      }
      await clock.sleep(Math.min(waitUntilMs - now, waitStepMs), signal)
    }
    return false
  }

  const ask = async (request: PageRequest): Promise<FetchResult> => {
    const startedMs = clock.now()
    try {
      const page = await api.listPage(request, signal)
      const endedMs = clock.now()
      own = observe(own, { rateLimit: page.rateLimit, retryAtMs: null, nowMs: endedMs })
      const answeredSecond = Math.floor((page.serverDateMs ?? endedMs) / 1_000)
      // The list was read before `Date` was written, at the earliest when we asked; and `Date` has whole seconds.
      const askedSecond = answeredSecond - Math.ceil((endedMs - startedMs) / 1_000)
      return { kind: 'page', page, askedSecond, answeredSecond }
    } catch (error) {
      if (!(error instanceof FeedbackApiError)) throw error
      own = observe(own, {
        rateLimit: error.facts.rateLimit,
        retryAtMs: error.retryAtMs,
        nowMs: clock.now(),
      })
      return signal.aborted ? { kind: 'stopped', why: 'run_over' } : { kind: 'failed', error }
    }
  }

  return {
    fetch: async request => ((await turn()) ? ask(request) : { kind: 'stopped', why: 'run_over' }),
    requests: () => requests,
  }
}

const untilOf = (state: BudgetState, nowMs: number): number => {
  const answer = permission(state, nowMs)
  return answer.allowed ? nowMs : answer.untilMs
}

/** Our spending and the poller's in one window. */
const together = (own: BudgetState, theirs: BudgetState): BudgetState => {
  const seconds = new Map(own.spent.map(entry => [entry.second, entry]))
  for (const { second, news, reread, sweep } of theirs.spent) {
    const same = seconds.get(second) ?? { second, news: 0, reread: 0, sweep: 0 }
    seconds.set(second, {
      second,
      news: same.news + news,
      reread: same.reread + reread,
      sweep: same.sweep + sweep,
    })
  }
  return {
    ...own,
    limit: Math.min(own.limit, theirs.limit),
    notBeforeMs: Math.max(own.notBeforeMs, theirs.notBeforeMs),
    spent: [...seconds.values()].sort((one, other) => one.second - other.second),
  }
}
