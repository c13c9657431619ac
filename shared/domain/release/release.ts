import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { EndpointKeys } from '../delivery/endpoint-keys.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Reporter } from '../happenings.ts'
import type { EventLog } from '../polling/event-log.ts'
import { createDueEntries, type DueEntries } from './due-entries.ts'
import { sendDue } from './send-due.ts'

export type ReleaseDeps = {
  endpoints: EndpointStore
  store: DeliveryStore
  log: EventLog
  queue: DeliveryQueue
  keys: EndpointKeys
  reporter: Reporter
  clock: Clock
  /** A new id for each write. */
  newId: () => string
}

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
  for (const endpoint of await deps.endpoints.list()) {
    turns.push({ endpoint, entries: createDueEntries({ endpoint, state: 'waiting', ...when }, deps) })
    if (await isReady(endpoint, deps)) {
      turns.push({ endpoint, entries: createDueEntries({ endpoint, state: 'held', ...when }, deps) })
    }
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

type Turn = { endpoint: Endpoint; entries: DueEntries }

/** A fault with one endpoint's page ends its turns for this run; what was moved comes back with its lease. */
const takeTurn = async (
  { endpoint, entries }: Turn,
  deps: ReleaseDeps,
): Promise<{ sent: number; more: boolean }> => {
  try {
    const taken = await entries.takePage()
    if (taken === null) return { sent: 0, more: false }
    const sent = await sendDue({ endpoint, deliveries: taken }, deps)
    reportReleased(endpoint, taken, sent, deps.reporter)
    return { sent, more: true }
  } catch (error) {
    reportFault(endpoint.id, error, deps.reporter)
    return { sent: 0, more: false }
  }
}

/**
 * Whether what is held may go: to an endpoint that is active and can be signed for, or to the dispatcher, which
 * cancels what was for a removed one.
 */
const isReady = async (endpoint: Endpoint, { keys, clock, reporter }: ReleaseDeps): Promise<boolean> => {
  if (endpoint.state !== 'active') return endpoint.state === 'removed'
  try {
    return (await keys.signingKeys(endpoint, clock.now())).kind === 'keys'
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
