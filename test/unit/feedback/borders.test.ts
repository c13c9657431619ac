import { describe, expect, test } from 'vitest'
import { eventId, eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import { parseRecordTime } from '../../../shared/domain/feedback/record-time.ts'

describe('the time of a record', () => {
  test('may be a text of 64 characters, and no longer', () => {
    expect(parseRecordTime('1763631000'.padEnd(64))).toBe(1_763_631_000)
    expect(parseRecordTime('1763631000'.padEnd(65))).toBeNull()
  })

  test.each([
    ['2026-11-20T10:00:00+23:59', Date.UTC(2026, 10, 19, 10, 1) / 1_000],
    ['2026-11-20T10:00:00-23:59', Date.UTC(2026, 10, 21, 9, 59) / 1_000],
    ['2026-11-20T10:00:00+24:00', null],
    ['2026-11-20T10:00:00+10:60', null],
    ['0075-01-01T00:00:00Z', null],
    ['2026-02-29T00:00:00Z', null],
    ['2026-04-31T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-01-00T00:00:00Z', null],
  ])('%s is %o', (text, second) => {
    expect(parseRecordTime(text)).toBe(second)
  })
})

describe('the id of an event', () => {
  const idAt = (second: number) => eventId({ sourceId: 'main', stream: 'bounces', uuid: 'u', second })
  const secondMax = Math.floor((2 ** 48 - 1) / 1_000)

  test.each([0, 1, secondMax])('holds the second %i', second => {
    expect(eventSecond(idAt(second))).toBe(second)
  })

  test.each([-1, secondMax + 1, 0.5, Number.NaN])(
    'holds no %d, and that is told with a code that stays',
    second => {
      expect(() => idAt(second)).toThrow(expect.objectContaining({ code: 'event_id_time' }))
    },
  )
})
