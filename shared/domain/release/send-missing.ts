import { encodeMessage } from '../delivery/delivery-message.ts'
import type { EntryResult } from '../delivery/delivery-queue.ts'
import { beforeAttempt, firstPosition, rank } from '../delivery/position.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EventSummary, LoggedEvent } from '../polling/event-log.ts'
import { endDelivery } from './end-delivery.ts'
import { messageFromLog } from './message-from-log.ts'
import type { ReconcileDeps } from './reconcile.ts'

/** Messages made and sent at a time: as many bodies are in memory. */
export const missingAtOnceMax = 50

type Missing = { event: EventSummary; endpoint: Endpoint }

/**
 * Sends the events that matched an endpoint and have no delivery there, as they were sent first. Of events of one
 * day, in the order of their ids. Says how many were sent, and how many could not be.
 */
export const sendMissing = async (
  of: { events: readonly EventSummary[]; endpoints: ReadonlyMap<string, Endpoint> },
  deps: ReconcileDeps,
): Promise<{ sent: number; failed: number }> => {
  const missing = await findMissing(of, deps)
  const total = { sent: 0, failed: 0 }
  for (let at = 0; at < missing.length; at += missingAtOnceMax) {
    const done = await sendAll(missing.slice(at, at + missingAtOnceMax), deps)
    total.sent += done.sent
    total.failed += done.failed
  }
  return total
}

const findMissing = async (
  of: { events: readonly EventSummary[]; endpoints: ReadonlyMap<string, Endpoint> },
  { store, clock }: ReconcileDeps,
): Promise<Missing[]> => {
  const nowSeconds = clock.now() / 1000
  const eventsOf = new Map<string, EventSummary[]>()
  for (const event of of.events) {
    if (event.expiresAtSeconds <= nowSeconds || event.forgottenAtMs !== undefined) continue
    for (const id of event.endpointIds) eventsOf.set(id, [...(eventsOf.get(id) ?? []), event])
  }
  const missing: Missing[] = []
  for (const [endpointId, events] of eventsOf) {
    const endpoint = of.endpoints.get(endpointId)
    const [first, last] = [events[0], events.at(-1)]
    if (endpoint === undefined || endpoint.state === 'removed' || !first || !last) continue
    const range = { endpointId, firstEventId: first.id, lastEventId: last.id }
    const there = await store.eventIds(range)
    for (const event of events) if (!there.has(event.id)) missing.push({ event, endpoint })
  }
  return missing
}

const sendAll = async (
  missing: readonly Missing[],
  deps: ReconcileDeps,
): Promise<{ sent: number; failed: number }> => {
  const read = await Promise.all(
    missing.map(async ({ event, endpoint }) => ({
      endpoint,
      event: await deps.log.read({ ...event, eventId: event.id }),
    })),
  )
  // Gone since the page was read: expired, or its recipient forgotten.
  const found = read.flatMap(({ event, endpoint }) =>
    event === null || event.body === null ? [] : [{ event, endpoint }],
  )
  if (found.length === 0) return { sent: 0, failed: 0 }
  const results = await deps.queue.send(found.map(entryOf))
  const total = { sent: 0, failed: 0 }
  for (const [index, { event, endpoint }] of found.entries()) {
    const result: EntryResult = results[index] ?? { kind: 'failed', reason: 'no_result' }
    if (result.kind === 'failed') total.failed += 1
    else if (result.kind === 'refused') await giveUp(event, endpoint, deps)
    else {
      total.sent += 1
      const { id, sourceId: source, stream } = event
      deps.reporter.report({ kind: 'reconciled', source, stream, event: id, endpoint: endpoint.id })
    }
  }
  return total
}

const entryOf = ({ event, endpoint }: { event: LoggedEvent; endpoint: Endpoint }) =>
  ({
    lane: endpoint.slow ? 'slow' : 'fast',
    group: endpoint.id,
    body: encodeMessage(messageFromLog({ event, endpointId: endpoint.id, position: firstPosition })),
    delayMs: 0,
    faults: null,
  }) as const

/** The queue will never take it: a dead letter that an operator sees, where it would else be sent for ever. */
const giveUp = (event: LoggedEvent, endpoint: Endpoint, deps: ReconcileDeps): Promise<void> => {
  const delivery = {
    endpointId: endpoint.id,
    eventId: event.id,
    sourceId: event.sourceId,
    stream: event.stream,
    position: beforeAttempt(firstPosition),
    firstFailureAtMs: null,
    attempts: [],
    expiresAtSeconds: event.expiresAtSeconds,
  }
  const condition = { kind: 'unsettled_before', rank: rank(firstPosition) } as const
  return endDelivery({ delivery, state: 'dead', reason: 'queue_refused', condition }, deps)
}
