import type { SQSClient } from '@aws-sdk/client-sqs'
import type { DeliveryQueue } from '../../domain/delivery/delivery-queue.ts'
import { delaySecondsOf } from './limits.ts'
import { faultAttributes } from './message-attributes.ts'
import type { QueueUrls } from './queues.ts'
import { sendBatches } from './send-batches.ts'

/** Both lanes as SQS queues; the group makes them fair (SQS developer guide, "Amazon SQS fair queues"). */
export const createDeliveryQueue = ({
  client,
  queueUrls,
}: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'fast' | 'slow'>
}): DeliveryQueue => ({
  send: entries =>
    sendBatches(
      client,
      entries.map(({ lane, group, body, delayMs, faults }) => ({
        queueUrl: queueUrls[lane],
        body,
        group,
        delaySeconds: delaySecondsOf(delayMs),
        attributes: faultAttributes(faults),
      })),
    ),
})
