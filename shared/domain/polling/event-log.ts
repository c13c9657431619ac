import type { BridgeError } from '../bridge-error.ts'
import type { StreamName } from '../source.ts'

/** An event as the log keeps it. In the log means: enqueued for every endpoint that matched. */
export type LoggedEvent = {
  id: string
  sourceId: string
  stream: StreamName
  type: string
  /** The record's uuid: what a `last_id` needs. */
  recordId: string
  /** The record's time: Unix seconds. */
  second: number
  /** The JSON text that is signed and sent. */
  body: string
  /** The endpoints it matched when it was enqueued; empty where it was only logged as seen. */
  endpointIds: readonly string[]
  loggedAtMs: number
  expiresAtSeconds: number
}

/** What anchors, dedupe and reconcile need of an event: everything but its body. */
export type EventSummary = Omit<LoggedEvent, 'body'> & {
  /** When an operator had its recipient forgotten; absent where nobody did. */
  forgottenAtMs?: number
}

/**
 * What is left of an event whose recipient was forgotten: it is known, so that no re-reading brings it back, and there is
 * nothing to send any more.
 */
export type ForgottenEvent = Omit<LoggedEvent, 'body'> & { forgottenAtMs: number; body: null }

/** An event of the log, with its body or forgotten. */
export type KeptEvent = LoggedEvent | ForgottenEvent

/** A page of a day. Of an event whose item this version can't read, its id and why. */
export type PageOfDay = {
  events: EventSummary[]
  unreadable: { id: string; error: BridgeError }[]
  nextFromId: string | null
}

/** Events live this long from their write: longer than the service keeps a record (field notes, "retention"). */
export const eventLifeDays = 35
/** A record older than this may have been sent and forgotten: its absence from the log says nothing. */
export const logMemoryDays = 34

/**
 * Every event that was enqueued, by time. Reads are consistent, but where it is said that a stale one will do: such an
 * answer may lack what was written in the last moments.
 */
export interface EventLog {
  /** The ids of events within an inclusive range of ids, which lie in one day. */
  idsInRange(range: {
    sourceId: string
    stream: StreamName
    firstId: string
    lastId: string
    staleWillDo?: boolean
  }): Promise<string[]>
  /** Those of the ids that are in the log. */
  existing(query: {
    sourceId: string
    stream: StreamName
    ids: readonly string[]
    staleWillDo?: boolean
  }): Promise<Set<string>>
  /** Writes all of them; returns the ids known to be written. Throws only where that is none of them. */
  record(events: readonly LoggedEvent[]): Promise<Set<string>>
  read(key: { sourceId: string; stream: StreamName; eventId: string }): Promise<KeptEvent | null>
  /**
   * The newest events of one day with a second at or before `untilSecond`, newest first, at most `limit`; of those that
   * this version can read.
   */
  newestOfDay(query: {
    sourceId: string
    stream: StreamName
    day: string
    untilSecond: number
    limit: number
  }): Promise<EventSummary[]>
  /** A page of a day's events in the order of their ids, from `fromId` on (inclusive), at most `limit` of all. */
  pageOfDay(query: {
    sourceId: string
    stream: StreamName
    day: string
    fromId: string
    limit: number
  }): Promise<PageOfDay>
}
