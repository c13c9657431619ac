import type { Clock } from '../clock.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { eventId } from '../feedback/event-id.ts'
import { readRecord } from '../feedback/read-record.ts'
import type { RawRecord, ReadRecord } from '../feedback/record.ts'
import type { Reporter } from '../happenings.ts'
import type { ReconcileMarks } from '../release/reconcile-marks.ts'
import type { StreamName } from '../source.ts'
import type { CursorStore } from './cursor.ts'
import { createEnqueue } from './enqueue.ts'
import type { EventLog } from './event-log.ts'
import { createIntake, readPage } from './intake.ts'
import { createKnownRecords } from './known-records.ts'
import type { QuarantinedRecord } from './quarantine.ts'

/** What became of a quarantined record that was read again. Only the first two need it no more. */
export type RetryResult =
  | { kind: 'enqueued'; eventId: string }
  /** The log has its event already. */
  | { kind: 'known'; eventId: string }
  /** `reason`: why it would be quarantined again today. */
  | { kind: 'unreadable'; reason: string }
  /** No record of before the floor is ever sent. */
  | { kind: 'before_floor' }
  /** Nobody knows yet where the stream begins. */
  | { kind: 'not_started' }
  /** The queue or the log did not take it now. */
  | { kind: 'failed'; reason: string }

export type RetryDeps = {
  cursors: CursorStore
  log: EventLog
  marks: ReconcileMarks
  queue: DeliveryQueue
  endpoints: () => Promise<readonly Endpoint[]>
  reporter: Reporter
  clock: Clock
}

/** Reads a kept text as today's code would. Pure. */
export const readQuarantined = ({ text }: Pick<QuarantinedRecord, 'text'>): ReadRecord =>
  readRecord(rawOf(text))

/**
 * Reads quarantined records of a stream again and sends them the poller's way: enqueue, then log; so that nothing is sent
 * twice, and a crash between the two costs no more than another retry. They count as asked for, however old: what is in
 * quarantine was never sent. Takes nothing out of quarantine: that is for the caller, who knows the result.
 */
export const createRetryQuarantined = (
  deps: RetryDeps,
  of: { sourceId: string; stream: StreamName },
): ((record: Pick<QuarantinedRecord, 'text'>) => Promise<RetryResult>) => {
  const known = createKnownRecords({ log: deps.log, ...of })
  const enqueue = createEnqueue(deps, of)

  return async ({ text }) => {
    const raw = rawOf(text)
    const read = readRecord(raw)
    if (read.kind === 'unreadable') return { kind: 'unreadable', reason: read.reason }
    const found = await deps.cursors.read({ ...of, name: 'main' })
    const floorSecond = found?.cursor.floorSecond ?? null
    if (floorSecond === null) return { kind: 'not_started' }
    let refusedFor: string | null = null
    const quarantine = {
      keep: async ({ reason }: QuarantinedRecord) => {
        refusedFor = reason
        return 'known' as const
      },
      read: async () => null,
    }
    const intake = createIntake({ ...deps, known, enqueue, quarantine }, of)
    const { counts, failure } = await intake(readPage([raw]), { floorSecond, memoryFromSecond: null })
    const id = eventId({ ...of, uuid: read.record.uuid, second: read.record.second })
    if (failure !== null) return { kind: 'failed', reason: failure }
    if (refusedFor !== null) return { kind: 'unreadable', reason: refusedFor }
    if (counts.beforeFloor > 0) return { kind: 'before_floor' }
    return counts.known > 0 ? { kind: 'known', eventId: id } : { kind: 'enqueued', eventId: id }
  }
}

/** A text that is no JSON can be no record: it reads as null. */
const rawOf = (text: string): RawRecord => {
  try {
    return { text, value: JSON.parse(text) }
  } catch {
    return { text, value: null }
  }
}
