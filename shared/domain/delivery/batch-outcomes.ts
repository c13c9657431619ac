import type { BatchOutcomes } from '../endpoint/endpoint-health.ts'
import { type Attempt, endOf } from './attempt.ts'
import { isSuccess, isThrottled, pauseUntilMs } from './retry-policy.ts'

/** What the attempts of one batch met, by endpoint. */
export type OutcomeTally = {
  add(endpointId: string, attempt: Attempt): void
  byEndpoint(): ReadonlyMap<string, BatchOutcomes>
}

/** Counts outcomes as they come, so that what came of a batch is written once for each endpoint. */
export const createOutcomeTally = (): OutcomeTally => {
  const tally = new Map<string, BatchOutcomes>()
  return {
    add: (endpointId, attempt) => {
      tally.set(endpointId, outcomesAfter(tally.get(endpointId) ?? noOutcomes, attempt))
    },
    byEndpoint: () => tally,
  }
}

/** Of an endpoint that nothing was asked of. */
export const noOutcomes: BatchOutcomes = {
  successes: 0,
  failures: 0,
  failuresSinceSuccess: 0,
  throttled: 0,
  lastSuccessAtMs: null,
  failingSinceMs: null,
  pauseUntilMs: null,
}

/** The outcomes with one more attempt, which ended after them. Pure. */
export const outcomesAfter = (before: BatchOutcomes, attempt: Attempt): BatchOutcomes => {
  const { result, atMs } = attempt
  // It waited for one of our own connections: nothing was asked of the endpoint.
  if (result.kind === 'failed' && result.reason === 'connections_busy') return before
  if (isSuccess(result)) {
    const lastSuccessAtMs = Math.max(atMs, before.lastSuccessAtMs ?? 0)
    const successes = before.successes + 1
    return { ...before, successes, lastSuccessAtMs, failuresSinceSuccess: 0, failingSinceMs: null }
  }
  const askedMs = pauseUntilMs(result, endOf(attempt))
  const failing = {
    ...before,
    failingSinceMs: before.failingSinceMs ?? atMs,
    pauseUntilMs: askedMs === null ? before.pauseUntilMs : Math.max(askedMs, before.pauseUntilMs ?? 0),
  }
  if (isThrottled(result)) return { ...failing, throttled: before.throttled + 1 }
  const failures = before.failures + 1
  return { ...failing, failures, failuresSinceSuccess: before.failuresSinceSuccess + 1 }
}
