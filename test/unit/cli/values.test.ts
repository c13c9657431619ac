import { describe, expect, test } from 'vitest'
import {
  categoriesValue,
  domainsValue,
  durationValue,
  idValue,
  momentOf,
  timeValue,
  yesNoValue,
} from '../../../infra/cli/values.ts'

const hour = 3_600_000
const nowMs = Date.parse('2026-11-20T12:00:00Z')
const momentFrom = (text: string): string | null => {
  const read = timeValue.safeParse(text)
  return read.success ? new Date(momentOf(read.data, nowMs)).toISOString() : null
}

describe('values', () => {
  test('a time is a moment with its zone, a day, or how long ago', () => {
    expect(momentFrom('2026-11-20T09:30:00Z')).toBe('2026-11-20T09:30:00.000Z')
    expect(momentFrom('2026-11-20T09:30:00+02:00')).toBe('2026-11-20T07:30:00.000Z')
    expect(momentFrom('2026-11-19')).toBe('2026-11-19T00:00:00.000Z')
    expect(momentFrom('6h')).toBe('2026-11-20T06:00:00.000Z')
    expect(['2026-11-20T09:30:00', 'yesterday', '6', '', '1969-01-01'].map(momentFrom)).toEqual(
      Array.from({ length: 5 }, () => null),
    )
  })

  test.each(['main', 'a', 'Shop_2', 'ep_0123456789abcdef', '7-eleven'])('an id may be %s', id => {
    expect(idValue.parse(id)).toBe(id)
  })

  test.each(['', '-a', 'a b', 'a#b', 'a/b', '../a', 'é', 'x'.repeat(65)])('an id may not be %j', id => {
    expect(idValue.safeParse(id).success).toBe(false)
  })

  test('a duration has bounds', () => {
    const value = durationValue({ minMs: 0, maxMs: 24 * hour, right: 'of at most 1d' })
    expect([value.parse('0s'), value.parse('24h')]).toEqual([0, 24 * hour])
    expect(value.safeParse('25h').error?.issues[0]?.message).toMatch(/^must be .*, of at most 1d$/)
  })

  test('a filter is a list without doubles; any is none', () => {
    expect(domainsValue.parse('a.example, b.example,a.example')).toEqual(['a.example', 'b.example'])
    expect([domainsValue.parse('any'), categoriesValue.parse('any')]).toEqual([null, null])
    expect(categoriesValue.parse('bad-mailbox')).toEqual(['bad-mailbox'])
    for (const wrong of ['', 'example', 'a.example,', 'jo@a.example', 'https://a.example', 'a.example,any']) {
      expect(domainsValue.safeParse(wrong).success, wrong).toBe(false)
    }
  })

  test('yes and no', () => {
    expect([yesNoValue.parse('yes'), yesNoValue.parse('no')]).toEqual([true, false])
    expect(yesNoValue.safeParse('true').success).toBe(false)
  })
})
