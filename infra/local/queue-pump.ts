import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { MessageReceiver } from '../../shared/adapters/sqs/message-receiver.ts'
import { queueSettings } from '../../shared/adapters/sqs/queues.ts'
import { faultOf } from '../../shared/domain/bridge-error.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import type { Lane } from '../../shared/domain/delivery/delivery-queue.ts'
import type { MessageDeleter } from '../../shared/domain/delivery/message-deleter.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'
import { createBell } from './bell.ts'
import { createDeletions } from './deletions.ts'
import { batchMessagesMax, createEndpointLanes } from './endpoint-lanes.ts'

/** The function's time-out, as on AWS: what a batch has not done by then comes back when its visibility ends. */
export const functionTimeoutMs = 60_000
/** After a queue that could not be asked. */
const receiveAgainMs = 1_000

export type LaneLimits = {
  /** Receives under way at once while there is a backlog; one while there is none. */
  receiversMax: number
  /** Beyond it nothing is received; exceeded by at most what was under way then. */
  messagesInHandMax: number
  bytesInHandMax: number
  batchesPerEndpointMax: number
}

/** Both lanes together keep an endpoint's attempts below the sender's connections to one origin (64). */
export const laneLimits: Readonly<Record<Lane, LaneLimits>> = {
  fast: {
    receiversMax: 4,
    messagesInHandMax: 1_000,
    bytesInHandMax: 32 * 1024 * 1024,
    batchesPerEndpointMax: 4,
  },
  slow: {
    receiversMax: 2,
    messagesInHandMax: 400,
    bytesInHandMax: 16 * 1024 * 1024,
    batchesPerEndpointMax: 2,
  },
}

export type PumpDeps = {
  lane: Lane
  receiver: MessageReceiver
  deleter: MessageDeleter
  /** The dispatcher's. */
  handler: (event: SQSEvent) => Promise<SQSBatchResponse>
  reporter: Reporter
  clock: Clock
  /** Resolves when more may be taken in hand; default: at once. */
  admission?: () => Promise<void>
  limits?: LaneLimits
}

export type QueuePump = {
  /** Nothing in hand, and nothing left to delete. */
  isIdle(): boolean
  /**
   * Receives no more, and waits for the batches under way at most `withinMs`. What waited in hand stays in the queue,
   * invisible, and comes back from the table with the next start.
   */
  stop(withinMs: number): Promise<void>
}

/** The local stand-in for Lambda's event source mapping of one lane: receives, calls the function, deletes what is done. */
export const startQueuePump = (deps: PumpDeps): QueuePump => {
  const { lane, receiver, clock, reporter, admission = () => Promise.resolve() } = deps
  const limits = deps.limits ?? laneLimits[lane]
  const stopping = new AbortController()
  const { signal } = stopping
  const deletions = createDeletions(lane, deps)
  const room = createBell()
  const hands = createEndpointLanes({
    batchesPerEndpointMax: limits.batchesPerEndpointMax,
    run: async batch => deletions.add(await settledBy(batch, deps)),
    onRoom: room.ring,
  })
  const hasRoom = (): boolean =>
    hands.inHand() < limits.messagesInHandMax && hands.bytesInHand() < limits.bytesInHandMax
  const forRoom = async (): Promise<void> => {
    while (!hasRoom() && !signal.aborted) await room.rung()
    await admission()
  }

  /** One receive; null where the queue could not be asked, or we stop. */
  const receive = async (waitSeconds: number): Promise<number | null> => {
    await forRoom()
    if (signal.aborted) return null
    try {
      const records = await receiver.receive({ max: batchMessagesMax, waitSeconds, signal })
      if (!signal.aborted) hands.add(records)
      return records.length
    } catch (error) {
      if (signal.aborted) return null
      reporter.report({
        kind: 'fault',
        event: null,
        endpoint: null,
        ...faultOf(error),
        delayMs: receiveAgainMs,
      })
      await clock.sleep(receiveAgainMs, signal)
      return null
    }
  }

  const receivers = startReceivers({ receive, receiversMax: limits.receiversMax, signal })

  return {
    isIdle: () => hands.inHand() === 0 && deletions.isIdle(),
    stop: async withinMs => {
      stopping.abort()
      hands.dropWaiting()
      await receivers.ended()
      const inTime = new AbortController()
      const ended = async (): Promise<void> => {
        while (hands.inHand() > 0) await room.rung()
        await deletions.done()
      }
      await Promise.race([ended(), clock.sleep(withinMs, inTime.signal)])
      inTime.abort()
    },
  }
}

/**
 * One long poll notices that there is something; as long as batches come full there is a backlog, and others help.
 * Ends with the signal.
 */
const startReceivers = (of: {
  receive: (waitSeconds: number) => Promise<number | null>
  receiversMax: number
  signal: AbortSignal
}): { ended: () => Promise<void> } => {
  const helpers = new Set<Promise<void>>()
  const help = async (): Promise<void> => {
    while ((await of.receive(0)) === batchMessagesMax) {}
  }
  const callHelp = (): void => {
    if (helpers.size >= of.receiversMax - 1) return
    const helper = help().finally(() => helpers.delete(helper))
    helpers.add(helper)
  }
  const main = async (): Promise<void> => {
    while (!of.signal.aborted) {
      if ((await of.receive(queueSettings.receiveWaitSeconds)) === batchMessagesMax) callHelp()
    }
  }
  const running = main()
  return {
    ended: async () => {
      await Promise.all([running, ...helpers])
    },
  }
}

/** Calls the function, and says which messages are done with. Never rejects: what failed comes back by itself. */
const settledBy = async (
  batch: readonly SQSRecord[],
  { handler, reporter, clock }: PumpDeps,
): Promise<readonly SQSRecord[]> => {
  const inTime = new AbortController()
  const fault = (reason: string, hint: string): readonly SQSRecord[] => {
    const delayMs = queueSettings.visibilityTimeoutSeconds * 1_000
    reporter.report({ kind: 'fault', event: null, endpoint: null, reason, hint, delayMs })
    return []
  }
  try {
    const timeout = clock.sleep(functionTimeoutMs, inTime.signal).then(() => null)
    const answer = await Promise.race([handler({ Records: [...batch] }), timeout])
    if (answer === null) return fault('function_timeout', `${batch.length} messages come back after a while.`)
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    return batch.filter(({ messageId }) => !failed.has(messageId))
  } catch (error) {
    const { reason, hint } = faultOf(error)
    return fault(reason, hint)
  } finally {
    inTime.abort()
  }
}
