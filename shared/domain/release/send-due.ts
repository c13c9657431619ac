import type { Delivery } from '../delivery/delivery.ts'
import { encodeMessage } from '../delivery/delivery-message.ts'
import type { EntryResult, QueueEntry } from '../delivery/delivery-queue.ts'
import { queueDelayMsMax } from '../delivery/delivery-queue.ts'
import { forgottenReason, withoutAnswers } from '../delivery/forgotten-delivery.ts'
import { nextAttempt } from '../delivery/position.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { LoggedEvent } from '../polling/event-log.ts'
import { unlessUnreadable } from '../unreadable-item.ts'
import { endDelivery } from './end-delivery.ts'
import { messageFromLog } from './message-from-log.ts'
import type { ReleaseDeps } from './release.ts'

/**
 * Sends the next attempt of each of an endpoint's deliveries, whose entries were leased. The entries stay: what is not
 * sent now, for whatever reason, comes back when its lease ends. Says how many were sent. An event that can't be read
 * holds up its own delivery; what else the log throws is thrown.
 */
export const sendDue = async (
  of: { endpoint: Endpoint; deliveries: readonly Delivery[]; delayMsOf: (at: number) => number },
  deps: ReleaseDeps,
): Promise<number> => {
  const found = await Promise.all(
    of.deliveries.map(async delivery => ({
      delivery,
      read: await unlessUnreadable(delivery, () => deps.log.read(delivery), deps.reporter),
    })),
  )
  const ready: { delivery: Delivery; entry: QueueEntry }[] = []
  for (const [at, { delivery, read }] of found.entries()) {
    if (read === null) continue
    const event = read.value
    const delayMs = of.delayMsOf(at)
    if (event !== null && event.body === null)
      await end(withoutAnswers(delivery), 'cancelled', forgottenReason, deps)
    else if (event !== null)
      ready.push({ delivery, entry: entryOf({ endpoint: of.endpoint, delivery, event, delayMs }, deps) })
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
  of: { delivery: Delivery; event: LoggedEvent; endpoint: Endpoint; delayMs: number },
  { clock }: ReleaseDeps,
): QueueEntry => {
  const { delivery, event, endpoint } = of
  const position = nextAttempt(delivery.position)
  const waitMs = Math.max(of.delayMs, (delivery.retryAtMs ?? 0) - clock.now())
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

/** Ends it, unless it moved on meanwhile, perhaps to what can't be read. */
const end = async (
  delivery: Delivery,
  state: 'cancelled' | 'dead',
  reason: 'event_expired' | 'queue_refused' | typeof forgottenReason,
  deps: ReleaseDeps,
): Promise<void> => {
  const condition = { kind: 'unchanged', writeId: delivery.writeId } as const
  const ending = () => endDelivery({ delivery, state, reason, condition }, deps)
  await unlessUnreadable(delivery, ending, deps.reporter)
}

const reportUnsent = (delivery: Delivery, reason: string, deps: ReleaseDeps): void => {
  const hint = 'The releaser sends it again when its lease ends.'
  const { eventId: event, endpointId: endpoint } = delivery
  deps.reporter.report({ kind: 'fault', event, endpoint, reason, hint, delayMs: 0 })
}
