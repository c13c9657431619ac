import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawHash, readRecord, recordBytesMax } from '../../../shared/domain/feedback/read-record.ts'
import { realRecords } from '../event/real-records.ts'

const read = (text: string) => readRecord({ text, value: JSON.parse(text) })
const reasonOf = (text: string) => {
  const result = read(text)
  return result.kind === 'unreadable' ? result.reason : null
}

describe('reading a record', () => {
  it('takes id and second, and keeps text and value', () => {
    const text = '{"uuid":"a-1", "timelogged": 1763631000.75, "rcpt": "jo@example.com"}'
    expect(read(text)).toEqual({
      kind: 'record',
      record: { uuid: 'a-1', second: 1_763_631_000, raw: { text, value: JSON.parse(text) } },
    })
  })

  it.each(['null', '1', '"text"', 'true', '[]', '[{"uuid":"a","timelogged":1}]'])(
    'refuses %s: it is not an object',
    text => {
      expect(reasonOf(text)).toBe('not_an_object')
    },
  )

  it.each([
    '{}',
    '{"uuid":null}',
    '{"uuid":""}',
    '{"uuid":"  "}',
    '{"uuid":7}',
    '{"uuid":["a"]}',
    '{"uuid":{}}',
  ])('refuses %s: it has no uuid', text => {
    expect(reasonOf(text)).toBe('no_uuid')
  })

  it('takes a uuid of 200 characters and refuses a longer one', () => {
    expect(reasonOf(JSON.stringify({ uuid: 'u'.repeat(200), timelogged: 1 }))).toBeNull()
    expect(reasonOf(JSON.stringify({ uuid: 'u'.repeat(201), timelogged: 1 }))).toBe('no_uuid')
  })

  it('refuses a record without a usable time', () => {
    expect(reasonOf('{"uuid":"a"}')).toBe('no_usable_time')
    expect(reasonOf('{"uuid":"a","timelogged":"yesterday"}')).toBe('no_usable_time')
  })

  it('refuses a record by its bytes in UTF-8, not its characters', () => {
    const ofBytes = (bytes: number) => {
      const frame = '{"uuid":"a","timelogged":1,"x":""}'
      return frame.replace('""}', `"${'é'.repeat((bytes - frame.length) / 2)}"}`)
    }
    expect(reasonOf(ofBytes(recordBytesMax))).toBeNull()
    expect(reasonOf(ofBytes(recordBytesMax + 2))).toBe('too_large')
  })

  it('never takes a field from a prototype', () => {
    expect(reasonOf('{"__proto__":{"uuid":"a","timelogged":1}}')).toBe('no_uuid')
    expect(reasonOf('{"uuid":"a","__proto__":{"timelogged":1}}')).toBe('no_usable_time')
    const inherited: unknown = Object.create({ uuid: 'a', timelogged: 1 })
    expect(readRecord({ text: '{}', value: inherited })).toMatchObject({ reason: 'no_uuid' })
  })

  it('gives an unreadable record back as it came', () => {
    const raw = { text: '[1]', value: [1] }
    expect(readRecord(raw)).toEqual({ kind: 'unreadable', reason: 'not_an_object', raw })
  })

  it('understands every real record but the one whose time is 0', () => {
    const outcomes = [...realRecords('bounces'), ...realRecords('complaints')].map(raw => readRecord(raw))
    const unreadable = outcomes.filter(outcome => outcome.kind === 'unreadable')
    expect(outcomes).toHaveLength(236)
    expect(unreadable.map(({ reason }) => reason)).toEqual(['no_usable_time'])
  })

  it('never throws, whatever JSON it is given', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        expect(['record', 'unreadable']).toContain(read(text).kind)
      }),
    )
  })
})

describe('the key of a record in quarantine', () => {
  it('is the SHA-256 of its UTF-8 bytes in hex', () => {
    const expected = createHash('sha256').update(Buffer.from('["é🐈"]', 'utf8')).digest('hex')
    expect(rawHash({ text: '["é🐈"]', value: null })).toBe(expected)
    expect(rawHash({ text: '["é🐈"] ', value: null })).not.toBe(expected)
  })
})
