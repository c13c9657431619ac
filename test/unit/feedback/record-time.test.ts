import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRecordTime } from '../../../shared/domain/feedback/record-time.ts'

const second = 1_763_631_000
const timeMsMax = 2 ** 48 - 1

describe('the time of a record', () => {
  it.each([
    ['seconds', second],
    ['seconds with decimals, truncated', second + 0.999],
    ['milliseconds', second * 1000],
    ['milliseconds, truncated', second * 1000 + 999],
    ['milliseconds with decimals', second * 1000 + 999.9],
    ['digits', '1763631000'],
    ['digits with decimals', '1763631000.5'],
    ['more decimals than a double holds', '1763631000.99999999999999999'],
    ['digits of milliseconds', '1763631000999'],
    ['digits of milliseconds with decimals', '1763631000999.99999999999'],
    ['digits between white space', ' 1763631000\n'],
    ['RFC 3339 in UTC', '2025-11-20T09:30:00Z'],
    ['RFC 3339 with decimals', '2025-11-20T09:30:00.999999999Z'],
    ['RFC 3339 east of Greenwich', '2025-11-20T15:00:00+05:30'],
    ['RFC 3339 west of Greenwich', '2025-11-19T23:30:00-10:00'],
    ['RFC 3339 in lower case', '2025-11-20t09:30:00z'],
    ['RFC 3339 with a space', '2025-11-20 09:30:00+00:00'],
    ['RFC 3339 of an unknown offset', '2025-11-20T09:30:00-00:00'],
  ])('is read from %s', (_form, value) => {
    expect(parseRecordTime(value)).toBe(second)
  })

  it.each([
    ['0', 0],
    ['minus 0', -0],
    ['what truncates to 0', 0.9],
    ['a negative number', -second],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['microseconds', second * 1e6],
    ['a millisecond more than 48 bits', 2 ** 48],
    ['digits of more than 48 bits', '281474976710656'],
    ['the text 0', '0'],
    ['a negative text', '-1763631000'],
    ['a signed text', '+1763631000'],
    ['an exponent', '1.7e9'],
    ['hexadecimal', '0x691edf58'],
    ['separated digits', '1,763,631,000'],
    ['an empty text', ''],
    ['blanks', '  '],
    ['digits of another script', '١٧٦٣٦٣١٠٠٠'],
    ['a thousand digits', '1'.repeat(1000)],
    ['a date alone', '2025-11-20'],
    ['a time without offset', '2025-11-20T09:30:00'],
    ['a time without seconds', '2025-11-20T09:30Z'],
    ['30 February', '2025-02-30T00:00:00Z'],
    ['29 February of a common year', '2025-02-29T00:00:00Z'],
    ['month 13', '2025-13-01T00:00:00Z'],
    ['day 0', '2025-01-00T00:00:00Z'],
    ['hour 24', '2025-01-01T24:00:00Z'],
    ['minute 60', '2025-01-01T00:60:00Z'],
    ['second 61', '2025-01-01T00:00:61Z'],
    ['an offset of 24 hours', '2025-01-01T00:00:00+24:00'],
    ['a time before 1970', '1969-12-31T23:59:59Z'],
    ['a year below 100', '0070-01-01T00:00:00Z'],
    ['RFC 2822', 'Thu, 20 Nov 2025 09:30:00 +0000'],
    ['true', true],
    ['null', null],
    ['a missing field', undefined],
    ['a list', [second]],
    ['an object', { seconds: second }],
  ])('is none in %s', (_form, value) => {
    expect(parseRecordTime(value)).toBeNull()
  })

  it('is milliseconds from 1e11 on', () => {
    expect(parseRecordTime(1e11 - 1)).toBe(1e11 - 1)
    expect(parseRecordTime(1e11)).toBe(1e8)
    expect(parseRecordTime('99999999999')).toBe(99_999_999_999)
    expect(parseRecordTime('100000000000')).toBe(100_000_000)
  })

  it('reaches to 48 bits of milliseconds', () => {
    expect(parseRecordTime(timeMsMax)).toBe(281_474_976_710)
    expect(parseRecordTime(String(timeMsMax))).toBe(281_474_976_710)
  })

  it('counts a leap second into the next minute, as Unix time does', () => {
    expect(parseRecordTime('2016-12-31T23:59:60Z')).toBe(Date.UTC(2017, 0, 1) / 1000)
  })

  it('is the same whatever the unit and the form', () => {
    const anyMs = fc.integer({ min: 1e11, max: Date.UTC(5000, 0, 1) })
    fc.assert(
      fc.property(anyMs, ms => {
        const expected = Math.floor(ms / 1000)
        const forms = [ms, String(ms), expected, String(expected), ms / 1000, new Date(ms).toISOString()]
        expect(forms.map(parseRecordTime)).toEqual(forms.map(() => expected))
      }),
    )
  })

  it('is a second that a ULID can hold, or none, for any value at all', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.double(), fc.string(), fc.stringMatching(/^[\d.:TZ+-]{1,40}$/)),
        value => {
          const found = parseRecordTime(value)
          if (found === null) return
          expect(Number.isInteger(found) && found > 0 && found * 1000 <= timeMsMax).toBe(true)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
