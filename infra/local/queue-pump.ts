import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda'
import type { MessageReceiver } from '../../shared/adapters/sqs/message-receiver.ts'
import { queueSettings } from '../../shared/adapters/sqs/queues.ts'
import { faultOf } from '../../shared/domain/bridge-error.ts'
import type { Clock } from '../../shared/domain/clock.ts'
import type { DeliveryQueue, Lane } from '../../shared/domain/delivery/delivery-queue.ts'
import type { MessageDeleter } from '../../shared/domain/delivery/message-deleter.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'
import { createBell } from './bell.ts'
import { createDeletions } from './deletions.ts'
import { batchMessagesMax, createEndpointLanes } from './endpoint-lanes.ts'
import { type LaneLimits, laneLimits, waitingMsMax } from './lane-limits.ts'
import { watchOverflow } from './overflow.ts'

/** The function's time-out, as on AWS: what a batch has not done by then comes back when its visibility ends. */
export const functionTimeoutMs = 60_000
/** After a queue that could not be asked. */
const receiveAgainMs = 1_000
/** What an endpoint has waiting for longer than this, it does not keep up with. */
export const laggingMs = 5_000
/** In hand, of what may be: beyond it others are kept out, or soon will be. */
const nearlyFull = 0.9
/** In hand, of an equal share: with less, somebody may be kept out. */
const keptOutBelow = 0.5

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
  /**
   * Of the fast lane, which endpoints share: an equal share each, once there is next to no room. `endpoints` says how many
   * they are at that moment; it must not reject.
   */
  overflow?: { queue: DeliveryQueue; endpoints: () => Promise<number> }
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
    waitingMsMax,
    now: () => clock.now(),
    run: async batch => deletions.add(await settledBy(batch, deps)),
    onRoom: room.ring,
  })
  const fullness = (): number =>
    Math.max(hands.inHand() / limits.messagesInHandMax, hands.bytesInHand() / limits.bytesInHandMax)
  const hasRoom = (): boolean => fullness() < 1
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

  const takeExcess = async (endpoints: () => Promise<number>): Promise<readonly SQSRecord[]> => {
    if (fullness() < nearlyFull) return []
    const among = await endpoints()
    // One alone keeps nobody out. What waited is dropped once we stop: it stays in its queue.
    if (among < 2 || signal.aborted) return []
    const share = { messages: limits.messagesInHandMax / among, bytes: limits.bytesInHandMax / among }
    // Where all have their part, all are slow alike, as on a busy machine: forwarding would only add to it.
    return hands.fewest(among) > share.messages * keptOutBelow ? [] : hands.takeExcess(share, laggingMs)
  }
  if (deps.overflow !== undefined) {
    const { queue, endpoints } = deps.overflow
    void watchOverflow({
      queue,
      clock,
      reporter,
      signal,
      takeExcess: () => takeExcess(endpoints),
      settle: (taken, forwarded) => {
        deletions.add(forwarded)
        hands.forget(taken)
      },
    })
  }

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
