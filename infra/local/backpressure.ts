import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { QueueUrls } from '../../shared/adapters/sqs/queues.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import type { DeliveryQueue } from '../../shared/domain/delivery/delivery-queue.ts'

/**
 * Messages that may be ready in the fast lane: the queue is in this process's memory. Those of the slow lane, and what
 * waits for its retry, don't count: an endpoint that is slow or down must not stop the others' events.
 */
export const readyMessagesMax = 20_000
const lookAgainMs = 100

const depth = 'ApproximateNumberOfMessages'

/**
 * The queue for those who fill it, poller and releaser: a send waits while the pump, or whoever reads our output, is far
 * behind. What the dispatcher itself sends must not wait for the dispatcher, and goes to the queue itself.
 */
export const createBackpressure = (of: {
  queue: DeliveryQueue
  client: SQSClient
  queueUrls: Pick<QueueUrls, 'fast'>
  clock: Clock
  admission: () => Promise<void>
}): { queue: DeliveryQueue; release: () => void } => {
  const released = new AbortController()

  const isFull = async (): Promise<boolean> => {
    const command = new GetQueueAttributesCommand({ QueueUrl: of.queueUrls.fast, AttributeNames: [depth] })
    const answer = await of.client.send(command)
    return Number(answer.Attributes?.[depth] ?? 0) > readyMessagesMax
  }
  return {
    queue: {
      send: async entries => {
        await of.admission()
        while (!released.signal.aborted && (await isFull())) {
          await of.clock.sleep(lookAgainMs, released.signal)
        }
        return of.queue.send(entries)
      },
    },
    release: () => released.abort(),
  }
}
