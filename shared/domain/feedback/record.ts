/** One element of a page's `results`: as text, which is what we keep and send on, and as the value it parses to. */
export type RawRecord = { text: string; value: unknown }

/** A record that can be understood: it has an id and a time. */
export type FeedbackRecord = {
  uuid: string
  /** `timelogged`, truncated to the second: Unix seconds. */
  second: number
  raw: RawRecord & { value: Readonly<Record<string, unknown>> }
}

/** Why a record can't be understood. Such a record is quarantined; the stream goes on. */
export type UnreadableReason = 'not_an_object' | 'no_uuid' | 'no_usable_time' | 'too_large'

export type ReadRecord =
  | { kind: 'record'; record: FeedbackRecord }
  | { kind: 'unreadable'; reason: UnreadableReason; raw: RawRecord }
