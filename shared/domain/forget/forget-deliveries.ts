import { BridgeError } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Delivery, DeliveryKey, DeliveryState } from '../delivery/delivery.ts'
import { type DeliveryStore, deliveriesReadMax } from '../delivery/delivery-store.ts'
import {
  forgottenDelivery,
  forgottenReason,
  hasAnswers,
  isForgotten,
} from '../delivery/forgotten-delivery.ts'
import { beforeAttempt, firstPosition, rank } from '../delivery/position.ts'
import type { EventSummary } from '../polling/event-log.ts'

/** Workers may settle a delivery while it is being forgotten; each can do so once an attempt. */
const triesMax = 20

/** What was to be forgotten could not be, yet. */
export class ForgetError extends BridgeError {}

/** What deliveries were before; `queued`: no attempt was settled, their message is in a queue. */
export type FormerState = DeliveryState | 'queued'

export type ForgetDeliveriesDeps = {
  store: DeliveryStore
  clock: Clock
  /** A new id for each write. */
  newId: () => string
}

/**
 * Cancels every delivery of an event, but for those that were delivered; of none is kept what its endpoint answered. One that
 * matched and has no item gets one: by it the dispatcher drops the message that is on its way. Says what they were.
 */
export const forgetDeliveries = async (
  of: { event: EventSummary; endpointIds: readonly string[]; isDryRun: boolean },
  deps: ForgetDeliveriesDeps,
): Promise<FormerState[]> => {
  const { event } = of
  // Also of endpoints that it did not match then: it may have been recovered for them since.
  const ids = [...new Set([...event.endpointIds, ...of.endpointIds])]
  const former: FormerState[] = []
  for (let at = 0; at < ids.length; at += deliveriesReadMax) {
    const some = ids.slice(at, at + deliveriesReadMax)
    const read = await deps.store.readMany(some.map(endpointId => ({ endpointId, eventId: event.id })))
    const found = new Map(read.map(delivery => [delivery.endpointId, delivery]))
    const states = await Promise.all(
      some.map(async endpointId => {
        const delivery = found.get(endpointId) ?? null
        if (delivery === null && !event.endpointIds.includes(endpointId)) return null
        if (!of.isDryRun) await forgetDelivery({ event, endpointId, delivery }, deps)
        return delivery?.state ?? 'queued'
      }),
    )
    former.push(...states.filter(state => state !== null))
  }
  return former
}

const forgetDelivery = async (
  of: { event: EventSummary; endpointId: string; delivery: Delivery | null },
  deps: ForgetDeliveriesDeps,
): Promise<void> => {
  const { event, endpointId } = of
  const key: DeliveryKey = { endpointId, eventId: event.id }
  let before = of.delivery
  for (let tries = 0; tries < triesMax; tries += 1) {
    if (before !== null && isDone(before)) return
    const nowMs = deps.clock.now()
    const to = { writeId: deps.newId(), nowMs }
    const written =
      before === null
        ? await deps.store.write(cancelledBefore(event, endpointId, to), onlyWhereNone)
        : await deps.store.write(forgottenDelivery(before, to), {
            kind: 'unchanged',
            writeId: before.writeId,
          })
    if (written === 'written') return
    before = await deps.store.read(key)
  }
  throw new ForgetError({
    code: 'delivery_busy',
    message: `a delivery changed ${triesMax} times while it was being forgotten`,
    hint: 'Nothing of it is lost or half done: run the same command again.',
  })
}

const isDone = (delivery: Delivery): boolean =>
  (delivery.state === 'delivered' || isForgotten(delivery)) && !hasAnswers(delivery)

/** No position is below this one: it is written only where there is no item. */
const none = beforeAttempt(firstPosition)
const onlyWhereNone = { kind: 'unsettled_before', rank: rank(none) } as const

const cancelledBefore = (
  event: EventSummary,
  endpointId: string,
  { writeId, nowMs }: { writeId: string; nowMs: number },
): Delivery => ({
  endpointId,
  eventId: event.id,
  sourceId: event.sourceId,
  stream: event.stream,
  state: 'cancelled',
  position: none,
  retryAtMs: null,
  dueMs: null,
  firstFailureAtMs: null,
  reason: forgottenReason,
  attempts: [],
  writeId,
  updatedAtMs: nowMs,
  expiresAtSeconds: event.expiresAtSeconds,
})
