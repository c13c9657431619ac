import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { EndpointCredentials } from '../delivery/endpoint-credentials.ts'
import { type RetrySchedule, roundMsMax } from '../delivery/retry-policy.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Reporter } from '../happenings.ts'
import type { EventLog } from '../polling/event-log.ts'
import { minuteMs } from '../time-units.ts'
import { createDueEntries, type DueEntries } from './due-entries.ts'
import { inTurns } from './in-turns.ts'
import { heldAllowance, isComingBack, type ReleaseAllowance } from './release-pace.ts'
import { sendDue } from './send-due.ts'

export type ReleaseDeps = {
  endpoints: EndpointStore
  store: DeliveryStore
  log: EventLog
  queue: DeliveryQueue
  credentials: EndpointCredentials
  reporter: Reporter
  clock: Clock
  /** A new id for each write. */
  newId: () => string
  /** The dispatcher's. */
  schedule: RetrySchedule
  /** Between the begins of two runs; default: a minute. */
  releaseEveryMs?: number
}

/** As EventBridge Scheduler runs the releaser. */
export const releaseEveryMsDefault = minuteMs

export type ReleaseRun = {
  /** No page is begun after this: Unix milliseconds. */
  endsAtMs: number
  /**
   * How far beyond now an entry's due time may lie; 0 but where the queues were lost with the process that held
   * them (`lostQueueHorizonMs`).
   */
  horizonMs?: number
}

/**
 * The releaser: sends what is due, and what is held for an endpoint that is ready again (DESIGN.md, section 6.4).
 * Level-triggered: every run asks anew, so that nothing depends on a run having seen a change. Endpoints take turns,
 * a page each, so that none's backlog takes the run's time from the others. Says how many were sent, and whether
 * nothing was left. Throws only where the endpoints can't be read.
 */
export const release = async (
  run: ReleaseRun,
  deps: ReleaseDeps,
): Promise<{ sent: number; complete: boolean }> => {
  const when = { startedAtMs: deps.clock.now(), horizonMs: run.horizonMs ?? 0 }
  const turns: Turn[] = []
  const runNumber = Math.floor(when.startedAtMs / (deps.releaseEveryMs ?? releaseEveryMsDefault))
  for (const endpoint of inTurns(await deps.endpoints.list(), runNumber)) {
    turns.push(turnOf({ endpoint, state: 'waiting', ...when }, everything, deps))
    turns.push(...heldTurns(endpoint, when, deps))
  }
  let sent = 0
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    if (deps.clock.now() >= run.endsAtMs) return { sent, complete: false }
    const page = await takeTurn(turn, deps)
    sent += page.sent
    if (page.more) turns.push(turn)
  }
  return { sent, complete: true }
}

type When = { startedAtMs: number; horizonMs: number }

type Turn = {
  endpoint: Endpoint
  entries: DueEntries
  allowance: ReleaseAllowance
  /** Taken so far, of what is allowed. */
  taken: number
}

const everything: ReleaseAllowance = { count: Number.POSITIVE_INFINITY, spreadMs: 0 }

const turnOf = (
  of: Parameters<typeof createDueEntries>[0],
  allowance: ReleaseAllowance,
  deps: ReleaseDeps,
): Turn => ({ endpoint: of.endpoint, entries: createDueEntries(of, deps), allowance, taken: 0 })

/**
 * What is held for an endpoint that is active: as much as its pace takes, and, whatever its breaker says, what has been
 * held for as long as a round may last, so that the dispatcher gives it up. But not all at once to one that is coming
 * back: there it goes first of what its pace takes. What was for a removed one goes to the dispatcher, which cancels it.
 */
const heldTurns = (endpoint: Endpoint, when: When, deps: ReleaseDeps): Turn[] => {
  if (endpoint.state === 'disabled') return []
  const all = { endpoint, state: 'held', ...when } as const
  if (endpoint.state === 'removed') return [turnOf(all, everything, deps)]
  const held = { ...all, mayTake: onceAsked(() => hasSecrets(endpoint, deps)) }
  const everyMs = deps.releaseEveryMs ?? releaseEveryMsDefault
  const allowance = heldAllowance(endpoint, { nowMs: when.startedAtMs, everyMs })
  const isAllOfIt = allowance.count === Number.POSITIVE_INFINITY
  if (isAllOfIt || isComingBack(endpoint, when.startedAtMs)) return [turnOf(held, allowance, deps)]
  const over = { ...held, horizonMs: -roundMsMax(deps.schedule) }
  return [turnOf(over, everything, deps), ...(allowance.count > 0 ? [turnOf(held, allowance, deps)] : [])]
}

/** A fault with one endpoint's page ends its turns for this run; what was moved comes back with its lease. */
const takeTurn = async (turn: Turn, deps: ReleaseDeps): Promise<{ sent: number; more: boolean }> => {
  const { endpoint, entries, allowance } = turn
  try {
    const deliveries = await entries.takePage(allowance.count - turn.taken)
    if (deliveries === null) return { sent: 0, more: false }
    const delayMsOf = (at: number): number =>
      Math.floor((allowance.spreadMs * (turn.taken + at)) / allowance.count)
    const sent = await sendDue({ endpoint, deliveries, delayMsOf }, deps)
    turn.taken += deliveries.length
    reportReleased(endpoint, deliveries, sent, deps.reporter)
    return { sent, more: turn.taken < allowance.count }
  } catch (error) {
    reportFault(turn.endpoint.id, error, deps.reporter)
    return { sent: 0, more: false }
  }
}

const onceAsked = (ask: () => Promise<boolean>): (() => Promise<boolean>) => {
  let answer: Promise<boolean> | null = null
  return () => {
    answer ??= ask()
    return answer
  }
}

/** Whether what is held can be signed and asked for. Asked only where something is: a secret costs a call to read. */
const hasSecrets = async (
  endpoint: Endpoint,
  { credentials, clock, reporter }: ReleaseDeps,
): Promise<boolean> => {
  try {
    return (await credentials.credentialsOf(endpoint, clock.now())).kind === 'credentials'
  } catch (error) {
    reportFault(endpoint.id, error, reporter)
    return false
  }
}

const reportReleased = (
  endpoint: Endpoint,
  taken: readonly Delivery[],
  count: number,
  reporter: Reporter,
): void => {
  const state = taken[0]?.state
  if (count > 0 && state !== undefined)
    reporter.report({ kind: 'released', endpoint: endpoint.id, state, count })
}

const reportFault = (endpoint: string, error: unknown, reporter: Reporter): void =>
  reporter.report({ kind: 'fault', event: null, endpoint, ...faultOf(error), delayMs: 0 })
