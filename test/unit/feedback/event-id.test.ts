import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { decodeTime, isValid, ulidToUUID } from 'ulid'
import { describe, expect, it } from 'vitest'
import {
  dayOfSecond,
  EventIdError,
  eventDay,
  eventHashBits,
  eventId,
  eventIdRange,
  eventSecond,
  heartbeatId,
} from '../../../shared/domain/feedback/event-id.ts'
import { streamNames } from '../../../shared/domain/source.ts'

const secondMax = 281_474_976_710
const anyRecord = fc.record({
  sourceId: fc.string({ unit: 'binary' }),
  stream: fc.constantFrom(...streamNames),
  uuid: fc.oneof(fc.uuid(), fc.string({ unit: 'binary' })),
  second: fc.oneof(fc.integer({ min: 1, max: 4e9 }), fc.integer({ min: 1, max: secondMax })),
})
const record = {
  sourceId: 'main',
  stream: 'bounces',
  uuid: '1bb704f9-d12d-49b5-a6d6-6ce65413e354',
  second: 1_272_551_685,
} as const

describe('the id of a heartbeat', () => {
  it('stays what it was, and holds the second', () => {
    const id = heartbeatId({ endpointId: 'shop', second: record.second })
    expect([id, eventSecond(id)]).toEqual(['evt_01514ZVEW86K56RSN6VA6KZQ9W', record.second])
  })

  it('is another for another endpoint or second', () => {
    const ids = ['shop', 'crm'].flatMap(endpointId =>
      [1, 2].map(second => heartbeatId({ endpointId, second })),
    )
    expect(new Set(ids).size).toBe(4)
  })
})

describe('the id of an event', () => {
  it('stays what it was: another id for a known record would send it again', () => {
    expect(eventId(record)).toBe('evt_01514ZVEW8ZY1BS1VAF9FEN3QK')
  })

  it('holds the second, and the first 80 bits of the hash of source id, stream and uuid', () => {
    fc.assert(
      fc.property(anyRecord, of => {
        const id = eventId(of)
        const ulid = id.slice('evt_'.length)
        const hash = createHash('sha256')
          .update(JSON.stringify([of.sourceId, of.stream, of.uuid]))
          .digest('hex')
        expect(id).toMatch(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
        expect(isValid(ulid)).toBe(true)
        expect(decodeTime(ulid)).toBe(of.second * 1000)
        expect(ulidToUUID(ulid).replaceAll('-', '').slice(12).toLowerCase()).toBe(hash.slice(0, 20))
      }),
    )
  })

  it('gives back its second, its day and its hash bits', () => {
    fc.assert(
      fc.property(anyRecord, of => {
        const id = eventId(of)
        expect(eventSecond(id)).toBe(of.second)
        expect(eventDay(id)).toBe(dayOfSecond(of.second))
        expect(eventHashBits(id)).toBe(id.slice(-16))
        expect(eventHashBits(eventId({ ...of, second: 1 }))).toBe(eventHashBits(id))
      }),
    )
  })

  it('differs where source, stream or uuid differ, however they are put together', () => {
    const ids = [
      record,
      { ...record, stream: 'complaints' as const },
      { ...record, sourceId: 'main2' },
      { ...record, uuid: record.uuid.toUpperCase() },
      { ...record, sourceId: 'mai', uuid: `n${record.uuid}` },
      { ...record, uuid: '\ud800' },
      { ...record, uuid: '\ud801' },
      { ...record, uuid: '\ufffd' },
    ].map(eventId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('sorts by time', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, (one, other) => {
        fc.pre(one.second < other.second)
        expect(eventId(one) < eventId(other)).toBe(true)
      }),
    )
  })

  it('lies in a range of seconds exactly when its second does', () => {
    const seconds = fc.integer({ min: 0, max: 4e9 })
    fc.assert(
      fc.property(anyRecord, seconds, fc.nat(100_000), (of, from, length) => {
        const { first, last } = eventIdRange(from, from + length)
        const id = eventId(of)
        expect(id >= first && id <= last).toBe(of.second >= from && of.second <= from + length)
      }),
    )
  })

  it('makes ranges of event ids, those of seconds before 1970 and beyond 48 bits included', () => {
    expect(eventIdRange(-120, 1)).toEqual({
      first: 'evt_00000000000000000000000000',
      last: 'evt_00000000Z8ZZZZZZZZZZZZZZZZ',
    })
    expect(eventSecond(eventIdRange(0, 1e15).last)).toBe(secondMax)
    expect(eventSecond(eventIdRange(5, 9).first)).toBe(5)
    expect(eventSecond(eventIdRange(5, 9).last)).toBe(9)
  })

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, secondMax + 1])(
    'can not be made for second %s',
    second => {
      expect(() => eventId({ ...record, second })).toThrow(EventIdError)
    },
  )

  it.each([
    '',
    'evt_',
    'evt_01K5M3V8Q00123456789ABCDE',
    'evt_01K5M3V8Q00123456789ABCDEFG',
    'evt_01k5m3v8q00123456789abcdef',
    'evt_01K5M3V8Q00123456789ABCDEU',
    'evt_81K5M3V8Q00123456789ABCDEF',
    'msg_01K5M3V8Q00123456789ABCDEF',
    'evt_01K5M3V8Q00123456789ABCDEF\n',
  ])('is not %j, and an error says so', text => {
    for (const read of [eventSecond, eventDay, eventHashBits]) expect(() => read(text)).toThrow(EventIdError)
  })
})

describe('the day of a second', () => {
  it('is the UTC day', () => {
    expect(dayOfSecond(0)).toBe('1970-01-01')
    expect(dayOfSecond(86_399)).toBe('1970-01-01')
    expect(dayOfSecond(86_400)).toBe('1970-01-02')
    expect(dayOfSecond(1_763_631_000)).toBe('2025-11-20')
    expect(dayOfSecond(secondMax)).toBe('+010889-08-02')
  })
})
