import { batchMessagesMax } from '../../../infra/stack/lane-batches.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { DispatchResult } from '../../../shared/domain/delivery/dispatch.ts'
import type { ReceivedMessage } from '../../../shared/domain/delivery/received-message.ts'
import type { FairQueue, HandedOut } from './fair-queue.ts'

export type Dispatch = (batch: readonly ReceivedMessage[]) => Promise<DispatchResult>

/** Function instances: each serves one batch at a time, whichever lane it is of, and the last used is used first. */
export const createInstances = (start: () => Dispatch): Dispatch => {
  const idle: Dispatch[] = []
  return async batch => {
    const instance = idle.pop() ?? start()
    try {
      return await instance(batch)
    } finally {
      idle.push(instance)
    }
  }
}

/**
 * An event source mapping at its maximum concurrency: so many batches at once, each full or of what came within
 * the window (AWS Lambda Developer Guide, "Configuring scaling behavior for SQS event source mappings" and
 * "Lambda parameters for Amazon SQS event source mappings"). A message is deleted when its batch has ended, and one that
 * failed stays in flight: no model waits for its visibility to end.
 */
export const startLane = (of: {
  lane: Lane
  queue: FairQueue
  concurrencyMax: number
  windowMs: number
  dispatch: Dispatch
  clock: Clock
  onFailed: (count: number) => void
}): void => {
  const { queue, clock } = of

  const gather = async (): Promise<HandedOut[]> => {
    const batch = queue.receive(batchMessagesMax)
    while (batch.length === 0) {
      await queue.visible()
      batch.push(...queue.receive(batchMessagesMax))
    }
    const untilMs = clock.now() + of.windowMs
    while (batch.length < batchMessagesMax && clock.now() < untilMs) {
      const came = new AbortController()
      await Promise.race([queue.visible(), clock.sleep(untilMs - clock.now(), came.signal)])
      came.abort()
      batch.push(...queue.receive(batchMessagesMax - batch.length))
    }
    return batch
  }
  const work = async (): Promise<never> => {
    for (;;) {
      const batch = await gather()
      const { failedMessageIds } = await of.dispatch(batch.map(message => received(message, of.lane)))
      for (const { receiptHandle } of batch) {
        if (!failedMessageIds.includes(receiptHandle)) queue.delete(receiptHandle)
      }
      if (failedMessageIds.length > 0) of.onFailed(failedMessageIds.length)
    }
  }
  for (let at = 0; at < of.concurrencyMax; at += 1) void work()
}

const received = ({ body, group, receiptHandle, sentAtMs }: HandedOut, lane: Lane): ReceivedMessage => ({
  lane,
  messageId: receiptHandle,
  receiptHandle,
  body,
  group,
  faults: null,
  sentAtMs,
})
