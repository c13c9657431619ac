import { type Attempt, statusOf } from './attempt.ts'
import { type AttemptRecord, attemptsKeptMax, type Delivery } from './delivery.ts'
import type { DeliveryMessage } from './delivery-message.ts'
import { queueDelayMsMax } from './delivery-queue.ts'
import type { WriteCondition } from './delivery-store.ts'
import { beforeAttempt, type Position, rank } from './position.ts'
import { failureReason, isSuccess, type Step } from './retry-policy.ts'

/** How late a message may come before the releaser sends another: longer than a queue usually takes. */
export const graceMs = 15 * 60_000

/** What becomes of a delivery, with what only its endpoint's removal brings. */
export type Action = Step | { kind: 'cancelled'; reason: string }

/** Everything that a write of a delivery follows from. */
export type ToRecord = {
  message: DeliveryMessage
  /** The delivery as it was read before; null where there was none. */
  before: Delivery | null
  action: Action
  attempt: Attempt | null
  nowMs: number
  writeId: string
}

/** The delivery as it is to be written. Pure. */
export const recordOf = (of: ToRecord): Delivery => {
  const { message } = of
  return {
    endpointId: message.endpointId,
    eventId: message.eventId,
    sourceId: message.sourceId,
    stream: message.stream,
    ...stateOf(of, firstFailureOf(of)),
    attempts: attemptsOf(of),
    writeId: of.writeId,
    updatedAtMs: of.nowMs,
    expiresAtSeconds: message.expiresAtSeconds,
  }
}

/** Under which condition an action may be written (see `WriteCondition`). Pure. */
export const conditionOf = (action: Action, message: DeliveryMessage): WriteCondition =>
  action.kind === 'delivered'
    ? { kind: 'round_not_passed', rank: rank({ round: message.round + 1, attempt: 0 }) }
    : { kind: 'unsettled_before', rank: rank(message) }

type StateOfDelivery = Pick<
  Delivery,
  'state' | 'position' | 'retryAtMs' | 'dueMs' | 'reason' | 'firstFailureAtMs'
>

const stateOf = (of: ToRecord, firstFailureAtMs: number | null): StateOfDelivery => {
  const { action, nowMs } = of
  const position = positionOf(of)
  const none = { position, retryAtMs: null, dueMs: null, firstFailureAtMs }
  switch (action.kind) {
    case 'delivered':
      return { state: 'delivered', ...none, reason: null }
    case 'cancelled':
      return { state: 'cancelled', ...none, reason: action.reason }
    case 'retry': {
      const dueMs = goesByQueue(action, nowMs) ? action.atMs + graceMs : action.atMs
      return { ...none, state: 'waiting', retryAtMs: action.atMs, dueMs, reason: action.reason }
    }
    case 'hold': {
      // By it the releaser finds what has been held for as long as its round may last.
      const dueMs = action.isTimed ? (firstFailureAtMs ?? nowMs) : nowMs
      return { state: 'held', ...none, dueMs, reason: action.reason }
    }
    case 'gone':
      return { state: 'held', ...none, dueMs: nowMs, reason: action.reason }
    case 'dead':
      return { state: 'dead', ...none, dueMs: nowMs, reason: action.reason }
  }
}

/** Whether a retry waits in the queue, or in the table for the releaser. */
export const goesByQueue = (retry: { atMs: number }, nowMs: number): boolean =>
  retry.atMs - nowMs <= queueDelayMsMax

/**
 * The releaser sends the attempt after the recorded one. So where none was made, what is recorded is the one before.
 * `gone` was an attempt and counts: what an operator's enabling releases is the next one, and copies of this message
 * are dropped.
 */
const positionOf = ({ message, action }: ToRecord): Position => {
  const position = { round: message.round, attempt: message.attempt }
  return action.kind === 'hold' || action.kind === 'cancelled' ? beforeAttempt(position) : position
}

/** When this round failed first; null where it has not yet. A new round starts its time anew. */
export const firstFailureInRound = (before: Delivery | null, round: number): number | null =>
  before?.position.round === round ? before.firstFailureAtMs : null

/**
 * The schedule's time runs from a round's first failure that is to be retried, or from when a delivery was set aside
 * for its endpoint to come back; 410 asks for no retry.
 */
const firstFailureOf = ({ message, before, action, nowMs }: ToRecord): number | null => {
  const known = firstFailureInRound(before, message.round)
  const runs = action.kind === 'retry' || action.kind === 'dead' || (action.kind === 'hold' && action.isTimed)
  return runs ? (known ?? nowMs) : known
}

/** The last few. A delivery that never failed keeps none: the usual item stays tiny. */
const attemptsOf = ({ message, before, attempt }: ToRecord): readonly AttemptRecord[] => {
  const earlier = before?.attempts ?? []
  if (attempt === null) return earlier
  const { result } = attempt
  const success = isSuccess(result)
  if (success && earlier.length === 0) return earlier
  const made: AttemptRecord = {
    position: { round: message.round, attempt: message.attempt },
    atMs: attempt.atMs,
    tookMs: result.tookMs,
    status: statusOf(result),
    reason: success ? null : failureReason(result),
    answer: success || result.kind !== 'answered' ? '' : result.answer,
  }
  return [...earlier, made].slice(-attemptsKeptMax)
}
