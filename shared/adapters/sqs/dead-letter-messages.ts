import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import {
  type DeadLetterMessage,
  type DeadLetterMessages,
  hiddenForSeconds,
} from '../../domain/replay/dead-letter-messages.ts'
import { chunks, mapBounded } from '../bounded.ts'
import { batchEntriesMax } from './limits.ts'
import { reasonOf } from './message-attributes.ts'
import { ReceiveError } from './message-receiver.ts'
import type { QueueUrls } from './queues.ts'

const batchesAtOnce = 4
/**
 * Long enough that every server of the queue is asked, so that an empty answer means an empty queue (SQS developer guide,
 * "Amazon SQS short and long polling").
 */
const waitSeconds = 1

/** The dead-letter queue in SQS. It has no redrive of its own, so that receiving from it counts for nothing. */
export const createDeadLetterMessages = ({
  client,
  queueUrls,
}: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'deadLetters'>
}): DeadLetterMessages => {
  const QueueUrl = queueUrls.deadLetters
  return {
    receive: async () => {
      const command = new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: batchEntriesMax,
        VisibilityTimeout: hiddenForSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp'],
      })
      try {
        return ((await client.send(command)).Messages ?? []).map(toDeadLetter)
      } catch (error) {
        throw new ReceiveError({
          code: 'queue_unavailable',
          message: `the dead-letter queue gave no messages: ${error instanceof Error ? error.name : 'UnknownError'}`,
          hint: 'The table, which is the truth of dead letters, is as it says. Check that the queue exists, and your rights.',
          cause: error,
        })
      }
    },

    remove: async messages => {
      const removed = await mapBounded(chunks(messages, batchEntriesMax), batchesAtOnce, async batch => {
        const Entries = batch.map(({ receiptHandle }, id) => ({
          Id: String(id),
          ReceiptHandle: receiptHandle,
        }))
        const answer = await client
          .send(new DeleteMessageBatchCommand({ QueueUrl, Entries }))
          .catch(() => null)
        return answer?.Successful?.length ?? 0
      })
      return removed.reduce((sum, count) => sum + count, 0)
    },

    release: async messages => {
      await mapBounded(chunks(messages, batchEntriesMax), batchesAtOnce, async batch => {
        const Entries = batch.map(({ receiptHandle }, id) => ({
          Id: String(id),
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: 0,
        }))
        // Where this fails they come back when their time is up.
        await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries })).catch(() => null)
      })
    },
  }
}

const toDeadLetter = (message: Message): DeadLetterMessage => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  reason: reasonOf({
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { StringValue }]) => [
        name,
        { stringValue: StringValue },
      ]),
    ),
  }),
  sentAtMs: Number(message.Attributes?.SentTimestamp ?? 0),
})
