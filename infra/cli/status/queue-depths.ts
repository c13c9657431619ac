import { type QueueDepth, readQueueDepth } from '../../../shared/adapters/sqs/queue-depth.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { type Tried, tried } from './tried.ts'

export type QueueStatus = {
  /** As the operator knows it. */
  name: 'fast' | 'slow' | 'dead-letters' | 'failed-runs'
  depth: Tried<QueueDepth>
}

/** What stands in the queues; null where they died with a local bridge. */
export const readQueueDepths = async (bridge: OperatorBridge): Promise<QueueStatus[] | null> => {
  const { target, queueClient, queueUrls } = bridge
  if (target.kind === 'local' && !target.isRunning) return null
  const failedRuns = target.kind === 'stack' ? target.stack.FailedRunsQueueUrl : null
  const queues: readonly { name: QueueStatus['name']; url: string }[] = [
    { name: 'fast', url: queueUrls.fast },
    { name: 'slow', url: queueUrls.slow },
    { name: 'dead-letters', url: queueUrls.deadLetters },
    ...(failedRuns === null ? [] : [{ name: 'failed-runs', url: failedRuns } as const]),
  ]
  return Promise.all(
    queues.map(async ({ name, url }) => ({
      name,
      depth: await tried(() => readQueueDepth(queueClient, url)),
    })),
  )
}
