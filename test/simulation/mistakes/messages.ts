import { type DeliveryMessage, decodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'

/** The message that an entry's body is; null where it is none. */
export const messageIn = ({ body }: Pick<QueueEntry, 'body'>): DeliveryMessage | null => {
  const decoded = decodeMessage(body)
  return decoded.kind === 'message' ? decoded.message : null
}

export const allSent = (entries: readonly unknown[]): EntryResult[] => entries.map(() => ({ kind: 'sent' }))
