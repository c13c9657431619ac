import { eventId } from '../feedback/event-id.ts'
import { rawHash } from '../feedback/read-record.ts'
import type { FeedbackRecord, RawRecord } from '../feedback/record.ts'
import { type Intake, type IntakeResult, noCounts, type ReadPage } from '../polling/intake.ts'
import type { KnownRecords } from '../polling/known-records.ts'
import type { Quarantine } from '../polling/quarantine.ts'
import type { StreamName } from '../source.ts'
import { type IdSet, idsMax } from './id-set.ts'
import { type MissingRecord, noRecordCounts, type RecordCounts } from './record-counts.ts'

/** Missing records that are named; of more, their number alone is told. */
export const namedMax = 1_000
/** Hashes of records that can't be understood, kept so that each counts once: some 20 MB. */
const unreadableMax = 100_000

export type AuditedStream = { sourceId: string; stream: StreamName }

export type PageComparer = {
  /** Compares the records of a page; a walk goes on by what it says (see `IntakeResult`). */
  compare(page: ReadPage, range: { fromSecond: number; untilSecond: number }): Promise<IntakeResult>
  counts(): RecordCounts
  /** The first of them. */
  missing(): readonly MissingRecord[]
}

export type PageComparerDeps = {
  known: KnownRecords
  seen: IdSet
  quarantine: Quarantine
  floorSecond: number
  /** The newest second that the poller has read of the stream, at this moment; null where it has read nothing. */
  readUntil: () => Promise<number | null>
  /** Enqueues the poller's way; null where nothing is to be repaired. */
  repair: Intake | null
}

type Candidate = { id: string; record: FeedbackRecord }
type Unreadable = ReadPage['unreadable'][number]

/**
 * Compares what the service shows with the log, page by page and by event id. A record that is shown on two pages counts
 * once. Read the page first: what the log has by then can't be missing for having been read in between.
 */
export const createPageComparer = (of: AuditedStream, deps: PageComparerDeps): PageComparer => {
  const counts: RecordCounts = { ...noRecordCounts }
  const missing: MissingRecord[] = []
  /** Hashes of what can't be understood. */
  const unreadable = new Set<string>()

  const note = (record: MissingRecord): void => {
    counts.missing += 1
    if (record.repaired) counts.repaired += 1
    if (missing.length < namedMax) missing.push(record)
  }

  const isQuarantined = async (raw: RawRecord): Promise<boolean> =>
    (await deps.quarantine.read({ ...of, hash: rawHash(raw) })) !== null

  /** Those that are neither known, nor set apart, nor still to be read. */
  const sift = async (candidates: readonly Candidate[], known: ReadonlySet<string>): Promise<Candidate[]> => {
    const lost: Candidate[] = []
    for (const candidate of candidates) {
      const { id, record } = candidate
      if (!deps.seen.add(id)) continue
      counts.atService += 1
      if (known.has(id)) counts.inLog += 1
      else if (record.second < deps.floorSecond) counts.beforeFloor += 1
      else if (await isQuarantined(record.raw)) counts.quarantined += 1
      else lost.push(candidate)
    }
    if (lost.length === 0) return lost
    const readUntil = await deps.readUntil()
    const overdue = lost.filter(({ record }) => readUntil !== null && record.second <= readUntil)
    counts.notReadYet += lost.length - overdue.length
    return overdue
  }

  const siftUnreadable = async (page: ReadPage): Promise<Unreadable[]> => {
    const lost: Unreadable[] = []
    for (const one of page.unreadable) {
      const hash = rawHash(one.raw)
      if (unreadable.has(hash)) continue
      unreadable.add(hash)
      counts.atService += 1
      if (await isQuarantined(one.raw)) counts.quarantined += 1
      else lost.push(one)
    }
    return lost
  }

  /** Says whether all of them are settled now. */
  const repair = async (lost: readonly Candidate[], odd: readonly Unreadable[]): Promise<boolean> => {
    if (deps.repair === null || lost.length + odd.length === 0) return false
    const page = { records: lost.map(({ record }) => record), unreadable: odd, anchors: [] }
    const rules = { floorSecond: deps.floorSecond, memoryFromSecond: null }
    return (await deps.repair(page, rules)).failure === null
  }

  return {
    compare: async (page, { fromSecond, untilSecond }) => {
      const all = page.records.map(record => ({ record, id: eventId({ ...of, ...record }) }))
      const known = await deps.known.among(all.map(({ id, record }) => ({ id, second: record.second })))
      const inRange = all.filter(({ record }) => record.second >= fromSecond && record.second <= untilSecond)
      const lost = await sift(inRange, known)
      // What can't be understood may have no time: it belongs to the range where something on its page does.
      const odd = inRange.length > 0 || all.length === 0 ? await siftUnreadable(page) : []
      const repaired = await repair(lost, odd)
      for (const { id, record } of lost) {
        note({ eventId: id, record: record.uuid, second: record.second, repaired })
      }
      for (const { raw } of odd) note({ eventId: null, record: rawHash(raw), second: null, repaired })
      const beforeFloor = all.filter(({ record }) => record.second < deps.floorSecond).length
      const isFull = deps.seen.size >= idsMax || unreadable.size >= unreadableMax
      return {
        counts: { ...noCounts, known: known.size, beforeFloor },
        failure: isFull ? 'too_many_records' : null,
      }
    },
    counts: () => ({ ...counts }),
    missing: () => missing,
  }
}
