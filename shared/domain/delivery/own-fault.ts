import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Reporter } from '../happenings.ts'
import { type DeliveryQueue, type EntryResult, type FaultCount, queueDelayMsMax } from './delivery-queue.ts'
import type { ReceivedMessage } from './received-message.ts'

/** How long a message is put off after our first fault; it doubles with each, up to what the queue takes. */
export const faultDelayMsFirst = 5_000
/** From our first fault with a message until it is left to the queue's own count of receipts. */
export const faultsLastMsMax = 24 * 3_600_000

/**
 * A newer version of ours wrote the message, or an item that it needs: after a rollback it is put off for as long as
 * it takes, and is never a dead letter.
 */
const newerReasons: readonly string[] = ['newer_message', 'item_newer']

export const faultDelayMs = (faults: FaultCount): number =>
  Math.min(faultDelayMsFirst * 2 ** faults.count, queueDelayMsMax)

export type PutOff = {
  received: ReceivedMessage
  /** The message's own body, or that of a POST that succeeded and is still to be recorded. */
  body: string
  eventId: string | null
  endpointId: string | null
  fault: { reason: string; hint: string }
}

/**
 * A fault of ours: the same message again on the same lane, position unchanged, after a growing delay, for 24 hours
 * (DESIGN.md, section 6.7). Says whether it was sent; if not, it is to be reported to the queue as failed. Never
 * throws.
 */
export const putOff = async (
  of: PutOff,
  deps: { queue: DeliveryQueue; reporter: Reporter; clock: Clock },
): Promise<boolean> => {
  const nowMs = deps.clock.now()
  const faults = of.received.faults ?? { count: 0, sinceMs: nowMs }
  const delayMs = faultDelayMs(faults)
  const tell = (told: { reason: string; hint: string }, delay: number): void =>
    deps.reporter.report({
      kind: 'fault',
      event: of.eventId,
      endpoint: of.endpointId,
      ...told,
      delayMs: delay,
    })
  if (nowMs - faults.sinceMs > faultsLastMsMax && !newerReasons.includes(of.fault.reason)) {
    tell(of.fault, 0)
    return false
  }
  const entry = {
    lane: of.received.lane,
    group: of.endpointId ?? of.received.group,
    body: of.body,
    delayMs,
    faults: { count: faults.count + 1, sinceMs: faults.sinceMs },
  }
  const result = await sendOne(() => deps.queue.send([entry]))
  tell(of.fault, result.kind === 'sent' ? delayMs : 0)
  if (result.kind !== 'sent') {
    tell({ reason: 'queue_failed', hint: 'The message was not put off; it stays in its queue.' }, 0)
  }
  return result.kind === 'sent'
}

/** The result of sending one entry, with an exception as `failed`. */
export const sendOne = async (send: () => Promise<EntryResult[]>): Promise<EntryResult> => {
  try {
    const [result] = await send()
    return result ?? { kind: 'failed', reason: 'no_result' }
  } catch (error) {
    return { kind: 'failed', reason: faultOf(error).reason }
  }
}
