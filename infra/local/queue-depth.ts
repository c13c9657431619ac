import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import { lanes } from '../../shared/domain/delivery/delivery-queue.ts'

const names = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const
const count = z.coerce.number().int().nonnegative()
const depthSchema = z.object({ [names[0]]: count, [names[1]]: count, [names[2]]: count })

export type QueueDepth = {
  /** To be received, or being handled. */
  ready: number
  /** Waiting for their time. */
  delayed: number
}

/** Messages in both lanes. Exact on the emulator; on AWS it would be an estimate. Throws what the SDK throws. */
export const readQueueDepth = async (of: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'fast' | 'slow'>
}): Promise<QueueDepth> => {
  const depth = { ready: 0, delayed: 0 }
  for (const lane of lanes) {
    const command = new GetQueueAttributesCommand({
      QueueUrl: of.queueUrls[lane],
      AttributeNames: [...names],
    })
    const attributes = depthSchema.parse((await of.client.send(command)).Attributes)
    depth.ready += attributes[names[0]] + attributes[names[1]]
    depth.delayed += attributes[names[2]]
  }
  return depth
}
