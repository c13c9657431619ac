import { expect, test } from 'vitest'
import { parseRetryAfter } from '../../../shared/adapters/webhook/retry-after.ts'

const nowMs = Date.UTC(2026, 10, 20, 9, 30)
const inMinuteMs = nowMs + 60_000

test.each([
  ['60', inMinuteMs],
  [' 60 ', inMinuteMs],
  ['0', nowMs],
  ['1.5', nowMs + 1_500],
  ['Fri, 20 Nov 2026 09:31:00 GMT', inMinuteMs],
  ['Friday, 20-Nov-26 09:31:00 GMT', inMinuteMs],
  ['Fri Nov 20 09:31:00 2026', inMinuteMs],
  ['Fri, 20 Nov 2026 09:00:00 GMT', nowMs],
  ['9'.repeat(400), nowMs + 31_536_000_000],
  ['Fri, 20 Nov 9026 09:31:00 GMT', nowMs + 31_536_000_000],
])('Retry-After %j is %i on our clock', (retryAfter, expected) => {
  expect(parseRetryAfter({ retryAfter, date: undefined }, nowMs)).toBe(expected)
})

test.each([undefined, '', '-5', 'soon', '60s', '1e3', '0x10', 'Fri, 99 Foo 2026 09:31:00 GMT', 'Fri, '])(
  'Retry-After %j makes no sense and counts as none',
  retryAfter => {
    expect(parseRetryAfter({ retryAfter, date: undefined }, nowMs)).toBeNull()
  },
)

test("a date is measured from the answer's own Date, so that a wrong clock there does no harm", () => {
  const headers = { retryAfter: 'Sun, 01 Jan 2023 00:01:00 GMT', date: 'Sun, 01 Jan 2023 00:00:00 GMT' }
  expect(parseRetryAfter(headers, nowMs)).toBe(inMinuteMs)
})
