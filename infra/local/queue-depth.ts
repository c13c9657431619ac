import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { z } from 'zod'
import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import { lanes } from '../../shared/domain/delivery/delivery-queue.ts'

const names = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const
const count = z.coerce.number().int().nonnegative()
const depthSchema = z.object({ [names[0]]: count, [names[1]]: count, [names[2]]: count })

/**
 * Messages in both lanes: to be received, being handled, and delayed. Exact on the emulator; on AWS it would be an
 * estimate. Throws what the SDK throws.
 */
export const readQueueDepth = async (of: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'fast' | 'slow'>
}): Promise<number> => {
  const depths = await Promise.all(
    lanes.map(async lane => {
      const command = new GetQueueAttributesCommand({
        QueueUrl: of.queueUrls[lane],
        AttributeNames: [...names],
      })
      const attributes = depthSchema.parse((await of.client.send(command)).Attributes)
      return names.reduce((sum, name) => sum + attributes[name], 0)
    }),
  )
  return depths.reduce((sum, depth) => sum + depth, 0)
}
