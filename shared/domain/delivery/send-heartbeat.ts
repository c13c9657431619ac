import { faultOf } from '../bridge-error.ts'
import type { Random } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Reporter } from '../happenings.ts'
import { type Attempt, statusOf } from './attempt.ts'
import type { OutcomeTally } from './batch-outcomes.ts'
import type { HeartbeatMessage } from './delivery-message.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { EndpointDirectory } from './endpoint-directory.ts'
import { forward } from './forward.ts'
import type { HealthKeeper } from './health-keeper.ts'
import { reasonNotNow } from './not-now.ts'
import type { PaceGate } from './pace-gate.ts'
import { firstPosition } from './position.ts'
import { type PostDeps, post } from './post.ts'
import { heartbeatLate } from './reasons.ts'
import type { ReceivedMessage } from './received-message.ts'
import { failureReason, isSuccess, nextStep, type RetrySchedule } from './retry-policy.ts'

export type HeartbeatSenderDeps = PostDeps & {
  directory: EndpointDirectory
  health: HealthKeeper
  queue: DeliveryQueue
  reporter: Reporter
  random: Random
  schedule: RetrySchedule
}

type OfBatch = { pace: PaceGate; outcomes: OutcomeTally }
type ToSend = { received: ReceivedMessage; heartbeat: HeartbeatMessage }

/**
 * Tries a heartbeat once, as an event is tried: same keys, same pace, and what the endpoint answers counts for its
 * breaker and its lane. Whatever comes of it, it is done with then: a late one is worth nothing, and the silence of an
 * endpoint that can't be asked is what its owner is to notice. Never throws.
 */
export const sendHeartbeat = async (of: ToSend, deps: HeartbeatSenderDeps & OfBatch): Promise<void> => {
  const { eventId: event, endpointId: endpoint } = of.heartbeat
  const tell = (came: { status: number | null; reason: string | null; tookMs: number | null }): void =>
    deps.reporter.report({ kind: 'heartbeat', event, endpoint, ...came })
  try {
    const came = await tryToSend(of, deps)
    switch (came.kind) {
      case 'forwarded':
        return
      case 'left_out':
        return tell({ status: null, reason: came.reason, tookMs: null })
      case 'attempted': {
        const { result } = came.attempt
        const reason = isSuccess(result) ? null : failureReason(result)
        return tell({ status: statusOf(result), reason, tookMs: result.tookMs })
      }
    }
  } catch (error) {
    deps.reporter.report({ kind: 'fault', event, endpoint, ...faultOf(error), delayMs: 0 })
  }
}

type Outcome =
  | { kind: 'attempted'; attempt: Attempt }
  | { kind: 'left_out'; reason: string }
  | { kind: 'forwarded' }

const leftOut = (reason: string): Outcome => ({ kind: 'left_out', reason })

const tryToSend = async (
  { received, heartbeat }: ToSend,
  deps: HeartbeatSenderDeps & OfBatch,
): Promise<Outcome> => {
  const { clock, directory } = deps
  if (clock.now() > heartbeat.notAfterMs) return leftOut(heartbeatLate)
  const endpoint = await directory.current(heartbeat.endpointId)
  if (endpoint === null || endpoint.state === 'removed') return leftOut('endpoint_removed')
  if (endpoint.state === 'disabled') return leftOut(endpoint.stateReason ?? 'endpoint_disabled')
  const notNow = await reasonNotNow(endpoint, received.lane, deps)
  if (notNow !== null) return leftOut(notNow)
  if (endpoint.slow && received.lane === 'fast') {
    await forward(received, endpoint.id, deps)
    return { kind: 'forwarded' }
  }
  const credentials = await deps.credentials.credentialsOf(endpoint, clock.now())
  if (credentials.kind === 'none') return leftOut(credentials.reason)
  const leave = await deps.pace.enter(endpoint)
  if (leave === null) return leftOut('paced')
  const attempt = await post({ event: heartbeat, endpoint, credentials }, deps).finally(leave)
  deps.outcomes.add(endpoint.id, attempt)
  await Promise.all([disableIfGone(endpoint, attempt, deps), directory.noteSpeed(endpoint, attempt.result)])
  return { kind: 'attempted', attempt }
}

/** What an answer means for its endpoint does not depend on what it answered to. */
const disableIfGone = async (
  { id }: Endpoint,
  { result }: Attempt,
  { directory, clock, random, schedule }: HeartbeatSenderDeps,
): Promise<void> => {
  const step = nextStep({
    result,
    position: firstPosition,
    firstFailureAtMs: null,
    nowMs: clock.now(),
    random: random(),
    schedule,
  })
  if (step.kind === 'gone') await directory.disable(id, step.reason)
}
