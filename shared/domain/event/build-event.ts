import { eventId } from '../feedback/event-id.ts'
import type { FeedbackRecord } from '../feedback/record.ts'
import { textOf } from '../feedback/record-fields.ts'
import type { StreamName } from '../source.ts'
import { parseAddress, parseHeaderFrom, parseRecipient } from './addresses.ts'
import { bounceKindOf, eventTypeOf, type RecordEventType } from './event-types.ts'
import { parseListUnsubscribe } from './list-unsubscribe.ts'
import { parseSmtpCodes } from './smtp-codes.ts'
import {
  type SuggestedAction,
  suggestedActionForBounce,
  suggestedActionForComplaint,
} from './suggested-action.ts'

/** An event's JSON in UTF-8 has at most this many bytes: an item of the table has 400 KB. */
export const eventBodyBytesMax = 380 * 1024
/** What remains of a normalised text where the event would be larger; `raw` keeps the whole. */
export const cutTextCharsMax = 2048

/** What filters and displays need of an event, so that nobody parses its body. */
export type EventFacts = {
  senderDomain: string | null
  recipientDomain: string | null
  bounceCategory: string | null
  suggestedAction: SuggestedAction
}

export type BuiltEvent = {
  id: string
  type: RecordEventType
  /** The record's Unix second. */
  second: number
  /** The JSON text that is signed and sent. */
  body: string
  /** Its bytes in UTF-8: at most `eventBodyBytesMax` for a record of at most `recordBytesMax`. */
  bodyBytes: number
  facts: EventFacts
}

/** Where a record comes from. */
type Origin = { source: { id: string }; stream: StreamName; record: FeedbackRecord }

/**
 * The event of a record (DESIGN.md, section 5): a function of its arguments alone. A field of the wrong type is null
 * in the normalised part; `raw` is the record's own text, letter by letter, so that numbers beyond 2^53, repeated
 * keys and escaped surrogates arrive as the service wrote them. Never throws for a record that was read.
 */
export const buildEvent = (origin: Origin): BuiltEvent => {
  const { source, stream, record } = origin
  const id = eventId({ sourceId: source.id, stream, uuid: record.uuid, second: record.second })
  const type = eventTypeOf(record, stream)
  const text: TextOf = key => textOf(record.raw.value, key)
  const recipient = parseRecipient(text('rcpt'))
  const sender = parseHeaderFrom(text('header_from'))
  const about = stream === 'complaints' ? complaintPart(text) : bouncePart(record, text)
  const event = {
    id,
    type,
    timestamp: new Date(record.second * 1000).toISOString(),
    data: {
      source: { id: source.id, stream, record_id: record.uuid },
      recipient,
      sender: { ...sender, envelope_from: parseAddress(text('orig'))?.address ?? null },
      ...about,
    },
  }
  const facts = {
    senderDomain: sender.domain,
    recipientDomain: recipient.domain,
    bounceCategory: 'bounce' in about ? about.bounce.category : null,
    suggestedAction: about.suggested_action,
  }
  return { id, type, second: record.second, facts, ...bodyOf(event, record.raw.text) }
}

type TextOf = (key: string) => string | null

const bouncePart = (record: FeedbackRecord, text: TextOf) => {
  const kind = bounceKindOf(record)
  const category = text('bouncecat')
  const diagnostic = text('dsndiag')
  const codes = parseSmtpCodes(diagnostic)
  return {
    bounce: {
      // A letter that the specification does not know is kept as it is (field notes, "bounce_type").
      type: kind === 'other' ? text('bounce_type') : kind,
      category,
      smtp_code: codes.smtp_code,
      enhanced_code: codes.enhanced_code,
      diagnostic,
    },
    suggested_action: suggestedActionForBounce({ kind, category, codes }),
  }
}

const complaintPart = (text: TextOf) => ({
  complaint: {
    subject: text('header_subject'),
    return_path: returnPathOf(text('header_return_path')),
    list_unsubscribe: parseListUnsubscribe(text('header_list_unsubscribe')),
  },
  suggested_action: suggestedActionForComplaint,
})

// The header as it was; the null path is no path (field notes, "`<>` as `orig`").
const returnPathOf = (header: string | null): string | null => (header?.trim() === '<>' ? null : header)

const bodyOf = (event: object, raw: string): { body: string; bodyBytes: number } => {
  const whole = withRaw(JSON.stringify(event), raw)
  const wholeBytes = Buffer.byteLength(whole)
  if (wholeBytes <= eventBodyBytesMax) return { body: whole, bodyBytes: wholeBytes }
  const body = withRaw(JSON.stringify(event, cutLongText), raw)
  return { body, bodyBytes: Buffer.byteLength(body) }
}

// `data` is the last key, so the text ends in its brace and the event's own.
const withRaw = (json: string, raw: string): string => `${json.slice(0, -2)},"raw":${raw}}}`

// Cut after parsing, so that codes and addresses are those of the whole text; never through a surrogate pair.
const cutLongText = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > cutTextCharsMax
    ? value.slice(0, cutTextCharsMax).replace(/[\ud800-\udbff]$/, '')
    : value
