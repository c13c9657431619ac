import type { Clock } from '../clock.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryStore, WriteCondition } from '../delivery/delivery-store.ts'
import type { Reporter } from '../happenings.ts'

type EndDeps = { store: DeliveryStore; reporter: Reporter; clock: Clock; newId: () => string }

/** What of a delivery its end leaves as it is. */
type Ending = Omit<Delivery, 'state' | 'reason' | 'retryAtMs' | 'dueMs' | 'writeId' | 'updatedAtMs'>

/** Ends a delivery that can't be sent ever again, and tells of it; does neither where the condition does not hold. */
export const endDelivery = async (
  of: { delivery: Ending; state: 'cancelled' | 'dead'; reason: string; condition: WriteCondition },
  deps: EndDeps,
): Promise<void> => {
  const { delivery, state, reason } = of
  const nowMs = deps.clock.now()
  const ended: Delivery = {
    ...delivery,
    state,
    reason,
    retryAtMs: null,
    dueMs: state === 'dead' ? nowMs : null,
    writeId: deps.newId(),
    updatedAtMs: nowMs,
  }
  if ((await deps.store.write(ended, of.condition)) === 'refused') return
  deps.reporter.report({
    kind: state,
    event: delivery.eventId,
    endpoint: delivery.endpointId,
    attempt: delivery.position.attempt,
    round: delivery.position.round,
    status: null,
    reason,
  })
}
