import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Tried, tried } from './tried.ts'

const attributes = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const
const count = z.coerce.number().int().nonnegative()
const schema = z.object({ [attributes[0]]: count, [attributes[1]]: count, [attributes[2]]: count })

export type QueueDepth = {
  /** As the operator knows it. */
  name: 'fast' | 'slow' | 'dead-letters' | 'failed-runs'
  /** Estimates on AWS (SQS API Reference, "GetQueueAttributes"). */
  depth: Tried<{ ready: number; inFlight: number; delayed: number }>
}

/** What stands in the queues; null where they died with a local bridge. */
export const readQueueDepths = async (bridge: OperatorBridge): Promise<QueueDepth[] | null> => {
  const { target, queueUrls } = bridge
  if (target.kind === 'local' && !target.isRunning) return null
  const failedRuns = target.kind === 'stack' ? target.stack.FailedRunsQueueUrl : null
  const queues: readonly { name: QueueDepth['name']; url: string }[] = [
    { name: 'fast', url: queueUrls.fast },
    { name: 'slow', url: queueUrls.slow },
    { name: 'dead-letters', url: queueUrls.deadLetters },
    ...(failedRuns === null ? [] : [{ name: 'failed-runs', url: failedRuns } as const]),
  ]
  return Promise.all(
    queues.map(async ({ name, url }) => ({ name, depth: await tried(() => readDepth(bridge, url)) })),
  )
}

const readDepth = async ({ queueClient }: OperatorBridge, url: string) => {
  const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...attributes] })
  const read = schema.parse((await queueClient.send(command)).Attributes)
  return { ready: read[attributes[0]], inFlight: read[attributes[1]], delayed: read[attributes[2]] }
}
