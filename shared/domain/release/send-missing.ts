import { encodeMessage } from '../delivery/delivery-message.ts'
import type { EntryResult } from '../delivery/delivery-queue.ts'
import { beforeAttempt, firstPosition, rank } from '../delivery/position.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EventSummary, LoggedEvent } from '../polling/event-log.ts'
import { type ItemOwner, unlessUnreadable } from '../unreadable-item.ts'
import { endDelivery } from './end-delivery.ts'
import { messageFromLog } from './message-from-log.ts'
import type { ReconcileDeps } from './reconcile.ts'

/** Messages made and sent at a time: as many bodies are in memory. */
export const missingAtOnceMax = 50

/** How many were sent, how many may be at the next try, and of how many an item can't be read, each of which is told. */
export type MissingSent = { sent: number; failed: number; unreadable: number }

type Missing = { event: EventSummary; endpoint: Endpoint }

/**
 * Sends the events that matched an endpoint and have no delivery there, as they were sent first. Of events of one
 * day, in the order of their ids. Says what became of them.
 */
export const sendMissing = async (
  of: { events: readonly EventSummary[]; endpoints: ReadonlyMap<string, Endpoint> },
  deps: ReconcileDeps,
): Promise<MissingSent> => {
  const missing = await findMissing(of, deps)
  const total = { sent: 0, failed: 0, unreadable: 0 }
  for (let at = 0; at < missing.length; at += missingAtOnceMax) {
    const done = await sendAll(missing.slice(at, at + missingAtOnceMax), deps)
    total.sent += done.sent
    total.failed += done.failed
    total.unreadable += done.unreadable
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

const sendAll = async (missing: readonly Missing[], deps: ReconcileDeps): Promise<MissingSent> => {
  const { found, unreadable } = await readMissing(missing, deps)
  const total = { sent: 0, failed: 0, unreadable }
  if (found.length === 0) return total
  const results = await deps.queue.send(found.map(entryOf))
  for (const [index, { event, endpoint }] of found.entries()) {
    const result: EntryResult = results[index] ?? { kind: 'failed', reason: 'no_result' }
    if (result.kind === 'failed') total.failed += 1
    else if (result.kind === 'refused') total.unreadable += (await giveUp(event, endpoint, deps)) ? 0 : 1
    else {
      total.sent += 1
      const { id, sourceId: source, stream } = event
      deps.reporter.report({ kind: 'reconciled', source, stream, event: id, endpoint: endpoint.id })
    }
  }
  return total
}

const readMissing = async (
  missing: readonly Missing[],
  { log, reporter }: ReconcileDeps,
): Promise<{ found: { event: LoggedEvent; endpoint: Endpoint }[]; unreadable: number }> => {
  const reads = await Promise.all(
    missing.map(async ({ event, endpoint }) => ({
      endpoint,
      read: await unlessUnreadable(
        ownerOf(event, endpoint),
        () => log.read({ ...event, eventId: event.id }),
        reporter,
      ),
    })),
  )
  const found = reads.flatMap(({ read, endpoint }) => {
    const event = read?.value ?? null
    // Or gone since the page was read: expired, or its recipient forgotten.
    return event === null || event.body === null ? [] : [{ event, endpoint }]
  })
  return { found, unreadable: reads.filter(({ read }) => read === null).length }
}

const ownerOf = (event: { id: string }, endpoint: Endpoint): ItemOwner => ({
  eventId: event.id,
  endpointId: endpoint.id,
})

const entryOf = ({ event, endpoint }: { event: LoggedEvent; endpoint: Endpoint }) =>
  ({
    lane: endpoint.slow ? 'slow' : 'fast',
    group: endpoint.id,
    body: encodeMessage(messageFromLog({ event, endpointId: endpoint.id, position: firstPosition })),
    delayMs: 0,
    faults: null,
  }) as const

/**
 * The queue will never take it: a dead letter that an operator sees, where it would else be sent for ever. False where
 * there is a delivery by now, which can't be read.
 */
const giveUp = async (event: LoggedEvent, endpoint: Endpoint, deps: ReconcileDeps): Promise<boolean> => {
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
  const ending = () => endDelivery({ delivery, state: 'dead', reason: 'queue_refused', condition }, deps)
  return (await unlessUnreadable(ownerOf(event, endpoint), ending, deps.reporter)) !== null
}
