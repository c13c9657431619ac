import { BridgeError, faultOf } from '../bridge-error.ts'
import type { Random } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { signatureHeaders } from '../signing/sign.ts'
import { type Attempt, ageOfEventMs, attemptOf, endOf, statusOf } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryMessage, encodeMessage } from './delivery-message.ts'
import { type Action, firstFailureInRound } from './delivery-record.ts'
import type { EndpointKeys } from './endpoint-keys.ts'
import { putOff, sendOne } from './own-fault.ts'
import { rank } from './position.ts'
import type { DropReason } from './reasons.ts'
import type { ReceivedMessage } from './received-message.ts'
import { failureReason, isSuccess, nextStep, type RetrySchedule } from './retry-policy.ts'
import { reportDrop, type SettleDeps, settle } from './settle.ts'
import type { WebhookSender } from './webhook-sender.ts'

/** For everything from DNS to the last byte of an answer that is read. */
export const deadlineMsDefault = 15_000

export type DeliverDeps = SettleDeps & {
  keys: EndpointKeys
  sender: WebhookSender
  random: Random
  schedule: RetrySchedule
  deadlineMs: number
}

export type ToDeliver = {
  received: ReceivedMessage
  message: DeliveryMessage
  /** The delivery as it was read, consistently, just before. */
  before: Delivery | null
}

/** A lane did not take a message that belongs there. */
export class ForwardError extends BridgeError {}

/**
 * Takes one message to its end: dropped, forwarded, settled, or put off for a fault of ours. Says whether it is done
 * with; if not, the queue is to keep it. Never throws.
 */
export const deliver = async (of: ToDeliver, deps: DeliverDeps): Promise<boolean> => {
  let body = of.received.body
  const remember = (attempt: Attempt, status: number): void => {
    // Whatever fails from here on, the next receipt must record this success and not POST again.
    const deliveredBy = { atMs: attempt.atMs, tookMs: attempt.result.tookMs, status }
    body = encodeMessage({ ...of.message, deliveredBy })
  }
  try {
    await tryToDeliver(of, deps, remember)
    return true
  } catch (error) {
    const { eventId, endpointId } = of.message
    return putOff({ received: of.received, body, eventId, endpointId, fault: faultOf(error) }, deps)
  }
}

type Remember = (attempt: Attempt, status: number) => void

const tryToDeliver = async (of: ToDeliver, deps: DeliverDeps, remember: Remember): Promise<void> => {
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
  if (endpoint.state === 'disabled') {
    const reason = endpoint.stateReason ?? 'endpoint_disabled'
    return settle({ ...to, action: stepOf(of, { kind: 'hold', reason }, deps) }, deps)
  }
  if (endpoint.slow && received.lane === 'fast') return forward(of, deps)
  const signing = await deps.keys.signingKeys(endpoint, deps.clock.now())
  if (signing.kind === 'none') {
    return settle({ ...to, action: stepOf(of, { kind: 'hold', reason: signing.reason }, deps) }, deps)
  }
  const attempt = await post(message, endpoint, signing.keys, deps)
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

const post = async (
  message: DeliveryMessage,
  endpoint: Endpoint,
  keys: readonly Uint8Array[],
  { clock, sender, deadlineMs }: DeliverDeps,
): Promise<Attempt> => {
  const atMs = clock.now()
  const { body } = message
  const signed = { id: message.eventId, body, timestampSeconds: Math.floor(atMs / 1000), keys }
  const headers = { 'content-type': 'application/json', ...signatureHeaders(signed) }
  return { atMs, result: await sender.send({ endpoint, headers, body, deadlineMs }) }
}

/** To the lane where the endpoint's slowness hurts nobody; unattempted, so with the same body and fault count. */
const forward = async ({ received, message }: ToDeliver, { queue }: DeliverDeps): Promise<void> => {
  const { body, faults } = received
  const entry = { lane: 'slow', group: message.endpointId, body, delayMs: 0, faults } as const
  const result = await sendOne(() => queue.send([entry]))
  if (result.kind === 'sent') return
  throw new ForwardError({
    code: 'queue_failed',
    message: `the slow lane did not take a message: ${result.reason}`,
    hint: 'If it lasts, check the slow queue, the network and the role.',
  })
}

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
