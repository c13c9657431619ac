import type { Clock } from '../clock.ts'
import { type DeliveryMessage, decodeMessage } from '../delivery/delivery-message.ts'
import { type DeliveryStore, deliveriesReadMax } from '../delivery/delivery-store.ts'
import { eventDay } from '../feedback/event-id.ts'
import type { DeadLetterMessage } from './dead-letter-messages.ts'

/**
 * Those of the queue's messages that nobody needs any more, by the table, which is the truth: their delivery is dead no
 * more, or their event has expired. A copy whose delivery the table does not know is kept, and so is what this code can't
 * read. A copy that stays behind does no harm: the dispatcher drops it by its position.
 */
export const spentCopies = async (
  messages: readonly DeadLetterMessage[],
  deps: { store: Pick<DeliveryStore, 'readMany'>; clock: Clock },
): Promise<DeadLetterMessage[]> => {
  const readable = messages.flatMap(message => {
    const decoded = decodeMessage(message.body)
    return decoded.kind === 'message' && isKey(decoded.message) ? [{ message, of: decoded.message }] : []
  })
  // A heartbeat gets here only by a dispatcher that died of its batch, and is late by then.
  const spent = messages.filter(({ body }) => decodeMessage(body).kind === 'heartbeat')
  for (let at = 0; at < readable.length; at += deliveriesReadMax) {
    const some = readable.slice(at, at + deliveriesReadMax)
    const found = await deps.store.readMany(some.map(({ of }) => of))
    const states = new Map(found.map(delivery => [nameOf(delivery), delivery.state]))
    for (const { message, of } of some) {
      const state = states.get(nameOf(of))
      // One that carries a success which is still to be recorded is needed until it is.
      const isDone =
        of.deliveredBy === null
          ? state !== undefined && state !== 'dead'
          : state === 'delivered' || state === 'cancelled'
      if (isDone || of.expiresAtSeconds * 1_000 <= deps.clock.now()) spent.push(message)
    }
  }
  return spent
}

const nameOf = ({ endpointId, eventId }: { endpointId: string; eventId: string }): string =>
  `${endpointId} ${eventId}`

/** Whether the table can be asked for it: anybody may have put a message with other ids into the queue. */
const isKey = ({ eventId, endpointId }: DeliveryMessage): boolean => {
  try {
    eventDay(eventId)
    return !endpointId.includes('#')
  } catch {
    return false
  }
}
