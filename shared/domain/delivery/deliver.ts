import { faultOf } from '../bridge-error.ts'
import type { Random } from '../clock.ts'
import { type Attempt, ageOfEventMs, attemptOf, endOf, statusOf } from './attempt.ts'
import type { OutcomeTally } from './batch-outcomes.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryMessage, encodeMessage } from './delivery-message.ts'
import { type Action, firstFailureInRound } from './delivery-record.ts'
import { forward } from './forward.ts'
import type { HealthKeeper } from './health-keeper.ts'
import type { HeartbeatTally } from './heartbeat-tally.ts'
import { reasonNotNow } from './not-now.ts'
import { putOff } from './own-fault.ts'
import type { PaceGate } from './pace-gate.ts'
import { rank } from './position.ts'
import { type PostDeps, post } from './post.ts'
import type { DropReason } from './reasons.ts'
import type { ReceivedMessage } from './received-message.ts'
import { failureReason, isSuccess, nextStep, type RetrySchedule } from './retry-policy.ts'
import { reportDrop, type SettleDeps, settle } from './settle.ts'

/** For everything from DNS to the last byte of an answer that is read. */
export const deadlineMsDefault = 15_000

export type DeliverDeps = SettleDeps &
  PostDeps & {
    health: HealthKeeper
    random: Random
    schedule: RetrySchedule
  }

/** What the messages of a batch share. */
export type OfBatch = { pace: PaceGate; outcomes: OutcomeTally; heartbeatCounts: HeartbeatTally }

export type ToDeliver = {
  received: ReceivedMessage
  message: DeliveryMessage
  /** The delivery as it was read, consistently, just before. */
  before: Delivery | null
}

/**
 * Takes one message to its end: dropped, forwarded, settled, or put off for a fault of ours. Says whether it is done
 * with; if not, the queue is to keep it. Never throws.
 */
export const deliver = async (of: ToDeliver, deps: DeliverDeps & OfBatch): Promise<boolean> => {
  let delivered: DeliveryMessage | null = null
  const remember = (attempt: Attempt, status: number): void => {
    // Whatever fails from here on, the next receipt must record this success and not POST again.
    const deliveredBy = { atMs: attempt.atMs, tookMs: attempt.result.tookMs, status }
    delivered = { ...of.message, deliveredBy }
  }
  try {
    await tryToDeliver(of, deps, remember)
    return true
  } catch (error) {
    const { eventId, endpointId } = of.message
    const body = delivered === null ? of.received.body : encodeMessage(delivered)
    return putOff({ received: of.received, body, eventId, endpointId, fault: faultOf(error) }, deps)
  }
}

type Remember = (attempt: Attempt, status: number) => void

const tryToDeliver = async (
  of: ToDeliver,
  deps: DeliverDeps & OfBatch,
  remember: Remember,
): Promise<void> => {
  const { message, before, received } = of
  const drop = dropReason(message, before)
  if (drop !== null) return reportDrop(message, drop, deps.reporter)
  const to = { message, before, lane: received.lane, attempt: null }
  if (message.deliveredBy !== null) {
    const attempt = attemptOf(message.deliveredBy)
    return settle({ ...to, attempt, action: { kind: 'delivered' } }, deps)
  }
  const endpoint = await deps.directory.current(message.endpointId)
  if (endpoint === null || endpoint.state === 'removed') {
    return settle({ ...to, action: { kind: 'cancelled', reason: 'endpoint_removed' } }, deps)
  }
  const hold = (reason: string, { isTimed }: { isTimed: boolean }): Promise<void> =>
    settle({ ...to, action: stepOf(of, { kind: 'hold', reason, isTimed }, deps) }, deps)
  if (endpoint.state === 'disabled') {
    return hold(endpoint.stateReason ?? 'endpoint_disabled', { isTimed: false })
  }
  const notNow = await reasonNotNow(endpoint, received.lane, deps)
  if (notNow !== null) return hold(notNow, { isTimed: true })
  if (endpoint.slow && received.lane === 'fast') return forward(received, endpoint.id, deps)
  const credentials = await deps.credentials.credentialsOf(endpoint, deps.clock.now())
  if (credentials.kind === 'none') return hold(credentials.reason, { isTimed: false })
  const leave = await deps.pace.enter(endpoint)
  if (leave === null) return hold('paced', { isTimed: true })
  const attempt = await post({ event: message, endpoint, credentials }, deps).finally(leave)
  deps.outcomes.add(endpoint.id, attempt)
  deps.heartbeatCounts.add(endpoint, attempt)
  reportAttempt(of, attempt, deps)
  const { result } = attempt
  if (result.kind === 'answered' && isSuccess(result)) remember(attempt, result.status)
  const action = stepOf(of, result, deps)
  await Promise.all([settle({ ...to, attempt, action }, deps), deps.directory.noteSpeed(endpoint, result)])
}

/**
 * Why a message is not to be tried: what it asks for is settled already. One that carries a success is dropped only
 * where that is known: a success is the truth, whatever was recorded since (`round_not_passed` guards its write).
 */
const dropReason = (message: DeliveryMessage, before: Delivery | null): DropReason | null => {
  if (before === null) return null
  if (before.state === 'delivered') return 'delivered_before'
  if (message.deliveredBy !== null) return null
  if (before.state === 'cancelled') return 'cancelled_before'
  return rank(message) <= rank(before.position) ? 'position_passed' : null
}

const stepOf = (
  { message, before }: ToDeliver,
  result: Parameters<typeof nextStep>[0]['result'],
  { clock, random, schedule }: DeliverDeps,
): Action =>
  nextStep({
    result,
    position: message,
    firstFailureAtMs: firstFailureInRound(before, message.round),
    nowMs: clock.now(),
    random: random(),
    schedule,
  })

const reportAttempt = (
  { message, received, before }: ToDeliver,
  attempt: Attempt,
  deps: DeliverDeps,
): void => {
  const { result } = attempt
  // What it waited beyond the time that it was meant for.
  const meantForMs = Math.max(received.sentAtMs, before?.retryAtMs ?? 0)
  deps.reporter.report({
    kind: 'attempt',
    event: message.eventId,
    endpoint: message.endpointId,
    attempt: message.attempt,
    round: message.round,
    type: message.type,
    lane: received.lane,
    status: statusOf(result),
    reason: isSuccess(result) ? null : failureReason(result),
    tookMs: result.tookMs,
    ageMs: ageOfEventMs(message.eventId, endOf(attempt)),
    queuedMs: Math.max(0, attempt.atMs - meantForMs),
  })
}
