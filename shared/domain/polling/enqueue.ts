import type { Clock } from '../clock.ts'
import { encodeMessage, messageVersion } from '../delivery/delivery-message.ts'
import type { DeliveryQueue, EntryResult, QueueEntry } from '../delivery/delivery-queue.ts'
import { firstPosition } from '../delivery/position.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { BuiltEvent } from '../event/build-event.ts'
import { matchesEndpoint } from '../event/subscriptions.ts'
import { eventDay } from '../feedback/event-id.ts'
import type { Reporter } from '../happenings.ts'
import type { ReconcileMarks } from '../release/reconcile-marks.ts'
import type { StreamName } from '../source.ts'
import { daySeconds, hourMs } from '../time-units.ts'
import { type EventLog, eventLifeDays, type LoggedEvent } from './event-log.ts'

/** An event with what the log needs beside it. */
export type NewEvent = { event: BuiltEvent; recordId: string }

/** Messages that are in memory at once; a page to very many endpoints goes out in parts. */
export const messagesAtOnceMax = 1_000

export type Enqueued = {
  /** In the log now. */
  recorded: NewEvent[]
  /** The queue will never take them. */
  refused: { event: NewEvent; reason: string }[]
  /** Not enqueued, or not recorded: to be read again. */
  failed: { event: NewEvent; reason: string }[]
}

export type EnqueueDeps = {
  queue: DeliveryQueue
  log: EventLog
  marks: ReconcileMarks
  reporter: Reporter
  clock: Clock
}

export type Enqueue = (events: readonly NewEvent[], endpoints: readonly Endpoint[]) => Promise<Enqueued>

/**
 * Sends events to the queue for every endpoint that they match, then writes those that were sent to the log: in this
 * order, since a claim written before the send turns a crash into a loss (DESIGN.md, invariant 4). What was sent is
 * recorded even where the rest fails.
 */
export const createEnqueue = (deps: EnqueueDeps, of: { sourceId: string; stream: StreamName }): Enqueue => {
  const { queue, log, reporter, clock } = deps
  const mark = createMarking(deps.marks, of)

  const enqueuePart = async (part: readonly Matched[]): Promise<Enqueued> => {
    const now = clock.now()
    const expiresAtSeconds = Math.floor(now / 1000) + eventLifeDays * daySeconds
    await mark(
      part.map(({ item }) => item.event.id),
      now,
    )
    const entries = part.map(matched => entriesOf(matched, of, { now, expiresAtSeconds }))
    const flat = entries.flat()
    const results = flat.length === 0 ? [] : await queue.send(flat)
    const outcome: Enqueued = { recorded: [], refused: [], failed: [] }
    const sent: Matched[] = []
    let at = 0
    for (const [index, matched] of part.entries()) {
      const count = entries[index]?.length ?? 0
      const verdict = worst(results.slice(at, at + count), count)
      at += count
      if (verdict.kind === 'sent') sent.push(matched)
      else outcome[verdict.kind].push({ event: matched.item, reason: verdict.reason })
    }
    const logged = sent.map(matched => toLogged(matched, of, { now, expiresAtSeconds }))
    const written = logged.length === 0 ? new Set<string>() : await log.record(logged)
    for (const { item, endpoints } of sent) {
      if (!written.has(item.event.id)) {
        outcome.failed.push({ event: item, reason: 'log_failed' })
        continue
      }
      outcome.recorded.push(item)
      reporter.report({
        kind: 'enqueued',
        source: of.sourceId,
        stream: of.stream,
        event: item.event.id,
        type: item.event.type,
        endpoints: endpoints.map(({ id }) => id),
        ageMs: now - item.event.second * 1000,
      })
    }
    return outcome
  }

  return async (events, endpoints) => {
    const matched = events.map(item => ({ item, endpoints: matching(item, endpoints, of.sourceId) }))
    const outcome: Enqueued = { recorded: [], refused: [], failed: [] }
    for (const part of partsOf(matched)) {
      const done = await enqueuePart(part)
      outcome.recorded.push(...done.recorded)
      outcome.refused.push(...done.refused)
      outcome.failed.push(...done.failed)
    }
    return outcome
  }
}

type Matched = { item: NewEvent; endpoints: readonly Endpoint[] }
type Times = { now: number; expiresAtSeconds: number }

const matching = (item: NewEvent, endpoints: readonly Endpoint[], sourceId: string): Endpoint[] =>
  endpoints.filter(
    endpoint =>
      // A disabled endpoint still matches: its deliveries are held, not dropped.
      endpoint.state !== 'removed' &&
      matchesEndpoint({ type: item.event.type, facts: item.event.facts, sourceId }, endpoint),
  )

const partsOf = (matched: readonly Matched[]): Matched[][] => {
  const parts: Matched[][] = []
  let part: Matched[] = []
  let messages = 0
  for (const one of matched) {
    if (part.length > 0 && messages + one.endpoints.length > messagesAtOnceMax) {
      parts.push(part)
      part = []
      messages = 0
    }
    part.push(one)
    messages += one.endpoints.length
  }
  if (part.length > 0) parts.push(part)
  return parts
}

const entriesOf = (
  { item, endpoints }: Matched,
  of: { sourceId: string; stream: StreamName },
  times: Times,
): QueueEntry[] =>
  endpoints.map(endpoint => ({
    lane: endpoint.slow ? 'slow' : 'fast',
    group: endpoint.id,
    body: encodeMessage({
      v: messageVersion,
      eventId: item.event.id,
      endpointId: endpoint.id,
      sourceId: of.sourceId,
      stream: of.stream,
      type: item.event.type,
      ...firstPosition,
      enqueuedAtMs: times.now,
      expiresAtSeconds: times.expiresAtSeconds,
      body: item.event.body,
      deliveredBy: null,
    }),
    delayMs: 0,
    faults: null,
  }))

/** An event is sent when all of its messages are: what failed may be sent again, what is refused never. */
const worst = (results: readonly EntryResult[], count: number): EntryResult => {
  const refused = results.find(({ kind }) => kind === 'refused')
  if (refused !== undefined) return refused
  const failed = results.find(({ kind }) => kind === 'failed')
  if (failed !== undefined) return failed
  return results.length === count ? { kind: 'sent' } : { kind: 'failed', reason: 'no_result' }
}

const toLogged = (
  { item, endpoints }: Matched,
  of: { sourceId: string; stream: StreamName },
  times: Times,
): LoggedEvent => ({
  id: item.event.id,
  sourceId: of.sourceId,
  stream: of.stream,
  type: item.event.type,
  recordId: item.recordId,
  second: item.event.second,
  body: item.event.body,
  endpointIds: endpoints.map(({ id }) => id),
  loggedAtMs: times.now,
  expiresAtSeconds: times.expiresAtSeconds,
})

/** Marks, before anything is sent, which days and ids reconcile has to compare; once an hour and day, if no lower. */
const createMarking = (marks: ReconcileMarks, of: { sourceId: string; stream: StreamName }) => {
  let markedHour = -1
  let lowestOfDay = new Map<string, string>()
  return async (ids: readonly string[], now: number): Promise<void> => {
    const hour = Math.floor(now / hourMs)
    if (hour !== markedHour) {
      markedHour = hour
      lowestOfDay = new Map()
    }
    const lowest = new Map<string, string>()
    for (const id of ids) {
      const day = eventDay(id)
      const low = lowest.get(day)
      if (low === undefined || id < low) lowest.set(day, id)
    }
    for (const [day, lowestId] of lowest) {
      const marked = lowestOfDay.get(day)
      if (marked !== undefined && marked <= lowestId) continue
      await marks.lower({ ...of, hour, day, lowestId })
      lowestOfDay.set(day, lowestId)
    }
  }
}
