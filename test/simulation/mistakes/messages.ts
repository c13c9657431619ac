import {
  type DeliveryMessage,
  decodeMessage,
  encodeMessage,
} from '../../../shared/domain/delivery/delivery-message.ts'
import type {
  DeliveryQueue,
  EntryResult,
  QueueEntry,
} from '../../../shared/domain/delivery/delivery-queue.ts'

/** The message that an entry's body is; null where it is none. */
export const messageIn = ({ body }: Pick<QueueEntry, 'body'>): DeliveryMessage | null => {
  const decoded = decodeMessage(body)
  return decoded.kind === 'message' ? decoded.message : null
}

export const allSent = (entries: readonly unknown[]): EntryResult[] => entries.map(() => ({ kind: 'sent' }))

/** A queue whose messages of deliveries are changed on their way. */
export const changing = (
  queue: DeliveryQueue,
  change: (message: DeliveryMessage) => DeliveryMessage,
): DeliveryQueue => ({
  send: entries =>
    queue.send(
      entries.map(entry => {
        const message = messageIn(entry)
        return message === null ? entry : { ...entry, body: encodeMessage(change(message)) }
      }),
    ),
})

/** A queue that says it has sent what it sends only once it is let go. */
export const heldBack = (queue: DeliveryQueue): { queue: DeliveryQueue; letGo: () => Promise<void> } => {
  let unsent: QueueEntry[] = []
  return {
    queue: {
      send: async entries => {
        unsent.push(...entries)
        return allSent(entries)
      },
    },
    letGo: async () => {
      const entries = unsent
      unsent = []
      if (entries.length > 0) await queue.send(entries)
    },
  }
}
