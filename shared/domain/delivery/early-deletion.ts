import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Reporter } from '../happenings.ts'
import type { Lane } from './delivery-queue.ts'
import type { MessageDeleter } from './message-deleter.ts'
import type { ReceivedMessage } from './received-message.ts'

/** How long what is settled waits for its neighbours in the batch before it is deleted on its own. */
export const deletedEarlyAfterMs = 1_000

/**
 * Deletes what a batch has settled while a neighbour keeps it waiting: a batch that is cut off then brings back the
 * neighbour alone. A deletion that fails is reported and no more: what comes again is dropped.
 */
export const createEarlyDeletion = (deps: {
  deleter: MessageDeleter
  clock: Clock
  reporter: Reporter
}): { settled: (message: ReceivedMessage) => void; stop: () => Promise<void> } => {
  const { deleter, clock, reporter } = deps
  const ended = new AbortController()
  let waiting: ReceivedMessage[] = []

  const deleteSettled = async (): Promise<void> => {
    const lanes = Map.groupBy(waiting, ({ lane }): Lane => lane)
    waiting = []
    for (const [lane, messages] of lanes) {
      try {
        await deleter.deleteMessages(lane, messages)
      } catch (error) {
        reporter.report({ kind: 'fault', event: null, endpoint: null, ...faultOf(error), delayMs: 0 })
      }
    }
  }
  const watch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(deletedEarlyAfterMs, ended.signal)
      if (!ended.signal.aborted) await deleteSettled()
    }
  }
  const watching = watch()
  return {
    settled: message => {
      waiting.push(message)
    },
    stop: async () => {
      // With a reason, since without one an exception is made of each batch's end.
      ended.abort('the batch has ended')
      await watching
    },
  }
}
