import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { type BuiltEvent, buildEvent, eventBodyBytesMax } from '../event/build-event.ts'
import { eventHashBits, eventId } from '../feedback/event-id.ts'
import { rawHash, readRecord } from '../feedback/read-record.ts'
import type { FeedbackRecord, RawRecord } from '../feedback/record.ts'
import type { IntakeCounts, Reporter } from '../happenings.ts'
import type { StreamName } from '../source.ts'
import { daySeconds } from '../time-units.ts'
import type { Enqueue, NewEvent } from './enqueue.ts'
import { logMemoryDays } from './event-log.ts'
import { driftSeconds, type KnownRecords } from './known-records.ts'
import type { Quarantine } from './quarantine.ts'
import type { Anchor } from './walk-state.ts'

/** Hashes of quarantined records that a process remembers, to save writes. */
const keptRememberedMax = 10_000

/** The readable records of a page in its order, and what can't be read. */
export type ReadPage = {
  records: readonly FeedbackRecord[]
  unreadable: readonly { raw: RawRecord; reason: string }[]
  anchors: readonly Anchor[]
}

/** Reads the records of a page; what can't be understood stands apart and takes no part in order or anchors. */
export const readPage = (raw: readonly RawRecord[]): ReadPage => {
  const records: FeedbackRecord[] = []
  const unreadable: { raw: RawRecord; reason: string }[] = []
  for (const one of raw) {
    const read = readRecord(one)
    if (read.kind === 'record') records.push(read.record)
    else unreadable.push({ raw: one, reason: read.reason })
  }
  return { records, unreadable, anchors: records.map(({ uuid, second }) => ({ uuid, second })) }
}

/** What of a page may be sent. */
export type IntakeRules = {
  floorSecond: number
  /** Set once the first walk is complete: a record of an earlier second may have been sent and forgotten. */
  memoryFromSecond: number | null
}

export const noCounts: IntakeCounts = {
  read: 0,
  enqueued: 0,
  known: 0,
  quarantined: 0,
  beforeFloor: 0,
  beyondMemory: 0,
}

export const addCounts = (a: IntakeCounts, b: IntakeCounts): IntakeCounts => ({
  read: a.read + b.read,
  enqueued: a.enqueued + b.enqueued,
  known: a.known + b.known,
  quarantined: a.quarantined + b.quarantined,
  beforeFloor: a.beforeFloor + b.beforeFloor,
  beyondMemory: a.beyondMemory + b.beyondMemory,
})

/**
 * `failure` is set where something is neither enqueued nor kept in quarantine: the page must be read again; by another run
 * where `isSuperseded`.
 */
export type IntakeResult = { counts: IntakeCounts; failure: string | null; isSuperseded?: true }

export type IntakeDeps = {
  known: KnownRecords
  enqueue: Enqueue
  quarantine: Quarantine
  endpoints: () => Promise<readonly Endpoint[]>
  reporter: Reporter
  clock: Clock
}

/**
 * `isOurs`: whether this run still is the one that polls; left out where no run does. Asked before anything is sent: a run
 * that was overtaken while it read a page leaves its new records to the other one, which reads them as well, and would
 * send them a second time.
 */
export type Intake = (
  page: ReadPage,
  rules: IntakeRules,
  isOurs?: () => Promise<boolean>,
) => Promise<IntakeResult>

/** The oldest second of which the log still knows what was sent. */
export const memoryFrom = (nowSecond: number): number => nowSecond - logMemoryDays * daySeconds

/**
 * Makes events of a page's new records and hands them on; each one ends counted under exactly one heading, but for what
 * can't be read and is in quarantine already, and what is to be read again.
 */
export const createIntake = (deps: IntakeDeps, of: { sourceId: string; stream: StreamName }): Intake => {
  const setApart = createSettingApart(deps, of)

  return async (page, rules, isOurs = async () => true) => {
    const counts = { ...noCounts, read: page.records.length + page.unreadable.length }
    for (const { raw, reason } of page.unreadable) {
      // A walk goes by how many of those that have a place in the order were seen before: this one has none.
      if ((await setApart(raw, reason)) === 'quarantined') counts.quarantined += 1
    }

    const candidates = distinct(page.records, of)
    const afterFloor = candidates.filter(({ record }) => record.second >= rules.floorSecond)
    counts.beforeFloor = candidates.length - afterFloor.length
    const lastOfFloor = rules.floorSecond + driftSeconds
    const known = await deps.known.among(
      afterFloor.map(({ id, record: { second } }) => ({ id, second, isOfFloor: second <= lastOfFloor })),
    )
    counts.known = known.size
    const events: { item: NewEvent; raw: RawRecord }[] = []
    for (const { id, record } of afterFloor) {
      if (known.has(id)) continue
      if (rules.memoryFromSecond !== null && record.second < rules.memoryFromSecond) {
        counts.beyondMemory += 1
        continue
      }
      const event = buildEvent({ source: { id: of.sourceId }, stream: of.stream, record })
      if (fits(event)) events.push({ item: { event, recordId: record.uuid }, raw: record.raw })
      else counts[await setApart(record.raw, 'too_large')] += 1
    }
    if (events.length === 0) return { counts, failure: null }
    // At once: what is new waits for no second answer.
    const [endpoints, ours] = await Promise.all([deps.endpoints(), isOurs()])
    if (!ours) return { counts, failure: null, isSuperseded: true }

    const done = await deps.enqueue(
      events.map(({ item }) => item),
      endpoints,
    )
    deps.known.remember(done.recorded.map(({ event }) => event.id))
    counts.enqueued = done.recorded.length
    for (const { event, reason } of done.refused) {
      const raw = events.find(({ item }) => item === event)?.raw
      if (raw !== undefined) counts[await setApart(raw, `queue_refused: ${reason}`)] += 1
      deps.known.remember([event.event.id])
    }
    return { counts, failure: done.failed[0]?.reason ?? null }
  }
}

type Identified = { id: string; record: FeedbackRecord }

/** Each record once, even where a page shows it twice. */
const distinct = (
  records: readonly FeedbackRecord[],
  of: { sourceId: string; stream: StreamName },
): Identified[] => {
  const byBits = new Map<string, Identified>()
  for (const record of records) {
    const id = eventId({ ...of, uuid: record.uuid, second: record.second })
    const bits = eventHashBits(id)
    if (!byBits.has(bits)) byBits.set(bits, { id, record })
  }
  return [...byBits.values()]
}

const fits = (event: BuiltEvent): boolean => event.bodyBytes <= eventBodyBytesMax

/** Keeps a record in quarantine; says under what it is to be counted: `quarantined` once, where it is new there. */
const createSettingApart = (deps: IntakeDeps, of: { sourceId: string; stream: StreamName }) => {
  // The overlap shows a record again and again; what this process kept needs no further write.
  const kept = new Set<string>()
  return async (raw: RawRecord, reason: string): Promise<'quarantined' | 'known'> => {
    const hash = rawHash(raw)
    if (kept.has(hash)) return 'known'
    const result = await deps.quarantine.keep({ ...of, hash, text: raw.text, reason, atMs: deps.clock.now() })
    if (kept.size >= keptRememberedMax) kept.clear()
    kept.add(hash)
    if (result === 'known') return 'known'
    deps.reporter.report({ kind: 'quarantined', source: of.sourceId, stream: of.stream, hash, reason })
    return 'quarantined'
  }
}
