import * as z from 'zod'
import { streamNames } from '../source.ts'
import { type BounceEventType, type EventType, eventTypes } from './event-types.ts'
import { suggestedActions } from './suggested-action.ts'

// Loose objects throughout: within a version there may be additions, and receivers must live with them.
const text = z.string().nullable()

const eventIdText = z
  .string()
  .regex(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .describe('The same for every POST of this event, and the value of the header webhook-id.')

// Years from 10000 on have a sign and six digits; a ULID reaches the year 10889.
const timestamp = z
  .string()
  .regex(/^(?:\d{4}|\+\d{6})-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.000Z$/)
  .describe('When the email service logged the record, to the second, in UTC.')

const common = {
  source: z.looseObject({
    id: z.string().min(1).describe('The account at the email service.'),
    stream: z.enum(streamNames),
    record_id: z.string().min(1).describe("The record's uuid."),
  }),
  recipient: z.looseObject({
    address: text.describe('As the service gave it, without brackets.'),
    normalized: text.describe('In lower case, the domain in its ASCII form: for comparing.'),
    domain: text.describe('In lower case and ASCII form.'),
  }),
  sender: z.looseObject({
    header_from: text.describe('The From header as it was.'),
    address: text.describe('The address in the From header; of several the first.'),
    domain: text.describe('Its domain in lower case and ASCII form.'),
    envelope_from: text.describe('The address in MAIL FROM.'),
  }),
  suggested_action: z.enum(suggestedActions),
  raw: z.looseObject({}).describe('The record, verbatim.'),
}

const bounceEvent = (type: BounceEventType, bounceType: z.ZodType<string | null>) =>
  z.looseObject({
    id: eventIdText,
    type: z.literal(type),
    timestamp,
    data: z.looseObject({
      ...common,
      bounce: z.looseObject({
        type: bounceType,
        category: text.describe("The service's category, as bad-mailbox."),
        smtp_code: z.int().min(200).max(599).nullable().describe('Of the diagnostic, or null.'),
        enhanced_code: z
          .string()
          .regex(/^[245]\.\d{1,3}\.\d{1,3}$/)
          .nullable()
          .describe('RFC 3463, of the diagnostic, or null.'),
        diagnostic: text.describe('The diagnostic as it was.'),
      }),
    }),
  })

const complaintEvent = z.looseObject({
  id: eventIdText,
  type: z.literal('email.complaint'),
  timestamp,
  data: z.looseObject({
    ...common,
    complaint: z.looseObject({
      subject: text,
      return_path: text.describe('The Return-Path header as it was.'),
      list_unsubscribe: z.looseObject({
        raw: text.describe('The List-Unsubscribe header as it was.'),
        https: z.array(z.string()),
        mailto: z.array(z.string()),
      }),
    }),
  }),
})

const testEvent = z.looseObject({
  id: z.string().min(1),
  type: z.literal('webhook.test'),
  timestamp: z.string().min(1),
  data: z.looseObject({}),
})

const ourTime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

const heartbeatEvent = z.looseObject({
  id: eventIdText,
  type: z.literal('webhook.heartbeat'),
  timestamp: ourTime.describe('When it was sent, in UTC.'),
  data: z.looseObject({
    interval_seconds: z
      .int()
      .min(1)
      .describe('How often it comes; after about two of them the silence says something.'),
    sources: z
      .array(
        z.looseObject({
          id: z.string().min(1).describe('The account at the email service.'),
          streams: z.array(
            z.looseObject({
              stream: z.enum(streamNames),
              last_complete_walk: ourTime
                .nullable()
                .describe('When the list was last read to its end, or null where it never was.'),
            }),
          ),
        }),
      )
      .describe('Those that the endpoint gets events of.'),
    since: ourTime.nullable().describe('The last heartbeat; null with the first.'),
    delivered: z.int().min(0).describe('Attempts since then that succeeded. Approximate, as is failed.'),
    failed: z.int().min(0).describe('Attempts since then that did not.'),
  }),
})

/** What each type of event looks like (DESIGN.md, section 5): every key is there, null where it is unknown. */
export const eventSchemas = {
  'email.bounce.hard': bounceEvent('email.bounce.hard', z.literal('hard')),
  'email.bounce.soft': bounceEvent('email.bounce.soft', z.literal('soft')),
  'email.bounce.expired': bounceEvent('email.bounce.expired', z.literal('expired')),
  'email.bounce.other': bounceEvent('email.bounce.other', text.describe("The service's own word, as it is.")),
  'email.complaint': complaintEvent,
  'webhook.test': testEvent,
  'webhook.heartbeat': heartbeatEvent,
} as const satisfies Record<EventType, z.ZodType>

/** The JSON Schema (draft 2020-12) of each type of event, as published in `schemas/<type>.json`. */
export const publishedSchemas = (): { type: EventType; schema: Record<string, unknown> }[] =>
  eventTypes.map(type => ({ type, schema: { title: type, ...z.toJSONSchema(eventSchemas[type]) } }))
