import type { SQSClient } from '@aws-sdk/client-sqs'
import { readQueueDepth } from '../../shared/adapters/sqs/queue-depth.ts'
import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import { type DeliveryQueue, type Lane, lanes } from '../../shared/domain/delivery/delivery-queue.ts'

/**
 * Messages that may be ready in a lane: the queues are in this process's memory. An endpoint that is slow or down must not
 * stop the others' events, so the slow lane may have many more; but not so many that the memory ends (some KB each).
 * What waits for its retry does not count.
 */
export const readyMessagesMax: Readonly<Record<Lane, number>> = { fast: 20_000, slow: 200_000 }
const lookAgainMs = 100

/**
 * The queue for those who fill it, poller and releaser: a send waits while the pump, or whoever reads our output, is far
 * behind. What the dispatcher itself sends must not wait for the dispatcher, and goes to the queue itself.
 */
export const createBackpressure = (of: {
  queue: DeliveryQueue
  client: SQSClient
  queueUrls: Pick<QueueUrls, Lane>
  clock: Clock
  admission: () => Promise<void>
}): { queue: DeliveryQueue; release: () => void } => {
  const released = new AbortController()

  const isFull = async (lane: Lane): Promise<boolean> => {
    const { ready } = await readQueueDepth(of.client, of.queueUrls[lane])
    return ready > readyMessagesMax[lane]
  }
  const anyIsFull = async (): Promise<boolean> => (await Promise.all(lanes.map(isFull))).includes(true)
  return {
    queue: {
      send: async entries => {
        await of.admission()
        while (!released.signal.aborted && (await anyIsFull())) {
          await of.clock.sleep(lookAgainMs, released.signal)
        }
        return of.queue.send(entries)
      },
    },
    release: () => released.abort(),
  }
}
