import { DeleteMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { BridgeError } from '../../domain/bridge-error.ts'
import type { MessageDeleter, MessageHandle } from '../../domain/delivery/message-deleter.ts'
import { chunks, mapBounded } from '../bounded.ts'
import { batchEntriesMax } from './limits.ts'
import type { QueueUrls } from './queues.ts'

const batchesAtOnce = 4

/** Messages that the queue did not delete. */
export class MessageDeleteError extends BridgeError {}

/** Deletes messages of the lanes' SQS queues. */
export const createMessageDeleter = ({
  client,
  queueUrls,
}: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'fast' | 'slow'>
}): MessageDeleter => ({
  deleteMessages: async (lane, handles) => {
    const batches = chunks(handles, batchEntriesMax)
    const failures = (
      await mapBounded(batches, batchesAtOnce, batch => deleteBatch(client, queueUrls[lane], batch))
    ).flat()
    if (failures.length === 0) return
    throw new MessageDeleteError({
      code: 'messages_not_deleted',
      message: `${failures.length} of ${handles.length} messages were not deleted: ${[...new Set(failures)].join(', ')}`,
      hint: 'They come again and are dropped then. If it lasts, check the network and the role.',
    })
  },
})

/** The codes of what was not deleted. */
const deleteBatch = async (client: SQSClient, queueUrl: string, handles: readonly MessageHandle[]) => {
  try {
    const entries = handles.map(({ receiptHandle }, id) => ({ Id: String(id), ReceiptHandle: receiptHandle }))
    const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries })
    const answer = await client.send(command)
    return (answer.Failed ?? []).map(failure => failure.Code ?? 'no code')
  } catch (error) {
    return handles.map(() => (error instanceof Error ? error.name : 'UnknownError'))
  }
}
