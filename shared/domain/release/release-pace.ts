import type { Endpoint } from '../endpoint/endpoint.ts'
import { isPaused } from '../endpoint/endpoint-health.ts'
import { minuteMs } from '../time-units.ts'

/** What an endpoint gets a second of what waited for it, in the first minute after it is ready again; then doubled. */
export const recoveryPerSecondFirst = 2
/** From this many a second on, it gets what there is: by then it has taken thousands. */
export const recoveryPerSecondMax = 1_024

/** What a run may release of one endpoint. */
export type ReleaseAllowance = {
  count: number
  /** They are sent over this time, not all at its begin. */
  spreadMs: number
}

const everything: ReleaseAllowance = { count: Number.POSITIVE_INFINITY, spreadMs: 0 }
const nothing: ReleaseAllowance = { count: 0, spreadMs: 0 }
/** While the breaker is open: its probe is a held delivery, and there is one at a time. */
const probe: ReleaseAllowance = { count: 1, spreadMs: 0 }

/**
 * How much of what is held a run may send, where runs begin every `everyMs`. Nothing while the endpoint wants to be left
 * alone; a probe while its breaker is open and one is due; then more and more, so that an endpoint that comes back is not
 * thrown down again by what waited for it; and never more than its own limits take. Pure; of an endpoint that is active.
 */
export const heldAllowance = (
  { health, limits }: Pick<Endpoint, 'health' | 'limits'>,
  { nowMs, everyMs }: { nowMs: number; everyMs: number },
): ReleaseAllowance => {
  if (isPaused(health, nowMs)) return nothing
  // It may become due before the next run: the dispatcher holds what comes too early.
  if (health.open !== null) return health.open.nextProbeAtMs < nowMs + everyMs / 2 ? probe : nothing
  const perSecond = Math.min(recoveryPerSecond(health.readySinceMs, nowMs), limitPerSecond(limits))
  if (perSecond === Number.POSITIVE_INFINITY) return everything
  return { count: Math.max(1, Math.floor((perSecond * everyMs) / 1_000)), spreadMs: everyMs }
}

/** Whether it gets more and more since it is ready again, and not yet all that there is. Pure. */
export const isComingBack = ({ health }: Pick<Endpoint, 'health'>, nowMs: number): boolean => {
  const isLeftAlone = health.open !== null || isPaused(health, nowMs)
  return !isLeftAlone && recoveryPerSecond(health.readySinceMs, nowMs) !== Number.POSITIVE_INFINITY
}

const recoveryPerSecond = (readySinceMs: number | null, nowMs: number): number => {
  if (readySinceMs === null) return Number.POSITIVE_INFINITY
  const minutes = Math.floor(Math.max(0, nowMs - readySinceMs) / minuteMs)
  const perSecond = recoveryPerSecondFirst * 2 ** minutes
  return perSecond >= recoveryPerSecondMax ? Number.POSITIVE_INFINITY : perSecond
}

/** An attempt in flight is taken for half a second: most endpoints answer sooner, and what is too much is held again. */
const perSecondOfOneInFlight = 2

const limitPerSecond = ({ maxPerSecond, maxInFlight }: Endpoint['limits']): number =>
  Math.min(
    maxPerSecond ?? Number.POSITIVE_INFINITY,
    (maxInFlight ?? Number.POSITIVE_INFINITY) * perSecondOfOneInFlight,
  )
