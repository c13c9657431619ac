import type { SQSClient } from '@aws-sdk/client-sqs'
import type { DeadLetterQueue } from '../../domain/delivery/delivery-queue.ts'
import { reasonAttributes } from './message-attributes.ts'
import type { QueueUrls } from './queues.ts'
import { sendBatches } from './send-batches.ts'

/** Copies of dead letters in SQS, with the reason as an attribute: it stays beside a body that no code can read. */
export const createDeadLetterQueue = ({
  client,
  queueUrls,
}: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'deadLetters'>
}): DeadLetterQueue => ({
  send: entries =>
    sendBatches(
      client,
      entries.map(({ group, body, reason }) => ({
        queueUrl: queueUrls.deadLetters,
        body,
        group,
        delaySeconds: 0,
        attributes: reasonAttributes(reason),
      })),
    ),
})
