import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'

const names = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const
const count = z.coerce.number().int().nonnegative()
const schema = z.object({ [names[0]]: count, [names[1]]: count, [names[2]]: count })

export type QueueDepth = {
  /** To be received. */
  ready: number
  /** Being handled. */
  inFlight: number
  /** Waiting for their time. */
  delayed: number
}

/**
 * Messages in a queue. Exact on the emulator, estimates on AWS (SQS API Reference, "GetQueueAttributes"). Throws what the
 * SDK throws.
 */
export const readQueueDepth = async (client: SQSClient, url: string): Promise<QueueDepth> => {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] })
  const read = schema.parse((await client.send(command)).Attributes)
  return { ready: read[names[0]], inFlight: read[names[1]], delayed: read[names[2]] }
}
