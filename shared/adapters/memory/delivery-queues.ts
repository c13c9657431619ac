import type {
  DeadLetterQueue,
  DeliveryQueue,
  EntryResult,
  Lane,
} from '../../domain/delivery/delivery-queue.ts'
import type { MessageDeleter } from '../../domain/delivery/message-deleter.ts'
import { delaySecondsOf, refusalOf } from '../sqs/limits.ts'
import { faultAttributes, reasonAttributes } from '../sqs/message-attributes.ts'
import type { MemoryMessage, MemoryQueue } from './memory-queue.ts'

const send = (queue: MemoryQueue, message: MemoryMessage): EntryResult => {
  const refusal = refusalOf(message.body, message.attributes)
  if (refusal !== null) return { kind: 'refused', reason: refusal }
  queue.send(message)
  return { kind: 'sent' }
}

/** The lanes in memory. */
export const createMemoryDeliveryQueue = ({
  lanes,
}: {
  lanes: Readonly<Record<Lane, MemoryQueue>>
}): DeliveryQueue => ({
  send: async entries =>
    entries.map(({ lane, group, body, delayMs, faults }) =>
      send(lanes[lane], {
        body,
        group,
        delayMs: delaySecondsOf(delayMs) * 1_000,
        attributes: faultAttributes(faults),
      }),
    ),
})

/** Dead letters in memory. */
export const createMemoryDeadLetterQueue = ({ queue }: { queue: MemoryQueue }): DeadLetterQueue => ({
  send: async entries =>
    entries.map(({ group, body, reason }) =>
      send(queue, { body, group, delayMs: 0, attributes: reasonAttributes(reason) }),
    ),
})

/** Deletes from the lanes in memory; like SQS, it says nothing of a message that is gone. */
export const createMemoryMessageDeleter = ({
  lanes,
}: {
  lanes: Readonly<Record<Lane, MemoryQueue>>
}): MessageDeleter => ({
  deleteMessages: async (lane, handles) => {
    for (const { receiptHandle } of handles) lanes[lane].delete(receiptHandle)
  },
})
