import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { paceWaitMsMax } from '../endpoint/pace-policy.ts'
import type { Lane } from './delivery-queue.ts'
import type { HealthKeeper } from './health-keeper.ts'
import type { HoldReason } from './reasons.ts'

/**
 * Why an active endpoint is not asked now: it wants to be left alone, or its breaker is open and the one probe that may
 * be due is another's.
 */
export const reasonNotNow = async (
  endpoint: Endpoint,
  lane: Lane,
  { clock, health }: { clock: Clock; health: HealthKeeper },
): Promise<HoldReason | null> => {
  const { pausedUntilMs, open } = endpoint.health
  const pauseMs = (pausedUntilMs ?? 0) - clock.now()
  if (pauseMs > paceWaitMsMax) return 'endpoint_paused'
  // What is over in a moment is waited for: set aside, it would come back with the releaser's next run.
  if (pauseMs > 0) await clock.sleep(pauseMs)
  if (open === null) return null
  // A message that is only forwarded to the slow lane makes no attempt: the probe is claimed there.
  if (endpoint.slow && lane === 'fast' && clock.now() >= open.nextProbeAtMs) return null
  return (await health.claimProbe(endpoint)) ? null : 'breaker_open'
}
