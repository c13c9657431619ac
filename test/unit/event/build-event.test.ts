import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { buildEvent, eventBodyBytesMax } from '../../../shared/domain/event/build-event.ts'
import { recordBytesMax } from '../../../shared/domain/feedback/read-record.ts'
import type { FeedbackRecord } from '../../../shared/domain/feedback/record.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { recordFrom, recordWith } from './real-records.ts'

const source = { id: 'main' }
const built = (record: FeedbackRecord, stream: StreamName = 'bounces') =>
  buildEvent({ source, stream, record })
const bodyOf = (record: FeedbackRecord, stream: StreamName = 'bounces'): unknown =>
  JSON.parse(built(record, stream).body)
const anything = z.looseObject({})
const shape = z.object({ data: z.looseObject({ recipient: anything, sender: anything, raw: z.unknown() }) })
const dataOf = (record: FeedbackRecord, stream: StreamName = 'bounces') =>
  shape.parse(bodyOf(record, stream)).data

const bounce = {
  uuid: '1bb704f9-d12d-49b5-a6d6-6ce65413e354',
  timelogged: 1_763_631_000,
  bounce_type: 'h',
  rcpt: 'Jo@Example.com',
  orig: 'b@bnc.acme.io',
  dsndiag: 'smtp; 550 5.1.1 User unknown',
  bouncecat: 'bad-mailbox',
  header_from: 'Acme <news@acme.io>',
}

describe('the event of a bounce', () => {
  it('has the shape of the design', () => {
    const event = built(recordWith(bounce))
    expect(JSON.parse(event.body)).toEqual({
      id: event.id,
      type: 'email.bounce.hard',
      timestamp: '2025-11-20T09:30:00.000Z',
      data: {
        source: { id: 'main', stream: 'bounces', record_id: bounce.uuid },
        recipient: { address: 'Jo@Example.com', normalized: 'jo@example.com', domain: 'example.com' },
        sender: {
          header_from: 'Acme <news@acme.io>',
          address: 'news@acme.io',
          domain: 'acme.io',
          envelope_from: 'b@bnc.acme.io',
        },
        bounce: {
          type: 'hard',
          category: 'bad-mailbox',
          smtp_code: 550,
          enhanced_code: '5.1.1',
          diagnostic: 'smtp; 550 5.1.1 User unknown',
        },
        suggested_action: 'suppress',
        raw: bounce,
      },
    })
  })

  it('says beside its body what filters and displays need', () => {
    const event = built(recordWith(bounce))
    expect(event).toMatchObject({
      type: 'email.bounce.hard',
      second: 1_763_631_000,
      bodyBytes: Buffer.byteLength(event.body),
      facts: {
        senderDomain: 'acme.io',
        recipientDomain: 'example.com',
        bounceCategory: 'bad-mailbox',
        suggestedAction: 'suppress',
      },
    })
  })

  it('has every key, null where nothing is known', () => {
    const unknown = {
      source: { id: 'main', stream: 'bounces', record_id: 'f0e1' },
      recipient: { address: null, normalized: null, domain: null },
      sender: { header_from: null, address: null, domain: null, envelope_from: null },
      bounce: { type: null, category: null, smtp_code: null, enhanced_code: null, diagnostic: null },
      suggested_action: 'none',
    }
    const names = ['rcpt', 'orig', 'dsndiag', 'bouncecat', 'header_from', 'bounce_type']
    for (const value of [
      undefined,
      null,
      '',
      ' ',
      7,
      true,
      [],
      ['jo@example.com'],
      { address: 'jo@example.com' },
    ]) {
      const { raw, ...data } = dataOf(recordWith(Object.fromEntries(names.map(name => [name, value]))))
      expect(data).toEqual(unknown)
      expect(raw).toMatchObject({ uuid: 'f0e1' })
    }
  })

  it('has no envelope sender where that is the null path', () => {
    expect(dataOf(recordWith({ orig: '<>' })).sender).toMatchObject({ envelope_from: null })
  })

  it('keeps a bounce_type that the specification does not know', () => {
    expect(bodyOf(recordWith({ bounce_type: 'o' }))).toMatchObject({
      type: 'email.bounce.other',
      data: { bounce: { type: 'o' }, suggested_action: 'none' },
    })
  })
})

describe('the event of a complaint', () => {
  it('has the subject, the return path and the ways to unsubscribe', () => {
    const record = recordWith({
      ...{ rcpt: 'Jo@Example.com', orig: 'b@bnc.acme.io', header_from: 'Acme <news@acme.io>' },
      ...{ header_subject: 'Hello', header_return_path: '<b@bnc.acme.io>' },
      header_list_unsubscribe: '<mailto:leave@acme.io>, <https://acme.io/u>',
    })
    const event = built(record, 'complaints')
    expect(JSON.parse(event.body)).toEqual({
      id: event.id,
      type: 'email.complaint',
      timestamp: '2025-11-20T09:30:00.000Z',
      data: {
        source: { id: 'main', stream: 'complaints', record_id: 'f0e1' },
        recipient: { address: 'Jo@Example.com', normalized: 'jo@example.com', domain: 'example.com' },
        sender: {
          header_from: 'Acme <news@acme.io>',
          address: 'news@acme.io',
          domain: 'acme.io',
          envelope_from: 'b@bnc.acme.io',
        },
        complaint: {
          subject: 'Hello',
          return_path: '<b@bnc.acme.io>',
          list_unsubscribe: {
            raw: '<mailto:leave@acme.io>, <https://acme.io/u>',
            https: ['https://acme.io/u'],
            mailto: ['mailto:leave@acme.io'],
          },
        },
        suggested_action: 'suppress',
        raw: record.raw.value,
      },
    })
    expect(event.facts).toEqual({
      senderDomain: 'acme.io',
      recipientDomain: 'example.com',
      bounceCategory: null,
      suggestedAction: 'suppress',
    })
  })

  it('has every key, null where nothing is known', () => {
    const record = recordWith({ header_return_path: '<>', header_subject: '', header_list_unsubscribe: null })
    expect(dataOf(record, 'complaints')).toMatchObject({
      complaint: { subject: null, return_path: null, list_unsubscribe: { raw: null, https: [], mailto: [] } },
      suggested_action: 'suppress',
    })
  })
})

describe('the record in an event', () => {
  it.each([
    '{"uuid":"a","timelogged":1763631000,"n":12345678901234567890,"f":1.10}',
    '{"uuid":"a","timelogged":1763631000,"x":1,"x":2}',
    '{"uuid":"a","timelogged":1763631000,"s":"\\ud800 \\u00e9 \\/"}',
    '{"uuid":"a","timelogged":1763631000,"__proto__":{"rcpt":"x@example.com"},"constructor":1}',
    ' {\n "uuid" : "a",\t"timelogged":1763631000.0 } \r\n',
    '{"uuid":"a","timelogged":1763631000,"s":"猫 🐈 Ünïcødé \u2028"}',
  ])('is the text of the service, letter by letter: %j', text => {
    const { body } = built(recordFrom(text))
    expect(body.endsWith(`,"raw":${text}}}`)).toBe(true)
    expect(dataOf(recordFrom(text)).raw).toEqual(JSON.parse(text))
  })

  it('makes the same event at every reading', () => {
    expect(built(recordWith(bounce))).toEqual(built(recordWith(bounce)))
  })

  it('makes an event with the same id in another unit of time', () => {
    const inSeconds = built(recordWith(bounce))
    const inMilliseconds = built(recordWith({ ...bounce, timelogged: 1_763_631_000_999 }))
    expect(inMilliseconds.id).toBe(inSeconds.id)
  })

  it('may hold anything in any field', () => {
    const names = ['rcpt', 'orig', 'dsndiag', 'bouncecat', 'header_from', 'bounce_type', 'header_subject']
    const more = ['header_return_path', 'header_list_unsubscribe', '__proto__', 'toJSON', 'extra_fields']
    const anyValue = fc.oneof(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.string({ unit: 'binary' }),
      fc.emailAddress(),
    )
    const anyFields = fc.dictionary(fc.oneof(fc.constantFrom(...names, ...more), fc.string()), anyValue)
    fc.assert(
      fc.property(anyFields, fc.constantFrom(...streamNames), (fields, stream) => {
        const own = Object.entries(fields).filter(([key]) => key !== 'uuid' && key !== 'timelogged')
        const members = [['uuid', 'a'], ['timelogged', 1], ...own].map(
          ([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`,
        )
        const record = recordFrom(`{${members.join()}}`)
        const event = built(record, stream)
        expect(event.body).toContain(record.raw.text)
        expect(dataOf(record, stream).raw).toEqual(JSON.parse(record.raw.text))
        const about = stream === 'bounces' ? 'bounce' : 'complaint'
        const keys = ['raw', 'recipient', 'sender', 'source', 'suggested_action', about]
        expect(Object.keys(dataOf(record, stream)).sort()).toEqual(keys.sort())
      }),
      { numRuns: 500 },
    )
  })
})

describe('the size of an event', () => {
  const filled = (name: string, unit: string, stream: StreamName) => {
    const frame = Buffer.byteLength(JSON.stringify({ uuid: 'f0e1', timelogged: 1_763_631_000, [name]: '' }))
    const unitBytes = Buffer.byteLength(JSON.stringify(unit)) - 2
    return built(
      recordWith({ [name]: unit.repeat(Math.floor((recordBytesMax - frame) / unitBytes)) }),
      stream,
    )
  }
  const names = ['rcpt', 'orig', 'dsndiag', 'bouncecat', 'header_from', 'bounce_type', 'header_subject', 'x']
  const urls = ['header_list_unsubscribe', 'header_return_path']

  it.each([...names, ...urls])('stays within its bound for the largest record, all of it in %s', name => {
    for (const unit of [
      'a',
      '"',
      '\u0001',
      '猫',
      '🐈',
      '\ud800',
      '<https://a.example/>,',
      'jo@example.com, ',
      '550 5.1.1 ',
    ]) {
      for (const stream of streamNames) {
        const event = filled(name, unit, stream)
        expect(event.bodyBytes).toBe(Buffer.byteLength(event.body))
        expect(event.bodyBytes).toBeLessThanOrEqual(eventBodyBytesMax)
      }
    }
  })

  it('is kept by cutting the copies of long texts, never the record, nor what was read from them', () => {
    const dsndiag = `smtp; 550 5.1.1 ${'x'.repeat(2031)}🐈${'x'.repeat(200_000)}`
    const record = recordWith({ dsndiag, bounce_type: 'h' })
    const event = built(record)
    expect(event.body).toContain(record.raw.text)
    expect(JSON.parse(event.body)).toMatchObject({
      data: {
        bounce: { smtp_code: 550, enhanced_code: '5.1.1', diagnostic: dsndiag.slice(0, 2047) },
        raw: { dsndiag },
      },
    })
  })

  it('cuts nothing where the event fits', () => {
    const dsndiag = 'x'.repeat(100_000)
    expect(dataOf(recordWith({ dsndiag }))).toMatchObject({ bounce: { diagnostic: dsndiag } })
  })
})
