import type { FeedbackRecord } from '../feedback/record.ts'
import { textOf } from '../feedback/record-fields.ts'
import type { StreamName } from '../source.ts'

/** Every type of event, with those of no record: an operator's test, and a heartbeat (DESIGN.md, section 5). */
export const eventTypes = [
  'email.bounce.hard',
  'email.bounce.soft',
  'email.bounce.expired',
  'email.bounce.other',
  'email.complaint',
  'webhook.test',
  'webhook.heartbeat',
] as const
export type EventType = (typeof eventTypes)[number]
/** The types that a record can become. */
export type RecordEventType = Exclude<EventType, `webhook.${string}`>
export type BounceEventType = Exclude<RecordEventType, 'email.complaint'>

/** The kinds of bounce that the service names with one letter (feedback-api.md, section 2.1). */
export type BounceKind = 'hard' | 'soft' | 'expired' | 'other'

/** What a record's `bounce_type` says; other for a letter that the specification does not know, or none. */
export const bounceKindOf = (record: FeedbackRecord): BounceKind => {
  switch (textOf(record.raw.value, 'bounce_type')) {
    case 'h':
      return 'hard'
    case 's':
      return 'soft'
    case 'e':
      return 'expired'
    default:
      return 'other'
  }
}

/** The type of a record's event. */
export const eventTypeOf = (record: FeedbackRecord, stream: StreamName): RecordEventType =>
  stream === 'complaints' ? 'email.complaint' : `email.bounce.${bounceKindOf(record)}`
