import type { Delivery } from '../delivery/delivery.ts'
import { encodeMessage } from '../delivery/delivery-message.ts'
import type { EntryResult, QueueEntry } from '../delivery/delivery-queue.ts'
import { queueDelayMsMax } from '../delivery/delivery-queue.ts'
import { nextAttempt } from '../delivery/position.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { LoggedEvent } from '../polling/event-log.ts'
import { messageFromLog } from './message-from-log.ts'
import type { ReleaseDeps } from './release.ts'

/**
 * Sends the next attempt of each of an endpoint's deliveries, whose entries were leased. The entries stay: what is not
 * sent now, for whatever reason, comes back when its lease ends. Says how many were sent; throws what the log throws.
 */
export const sendDue = async (
  of: { endpoint: Endpoint; deliveries: readonly Delivery[] },
  deps: ReleaseDeps,
): Promise<number> => {
  const found = await Promise.all(
    of.deliveries.map(async delivery => ({ delivery, event: await deps.log.read(delivery) })),
  )
  const ready: { delivery: Delivery; entry: QueueEntry }[] = []
  for (const { delivery, event } of found) {
    if (event !== null) ready.push({ delivery, entry: entryOf(delivery, event, of.endpoint, deps) })
    else if (isExpired(delivery, deps)) await end(delivery, 'cancelled', 'event_expired', deps)
    // Else it was sent and not yet recorded: its record is read again by the poller, and then it is in the log.
  }
  if (ready.length === 0) return 0
  const results = await deps.queue.send(ready.map(({ entry }) => entry))
  let sent = 0
  for (const [index, { delivery }] of ready.entries()) {
    const result: EntryResult = results[index] ?? { kind: 'failed', reason: 'no_result' }
    if (result.kind === 'sent') sent += 1
    else if (result.kind === 'refused') await end(delivery, 'dead', 'queue_refused', deps)
    else reportUnsent(delivery, result.reason, deps)
  }
  return sent
}

const entryOf = (
  delivery: Delivery,
  event: LoggedEvent,
  endpoint: Endpoint,
  { clock }: ReleaseDeps,
): QueueEntry => {
  const position = nextAttempt(delivery.position)
  const waitMs = Math.max(0, (delivery.retryAtMs ?? 0) - clock.now())
  return {
    lane: endpoint.slow ? 'slow' : 'fast',
    group: endpoint.id,
    body: encodeMessage(messageFromLog({ event, endpointId: endpoint.id, position })),
    delayMs: Math.min(waitMs, queueDelayMsMax),
    faults: null,
  }
}

const isExpired = (delivery: Delivery, { clock }: ReleaseDeps): boolean =>
  delivery.expiresAtSeconds * 1000 <= clock.now()

/** Ends a delivery that can't be sent ever again, unless it moved on meanwhile. */
const end = async (
  delivery: Delivery,
  state: 'cancelled' | 'dead',
  reason: 'event_expired' | 'queue_refused',
  deps: ReleaseDeps,
): Promise<void> => {
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
  const written = await deps.store.write(ended, { kind: 'unchanged', writeId: delivery.writeId })
  if (written === 'refused') return
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

const reportUnsent = (delivery: Delivery, reason: string, deps: ReleaseDeps): void => {
  const hint = 'The releaser sends it again when its lease ends.'
  const { eventId: event, endpointId: endpoint } = delivery
  deps.reporter.report({ kind: 'fault', event, endpoint, reason, hint, delayMs: 0 })
}
