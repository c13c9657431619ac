import type { SQSClient } from '@aws-sdk/client-sqs'
import { readQueueDepth } from '../../shared/adapters/sqs/queue-depth.ts'
import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import { type Lane, lanes } from '../../shared/domain/delivery/delivery-queue.ts'

export type LaneDepth = {
  /** To be received, or being handled. */
  ready: number
  /** Waiting for their time. */
  delayed: number
}

/** Messages in both lanes. */
export const readLaneDepth = async (of: {
  client: SQSClient
  queueUrls: Pick<QueueUrls, Lane>
}): Promise<LaneDepth> => {
  const depth = { ready: 0, delayed: 0 }
  for (const lane of lanes) {
    const { ready, inFlight, delayed } = await readQueueDepth(of.client, of.queueUrls[lane])
    depth.ready += ready + inFlight
    depth.delayed += delayed
  }
  return depth
}
