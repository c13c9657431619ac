import type { Delivery } from './delivery.ts'
import type { DeliveryReason } from './reasons.ts'

/** Why a delivery is cancelled whose recipient was forgotten: nothing begins it anew. */
export const forgottenReason = 'forgotten' satisfies DeliveryReason

export const isForgotten = ({ state, reason }: Pick<Delivery, 'state' | 'reason'>): boolean =>
  state === 'cancelled' && reason === forgottenReason

/** Endpoints quote in their answers what they were sent. */
export const withoutAnswers = (delivery: Delivery): Delivery => ({
  ...delivery,
  attempts: delivery.attempts.map(attempt => ({ ...attempt, answer: '' })),
})

export const hasAnswers = ({ attempts }: Pick<Delivery, 'attempts'>): boolean =>
  attempts.some(({ answer }) => answer !== '')

/**
 * A delivery once its recipient is forgotten: cancelled, but where it was delivered, which stays true; without what its
 * endpoint answered. Pure.
 */
export const forgottenDelivery = (before: Delivery, of: { writeId: string; nowMs: number }): Delivery => {
  const bare = withoutAnswers({ ...before, writeId: of.writeId, updatedAtMs: of.nowMs })
  if (before.state === 'delivered') return bare
  return {
    ...bare,
    state: 'cancelled',
    reason: forgottenReason,
    retryAtMs: null,
    dueMs: null,
    firstFailureAtMs: null,
  }
}
