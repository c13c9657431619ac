import type { KeptEvent } from '../polling/event-log.ts'
import type { QuarantinedRecord } from '../polling/quarantine.ts'
import type { StreamName } from '../source.ts'

/** A quarantined record without its text; `parts`: the items that hold that. */
export type QuarantinedHead = Omit<QuarantinedRecord, 'text'> & { parts: number }

/** What the table holds that may be about somebody. Events that were forgotten are left out. */
export type Forgettable =
  | { kind: 'event'; event: KeptEvent }
  | { kind: 'quarantined'; head: QuarantinedHead }
  /** An item that this code can't read: a newer version wrote it, or it is corrupt. */
  | { kind: 'unreadable' }

type EventKey = { sourceId: string; stream: StreamName; eventId: string }

/** `after`: where the next page begins, which is the store's own affair; null at the end. */
export type ForgettablePage = { items: Iterable<Forgettable>; after: unknown }

/** The table as whoever forgets goes through it, and what is left of what is forgotten. */
export interface ForgettableItems {
  /** A part of all there is, of whatever source and day. A page may be empty and not the last. */
  page(after: unknown): Promise<ForgettablePage>
  /** Leaves of an event what makes it known, so that no re-reading brings it back, and no body. */
  forgetEvent(key: EventKey, atMs: number): Promise<'forgotten' | 'missing'>
  /** Leaves of a record its hash, with the reason `forgotten`. What is interrupted is done by doing it again. */
  forgetQuarantined(head: QuarantinedHead): Promise<void>
}
