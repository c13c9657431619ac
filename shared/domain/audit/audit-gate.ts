import type { Clock } from '../clock.ts'
import {
  type BudgetSnapshot,
  type BudgetState,
  budgetSnapshotSchema,
  emptyBudget,
  ended,
  mergeSpent,
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

  /** When the request was spent, which may go out now; null where the audit was interrupted. */
  const turn = async (): Promise<number | null> => {
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
        return now
      }
      await clock.sleep(Math.min(waitUntilMs - now, waitStepMs), signal)
    }
    return null
  }

  const ask = async (request: PageRequest, spentMs: number): Promise<FetchResult> => {
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
    } finally {
      own = ended(own, spentMs, clock.now(), 'news')
    }
  }

  return {
    fetch: async request => {
      const spentMs = await turn()
      return spentMs === null ? { kind: 'stopped', why: 'run_over' } : ask(request, spentMs)
    },
    requests: () => requests,
  }
}

const untilOf = (state: BudgetState, nowMs: number): number => {
  const answer = permission(state, nowMs)
  return answer.allowed ? nowMs : answer.untilMs
}

/** Our spending and the poller's in one window. */
const together = (own: BudgetState, theirs: BudgetState): BudgetState => ({
  ...own,
  limit: Math.min(own.limit, theirs.limit),
  notBeforeMs: Math.max(own.notBeforeMs, theirs.notBeforeMs),
  spent: mergeSpent(own.spent, theirs.spent),
})
