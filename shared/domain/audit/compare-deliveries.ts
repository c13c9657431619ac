import type { Clock } from '../clock.ts'
import { type DeliveryKey, type DeliveryState, deliveryStates } from '../delivery/delivery.ts'
import { type DeliveryStore, deliveriesReadMax } from '../delivery/delivery-store.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { dayOfSecond, eventIdRange } from '../feedback/event-id.ts'
import type { EventLog, EventSummary } from '../polling/event-log.ts'
import { reconciledAfterMs } from '../release/due-marks.ts'
import { daySeconds } from '../time-units.ts'
import { type AuditedStream, namedMax } from './compare-page.ts'
import type { IdSet } from './id-set.ts'

/** Events of the log that are compared at a time, and reads of their deliveries that are under way at once. */
const eventsAtOnceMax = 200
const readsAtOnceMax = 4

/** Where an event stands for an endpoint that it matched. */
export type Standing =
  | DeliveryState
  /** Logged within the hour: no attempt has been settled yet. */
  | 'queued'
  /** Logged longer ago, and there is no delivery. */
  | 'missing'
  /** The endpoint was removed, or the event has expired or was forgotten: there is no delivery, nor need there be one. */
  | 'not_due'

export const standings = [
  ...deliveryStates,
  'queued',
  'missing',
  'not_due',
] as const satisfies readonly Standing[]

export type EndpointCounts = Record<Standing, number>

export type MissingDelivery = { eventId: string; endpointId: string; repaired: boolean }

export type LogComparison = {
  /** Events of the log within the range. */
  events: number
  /** Of them, those that the service does not show now; null where it was not walked. */
  notAtService: number | null
  /** By endpoint, each with what matched it. */
  endpoints: ReadonlyMap<string, EndpointCounts>
  missing: number
  repaired: number
  /** The first that are missing. */
  named: readonly MissingDelivery[]
}

export type CompareDeliveriesDeps = {
  log: EventLog
  store: DeliveryStore
  endpoints: ReadonlyMap<string, Endpoint>
  clock: Clock
  signal: AbortSignal
  /** What the walk saw; null where it saw not all. */
  seen: IdSet | null
  /** Sends what is missing of events of one day; says whether all of it was sent. Null where nothing is to be repaired. */
  repair: ((events: readonly EventSummary[]) => Promise<boolean>) | null
  onPage: (second: number | null) => void
}

/** Compares the log's events of a range with their deliveries, page by page; null where it was interrupted. */
export const compareDeliveries = async (
  of: AuditedStream & { fromSecond: number; untilSecond: number; startedAtMs: number },
  deps: CompareDeliveriesDeps,
): Promise<LogComparison | null> => {
  const tally = newTally(deps.seen !== null)
  for (const { day, firstId, lastId } of daysOf(of)) {
    let fromId: string | null = firstId
    while (fromId !== null && fromId <= lastId) {
      if (deps.signal.aborted) return null
      const query = { sourceId: of.sourceId, stream: of.stream, day, fromId, limit: eventsAtOnceMax }
      const page = await deps.log.pageOfDay(query)
      // Counts that leave out an event would be taken for all.
      const [unreadable] = page.unreadable
      if (unreadable !== undefined) throw unreadable.error
      const events = page.events.filter(({ id }) => id <= lastId)
      await comparePage(events, of, deps, tally)
      deps.onPage(events.at(-1)?.second ?? null)
      fromId = page.nextFromId
    }
  }
  return tally
}

const daysOf = ({ fromSecond, untilSecond }: { fromSecond: number; untilSecond: number }) => {
  const days: { day: string; firstId: string; lastId: string }[] = []
  for (let from = Math.max(0, fromSecond); from <= untilSecond; ) {
    const endOfDay = (Math.floor(from / daySeconds) + 1) * daySeconds - 1
    const { first, last } = eventIdRange(from, Math.min(untilSecond, endOfDay))
    days.push({ day: dayOfSecond(from), firstId: first, lastId: last })
    from = endOfDay + 1
  }
  return days
}

type Tally = {
  events: number
  notAtService: number | null
  endpoints: Map<string, EndpointCounts>
  missing: number
  repaired: number
  named: MissingDelivery[]
}

const newTally = (isWalked: boolean): Tally => ({
  events: 0,
  notAtService: isWalked ? 0 : null,
  endpoints: new Map(),
  missing: 0,
  repaired: 0,
  named: [],
})

const comparePage = async (
  events: readonly EventSummary[],
  { startedAtMs }: { startedAtMs: number },
  deps: CompareDeliveriesDeps,
  tally: Tally,
): Promise<void> => {
  tally.events += events.length
  if (deps.seen !== null && tally.notAtService !== null) {
    const { seen } = deps
    // What was logged since the walk began may have become visible behind it.
    tally.notAtService += events.filter(
      ({ id, loggedAtMs }) => loggedAtMs < startedAtMs && !seen.has(id),
    ).length
  }
  const states = await readStates(events, deps)
  const missing: { event: EventSummary; endpointId: string }[] = []
  for (const event of events) {
    for (const endpointId of event.endpointIds) {
      const standing =
        states.get(keyText({ endpointId, eventId: event.id })) ?? withoutDelivery(event, endpointId, deps)
      countOf(tally, endpointId)[standing] += 1
      if (standing === 'missing') missing.push({ event, endpointId })
    }
  }
  await noteMissing(missing, deps, tally)
}

const noteMissing = async (
  missing: readonly { event: EventSummary; endpointId: string }[],
  { repair }: CompareDeliveriesDeps,
  tally: Tally,
): Promise<void> => {
  if (missing.length === 0) return
  const repaired = (await repair?.([...new Set(missing.map(({ event }) => event))])) ?? false
  tally.missing += missing.length
  if (repaired) tally.repaired += missing.length
  for (const { event, endpointId } of missing) {
    if (tally.named.length < namedMax) tally.named.push({ eventId: event.id, endpointId, repaired })
  }
}

const countOf = ({ endpoints }: Tally, endpointId: string): EndpointCounts => {
  const counts = endpoints.get(endpointId) ?? {
    waiting: 0,
    held: 0,
    delivered: 0,
    dead: 0,
    cancelled: 0,
    queued: 0,
    missing: 0,
    not_due: 0,
  }
  endpoints.set(endpointId, counts)
  return counts
}

const keyText = ({ endpointId, eventId }: DeliveryKey): string => `${eventId} ${endpointId}`

/** Consistent reads: a delivery that was settled a moment ago is not missed. */
const readStates = async (
  events: readonly EventSummary[],
  { store }: CompareDeliveriesDeps,
): Promise<Map<string, DeliveryState>> => {
  const keys = events.flatMap(({ id, endpointIds }) =>
    endpointIds.map(endpointId => ({ endpointId, eventId: id })),
  )
  const states = new Map<string, DeliveryState>()
  for (let at = 0; at < keys.length; at += deliveriesReadMax * readsAtOnceMax) {
    const parts = Array.from({ length: readsAtOnceMax }, (_, part) => {
      const start = at + part * deliveriesReadMax
      return keys.slice(start, start + deliveriesReadMax)
    })
    const read = await Promise.all(parts.map(part => (part.length === 0 ? [] : store.readMany(part))))
    for (const delivery of read.flat()) states.set(keyText(delivery), delivery.state)
  }
  return states
}

const withoutDelivery = (
  event: EventSummary,
  endpointId: string,
  { endpoints, clock }: CompareDeliveriesDeps,
): Standing => {
  const endpoint = endpoints.get(endpointId)
  const nowMs = clock.now()
  const isOver = event.expiresAtSeconds * 1_000 <= nowMs
  const isForgotten = event.forgottenAtMs !== undefined
  if (endpoint === undefined || endpoint.state === 'removed' || isOver || isForgotten) return 'not_due'
  return event.loggedAtMs > nowMs - reconciledAfterMs ? 'queued' : 'missing'
}
