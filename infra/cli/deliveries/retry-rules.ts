import type { Delivery, DeliveryState } from '../../../shared/domain/delivery/delivery.ts'
import { isForgotten } from '../../../shared/domain/delivery/forgotten-delivery.ts'

/** What many deliveries at once may be in: for all other states there is a command that does it better. */
export const retriedStates = ['waiting', 'cancelled'] as const satisfies readonly DeliveryState[]
export type RetriedState = (typeof retriedStates)[number]

export const betterCommands = {
  held: 'what is held goes out when its endpoint is ready: bridge endpoint enable --release',
  dead: 'dead letters: bridge dlq replay, which cleans up their queue too',
  delivered: 'what was delivered: bridge recover --only all',
} as const satisfies Record<Exclude<DeliveryState, RetriedState>, string>

/**
 * Why a delivery is not set to waiting: it is held, and goes out by itself; it was set before, and no attempt of that round is
 * settled; its event is past its life, or its recipient was forgotten; its endpoint was removed, so that the dispatcher would
 * cancel it.
 */
export type WhyLeft = 'held' | 'setBefore' | 'expired' | 'forgotten' | 'endpointRemoved'

/** Null where it may be set. Pure. */
export const whyLeft = (
  { state, reason, position, expiresAtSeconds }: Delivery,
  of: { isRemoved: boolean; nowMs: number },
): WhyLeft | null => {
  if (isForgotten({ state, reason })) return 'forgotten'
  if (of.isRemoved) return 'endpointRemoved'
  if (expiresAtSeconds * 1_000 <= of.nowMs) return 'expired'
  if (state === 'held') return 'held'
  // What waits without an attempt in its round, an operator has set.
  return state === 'waiting' && position.attempt === 0 ? 'setBefore' : null
}
