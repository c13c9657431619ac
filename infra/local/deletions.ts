import { faultOf } from '../../shared/domain/bridge-error.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import type { Lane } from '../../shared/domain/delivery/delivery-queue.ts'
import type { MessageDeleter, MessageHandle } from '../../shared/domain/delivery/message-deleter.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'

/** What is done with waits this long for others, so that a batch of deletions is full. */
export const deletionDelayMs = 10
/** Deleted in one call of the deleter, which makes batches of ten of them. */
export const deletedAtOnceMax = 40
const batchSize = 10

export type Deletions = {
  add(handles: readonly MessageHandle[]): void
  isIdle(): boolean
  /** Resolves when nothing is left to delete. */
  done(): Promise<void>
}

/**
 * Gathers the deletions of small batches into full ones. One that fails is reported and no more: what comes again is
 * dropped by the dispatcher.
 */
export const createDeletions = (
  lane: Lane,
  deps: { deleter: MessageDeleter; clock: Clock; reporter: Reporter },
): Deletions => {
  const waiting: MessageHandle[] = []
  let draining: Promise<void> | null = null

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (waiting.length < batchSize) await deps.clock.sleep(deletionDelayMs)
      try {
        await deps.deleter.deleteMessages(lane, waiting.splice(0, deletedAtOnceMax))
      } catch (error) {
        deps.reporter.report({ kind: 'fault', event: null, endpoint: null, ...faultOf(error), delayMs: 0 })
      }
    }
    draining = null
  }

  return {
    add: handles => {
      waiting.push(...handles)
      if (waiting.length > 0) draining ??= drain()
    },
    isIdle: () => draining === null,
    done: async () => {
      await draining
    },
  }
}
