import { describe, expect, test } from 'vitest'
import { activeKeysMax, rotateKeys } from '../../../shared/domain/endpoint/rotate-keys.ts'

const nowMs = 1_000_000
const key = (version: number, signsUntilMs: number | null = null, secret: string | null = null) => ({
  version,
  secret,
  signsUntilMs,
})
const rotate = (keys: Parameters<typeof rotateKeys>[0], overlapMs: number, secret: string | null = null) =>
  rotateKeys(keys, { secretOf: () => secret, overlapMs, nowMs })

describe('a rotation', () => {
  test('gives the old key an end, and the new one none', () => {
    expect(rotate([key(1)], 500)).toEqual({
      kind: 'rotated',
      keys: [key(1, nowMs + 500), key(2)],
      newest: key(2),
      unneeded: [],
    })
  })

  test('lets no key sign longer than it would have', () => {
    expect(rotate([key(1, nowMs + 100), key(2)], 500)).toMatchObject({
      keys: [key(1, nowMs + 100), key(2, nowMs + 500), key(3)],
    })
    expect(rotate([key(1, nowMs + 900), key(2)], 500)).toMatchObject({
      keys: [key(1, nowMs + 500), key(2, nowMs + 500), key(3)],
    })
  })

  test('forgets what has ended, with the secrets that only it needed, and uses no number again', () => {
    const keys = [key(3, nowMs, 'signing-a-3'), key(4, nowMs + 1, 'shared'), key(5, null, 'shared')]
    expect(rotate(keys, 0, 'signing-a-6')).toEqual({
      kind: 'rotated',
      keys: [key(6, null, 'signing-a-6')],
      newest: key(6, null, 'signing-a-6'),
      unneeded: ['signing-a-3', 'shared'],
    })
    expect(rotate(keys, 10, 'signing-a-6')).toMatchObject({ unneeded: ['signing-a-3'] })
  })

  test('is refused where as many sign already as a header should carry', () => {
    const keys = Array.from({ length: activeKeysMax }, (_, at) => key(at + 1))
    expect(rotate(keys, 500)).toEqual({ kind: 'too_many', active: activeKeysMax })
    expect(rotate(keys, 0)).toMatchObject({ kind: 'rotated' })
    expect(rotate(keys.slice(1), 500)).toMatchObject({ kind: 'rotated' })
  })
})
