import type { Delivery } from '../delivery/delivery.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EventLog, EventSummary } from '../polling/event-log.ts'
import { type BeginDeps, beginFirstRound, beginNextRound } from './next-round.ts'
import { createPace, type Pace } from './pace.ts'
import { type Because, judgeEvent, type LeftOut, type Only } from './recover-rules.ts'
import type { ReplayPlan, ReplayPlanStore } from './replay-plan.ts'
import { fitsFilters, fitsTypes } from './wanted-events.ts'

/** Events that are looked at together: as many deliveries are read, and written, at once. */
export const eventsAtOnceMax = 100

export type RecoverDeps = BeginDeps & {
  log: Pick<EventLog, 'read'>
  plans: Pick<ReplayPlanStore, 'put' | 'remove'>
}

export type ToRecover = {
  endpoint: Endpoint
  only: Only
  /** Of the log, in the order of their ids. */
  events: AsyncIterable<EventSummary>
  plan: ReplayPlan
  /** The second before which nothing of a stream is ever sent; null where it is not known. */
  floorSecondOf: (event: EventSummary) => number | null
  ratePerSecond: number
  /** Nothing is written: what would be done is counted. */
  isDryRun: boolean
  /** Aborted: the events under way are finished, and no others begun. */
  signal: AbortSignal
  onProgress: (at: { set: number; eventId: string }) => void
}

export type Recovered = {
  looked: number
  /** Deliveries that were set to waiting, by what they were before. */
  set: Record<Because, number>
  left: Record<LeftOut | 'movedOn', number>
  /** The last due time that was given; null where none was. */
  lastDueMs: number | null
  complete: boolean
}

type Found = { event: EventSummary; delivery: Delivery | null; because: Because }

/**
 * Delivers events of the log to an endpoint, by setting deliveries to waiting with due times spread by the rate; it sends
 * nothing itself (DESIGN.md, section 6.5). Events that its types and filters leave out are left out. The plan is kept
 * after every step, so that the same call goes on after an interruption and sets nothing twice.
 */
export const recover = async (of: ToRecover, deps: RecoverDeps): Promise<Recovered> => {
  const pace = createPace({ fromMs: of.plan.nextDueMs, ratePerSecond: of.ratePerSecond })
  const total: Recovered = {
    looked: 0,
    set: { missing: 0, dead: 0, delivered: 0, cancelled: 0 },
    left: noneLeft(),
    lastDueMs: null,
    complete: false,
  }
  const keep = async (placeId: string | null): Promise<void> => {
    if (of.isDryRun) return
    await deps.plans.put({ ...of.plan, placeId, nextDueMs: Math.round(pace.nextMs()) })
  }
  await keep(of.plan.placeId)
  for await (const events of together(of.events)) {
    if (of.signal.aborted) return total
    await step(events, of, { total, pace }, deps)
    const eventId = events.at(-1)?.id ?? ''
    await keep(eventId)
    of.onProgress({ set: sumOf(total.set), eventId })
  }
  if (of.signal.aborted) return total
  if (!of.isDryRun) await deps.plans.remove(of.plan.name)
  return { ...total, complete: true }
}

const noneLeft = (): Recovered['left'] => ({
  unwanted: 0,
  unsettled: 0,
  onItsWay: 0,
  seenAtStart: 0,
  notAsked: 0,
  since: 0,
  expired: 0,
  forgotten: 0,
  movedOn: 0,
})

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

const step = async (
  events: readonly EventSummary[],
  of: ToRecover,
  { total, pace }: { total: Recovered; pace: Pace },
  deps: RecoverDeps,
): Promise<void> => {
  total.looked += events.length
  const ofType = events.filter(event => fitsTypes(event, of.endpoint))
  const candidates: Found[] = []
  total.left.unwanted += events.length - ofType.length
  const deliveries = await readDeliveries(ofType, of.endpoint.id, deps)
  for (const event of ofType) {
    const delivery = deliveries.get(event.id) ?? null
    const floorSecond = of.floorSecondOf(event)
    const judged = judgeEvent({ ...of, event, delivery, floorSecond, nowMs: deps.clock.now() })
    if (judged.kind === 'left') total.left[judged.why] += 1
    else candidates.push({ event, delivery, because: judged.because })
  }
  // Filters need bodies: read of those alone that are to be sent.
  const fits = await Promise.all(candidates.map(({ event }) => fitsFilters(event, of.endpoint, deps.log)))
  const found = candidates.filter((_, at) => fits[at] === true)
  total.left.unwanted += candidates.length - found.length
  await Promise.all(
    found.map(async each => {
      const dueMs = pace.take()
      const result = of.isDryRun ? 'begun' : await begin(each, { endpointId: of.endpoint.id, dueMs }, deps)
      if (result === 'moved_on') total.left.movedOn += 1
      else total.set[each.because] += 1
    }),
  )
  if (found.length > 0) total.lastDueMs = pace.lastMs()
}

const begin = (
  { event, delivery }: Found,
  { endpointId, dueMs }: { endpointId: string; dueMs: number },
  deps: RecoverDeps,
) => {
  const how = { dueMs, reason: 'recovered_by_operator' } as const
  return delivery === null
    ? beginFirstRound(event, { ...how, endpointId }, deps)
    : beginNextRound(delivery, how, deps)
}

const readDeliveries = async (
  events: readonly EventSummary[],
  endpointId: string,
  { store }: RecoverDeps,
): Promise<Map<string, Delivery>> => {
  if (events.length === 0) return new Map()
  const found = await store.readMany(events.map(({ id }) => ({ endpointId, eventId: id })))
  return new Map(found.map(delivery => [delivery.eventId, delivery]))
}

async function* together(events: AsyncIterable<EventSummary>): AsyncGenerator<EventSummary[]> {
  let some: EventSummary[] = []
  for await (const event of events) {
    some.push(event)
    if (some.length < eventsAtOnceMax) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
