import type { Clock } from '../clock.ts'
import type { DeadLetterMessage, DeadLetterMessages } from './dead-letter-messages.ts'

/** Messages that one look goes through: as many handles are in memory. */
export const messagesLookedAtMax = 20_000
/** Shorter than messages are hidden, so that none is looked at twice. */
export const lookMsMax = 90_000

export type QueueLook = {
  looked: number
  removed: number
  /** Whether the queue was seen to its end. */
  complete: boolean
}

/**
 * Goes through the dead-letter queue once and removes what `judge` says is to go. All others are shown again at the end; an
 * interruption only leaves them hidden for a while.
 */
export const lookThroughQueue = async (
  of: {
    /** Those of a batch that are to be removed. */
    judge: (messages: readonly DeadLetterMessage[]) => Promise<readonly DeadLetterMessage[]>
    signal: AbortSignal
    onProgress: (looked: number) => void
  },
  { messages, clock }: { messages: DeadLetterMessages; clock: Clock },
): Promise<QueueLook> => {
  const endsAtMs = clock.now() + lookMsMax
  const kept: DeadLetterMessage[] = []
  const seen = new Set<string>()
  let removed = 0
  let complete = false
  try {
    while (!of.signal.aborted && seen.size < messagesLookedAtMax && clock.now() < endsAtMs) {
      const batch = await messages.receive()
      // A standard queue may hand out a message twice: that one tells nothing new, and is hidden by its first receipt.
      const fresh = batch.filter(({ messageId }) => !seen.has(messageId))
      if (fresh.length === 0) {
        complete = batch.length === 0
        break
      }
      for (const { messageId } of fresh) seen.add(messageId)
      const gone = new Set(await of.judge(fresh))
      kept.push(...fresh.filter(message => !gone.has(message)))
      removed += await messages.remove([...gone])
      of.onProgress(seen.size)
    }
  } finally {
    await messages.release(kept)
  }
  return { looked: seen.size, removed, complete }
}
