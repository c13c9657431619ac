import { describe, expect, test } from 'vitest'
import { parseDuration, showDuration } from '../../../infra/local/durations.ts'

describe('a duration that a person writes', () => {
  test.each([
    ['500ms', 500],
    ['1s', 1_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    [' 3s ', 3_000],
  ])('%j is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  test.each(['5', '', 's', '-1s', '1e3s', '5 m', '5M', '1w', 'constructor', '1s2s', '1234567s'])(
    '%j is none: nothing is guessed',
    text => {
      expect(parseDuration(text)).toBeNull()
    },
  )
})

test('a duration is shown short', () => {
  expect([850, 2_140, 240_000, 12_600_000, 3 * 86_400_000].map(showDuration)).toEqual([
    '850 ms',
    '2.1 s',
    '4 min',
    '3.5 h',
    '3 d',
  ])
})
