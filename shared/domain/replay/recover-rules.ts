import type { Delivery } from '../delivery/delivery.ts'
import { isForgotten } from '../delivery/forgotten-delivery.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EventSummary } from '../polling/event-log.ts'
import { reconciledAfterMs } from '../release/due-marks.ts'
import type { ReplayPlan } from './replay-plan.ts'

export const recoverModes = ['missing', 'failed', 'all'] as const
/**
 * Which events are recovered: `missing` has no delivery at the endpoint; `failed` is a dead letter there; `all` is these,
 * and what was delivered or cancelled, again.
 */
export type Only = (typeof recoverModes)[number]

/** What a delivery was that is set to waiting. */
export type Because = 'missing' | 'dead' | 'delivered' | 'cancelled'

/**
 * Why an event is not set: the endpoint's types and filters leave it out; its delivery is waiting or held, and goes out by
 * itself; its first message is in the queue; it stood in its stream's first second, which counts as sent where a stream begins
 * at latest; it is none of those that were asked for; its delivery was written since the recover began; it expires; its recipient was
 * forgotten.
 */
export type LeftOut =
  | 'unwanted'
  | 'unsettled'
  | 'onItsWay'
  | 'seenAtStart'
  | 'notAsked'
  | 'since'
  | 'expired'
  | 'forgotten'

const asked: Readonly<Record<Only, readonly Because[]>> = {
  missing: ['missing'],
  failed: ['dead'],
  all: ['missing', 'dead', 'delivered', 'cancelled'],
}

/** Decides about one event, but for the endpoint's types and filters. Pure. */
export const judgeEvent = (of: {
  event: EventSummary
  delivery: Delivery | null
  only: Only
  endpoint: Pick<Endpoint, 'id'>
  plan: Pick<ReplayPlan, 'startedAtMs'>
  /** Of the event's stream: nothing before it is ever sent; null where it is not known. */
  floorSecond: number | null
  nowMs: number
}): { kind: 'set'; because: Because } | { kind: 'left'; why: LeftOut } => {
  const { event, delivery, nowMs } = of
  const left = (why: LeftOut) => ({ kind: 'left', why }) as const
  if (event.forgottenAtMs !== undefined || (delivery !== null && isForgotten(delivery)))
    return left('forgotten')
  if (event.expiresAtSeconds * 1_000 <= nowMs) return left('expired')
  if (delivery?.state === 'waiting' || delivery?.state === 'held') return left('unsettled')
  const because = delivery?.state ?? 'missing'
  if (!asked[of.only].includes(because)) return left('notAsked')
  if (delivery !== null) {
    // Delivered, or dead, again by what this recover set before it was interrupted: once is enough.
    return delivery.updatedAtMs >= of.plan.startedAtMs ? left('since') : { kind: 'set', because }
  }
  // What matched was enqueued: for as long as reconcile waits, its first message is thought to be in the queue.
  const wasEnqueued = event.endpointIds.includes(of.endpoint.id)
  const isYoung = event.loggedAtMs > nowMs - reconciledAfterMs
  if (wasEnqueued && isYoung) return left('onItsWay')
  const wasSeenAtStart = event.second === of.floorSecond && event.endpointIds.length === 0
  return wasSeenAtStart && of.only === 'missing' ? left('seenAtStart') : { kind: 'set', because }
}
