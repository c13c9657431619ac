import { eventId } from '../feedback/event-id.ts'
import { type StreamName, streamNames } from '../source.ts'
import { buildEvent } from './build-event.ts'
import type { EventType, RecordEventType } from './event-types.ts'
import { heartbeatBody } from './heartbeat-event.ts'

/** Stands where a source's id would: tells receivers that no mail bounced. */
export const testSourceId = 'bridge-test'

type Sample = { stream: StreamName; fields: Readonly<Record<string, unknown>> }

const bounce = (letter: string, category: string, diagnostic: string): Sample => ({
  stream: 'bounces',
  fields: {
    bounce_type: letter,
    bouncecat: category,
    dsndiag: diagnostic,
    rcpt: 'test-recipient@example.com',
    orig: 'bounces@mail.example.org',
    header_from: '"Example News" <news@example.org>',
  },
})

/** What records of each type look like at the service; nobody's addresses (RFC 2606). */
const samples: Readonly<Record<RecordEventType, Sample>> = {
  'email.bounce.hard': bounce(
    'h',
    'bad-mailbox',
    'smtp; 550 5.1.1 <test-recipient@example.com>: Recipient address rejected: User unknown',
  ),
  'email.bounce.soft': bounce('s', 'quota-issues', 'smtp; 452 4.2.2 The email account is over quota'),
  'email.bounce.expired': bounce('e', 'no-answer-from-host', 'smtp; 421 4.4.1 Connection timed out'),
  'email.bounce.other': bounce('o', 'other', 'smtp; 554 5.0.0 Transaction failed'),
  'email.complaint': {
    stream: 'complaints',
    fields: {
      rcpt: 'test-recipient@example.com',
      orig: 'bounces@mail.example.org',
      header_from: '"Example News" <news@example.org>',
      header_subject: 'Example News for November',
      header_return_path: '<bounces@mail.example.org>',
      header_list_unsubscribe: '<https://example.org/unsubscribe?u=1>, <mailto:leave@example.org>',
    },
  },
}

/** As of a bridge that just began. */
const sampleHeartbeat = {
  everySeconds: 300,
  sources: [
    {
      sourceId: testSourceId,
      streams: streamNames.map(stream => ({ stream, lastCompleteWalkAtMs: null })),
    },
  ],
  sinceMs: null,
  counts: { delivered: 0, failed: 0 },
}

/**
 * An event that an operator sends to see whether an endpoint takes it: `webhook.test`, a heartbeat, or one of a record's
 * types made of a sample record, in every part as a real one but for its source. `uuid` must be a new one, so that its id is.
 */
export const testEvent = (of: {
  type: EventType
  endpointId: string
  uuid: string
  second: number
}): { id: string; body: string } => {
  const { type, uuid, second } = of
  if (type === 'webhook.test' || type === 'webhook.heartbeat') {
    const id = eventId({ sourceId: testSourceId, stream: 'bounces', uuid, second })
    if (type === 'webhook.heartbeat')
      return { id, body: heartbeatBody({ ...sampleHeartbeat, id, sentAtMs: second * 1_000 }) }
    const timestamp = new Date(second * 1000).toISOString()
    const data = { endpoint: of.endpointId, message: 'A test: nothing bounced and nobody complained.' }
    return { id, body: JSON.stringify({ id, type, timestamp, data }) }
  }
  const { stream, fields } = samples[type]
  const value = { uuid, timelogged: second, ...fields }
  const record = { uuid, second, raw: { text: JSON.stringify(value), value } }
  const { id, body } = buildEvent({ source: { id: testSourceId }, stream, record })
  return { id, body }
}
