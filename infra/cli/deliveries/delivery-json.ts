import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { isoOf, isoOfSecond, isoOrNull } from '../output/moments.ts'

/**
 * What `--json` shows of a delivery: documented in infra/cli/README.md, and only ever added to. `round` and `attempt` are
 * those of the last attempt that was settled; attempt 0: none in this round yet.
 */
export const deliveryJson = (delivery: Delivery) => ({
  event: delivery.eventId,
  endpoint: delivery.endpointId,
  source: delivery.sourceId,
  stream: delivery.stream,
  state: delivery.state,
  reason: delivery.reason,
  round: delivery.position.round,
  attempt: delivery.position.attempt,
  /** When the next attempt is to be made. */
  nextAttemptAt: isoOrNull(delivery.retryAtMs),
  /** When the releaser looks after it. */
  dueAt: isoOrNull(delivery.dueMs),
  firstFailureAt: isoOrNull(delivery.firstFailureAtMs),
  updatedAt: isoOf(delivery.updatedAtMs),
  expiresAt: isoOfSecond(delivery.expiresAtSeconds),
  attempts: delivery.attempts.map(attempt => ({
    round: attempt.position.round,
    attempt: attempt.position.attempt,
    at: isoOf(attempt.atMs),
    tookMs: attempt.tookMs,
    status: attempt.status,
    reason: attempt.reason,
    answer: attempt.answer,
  })),
})
