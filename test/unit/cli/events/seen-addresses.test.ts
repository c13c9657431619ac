import { describe, expect, test } from 'vitest'
import { createSeenAddresses } from '../../../../infra/cli/events/seen-addresses.ts'

describe('addresses that came before', () => {
  test('are known however many came between, and no other is', () => {
    const seen = createSeenAddresses()
    const addresses = Array.from({ length: 100_000 }, (_, at) => `name-${at}@example.com`)
    expect(addresses.filter(address => seen.isNew(address))).toHaveLength(100_000)
    expect(addresses.filter(address => seen.isNew(address))).toEqual([])
    expect(seen.isNew('another@example.com')).toBe(true)
  })

  test('have a bound, and what to do about it is said', () => {
    const seen = createSeenAddresses({ addressesMax: 2 })
    expect([seen.isNew('a@example.com'), seen.isNew('b@example.com'), seen.isNew('a@example.com')]).toEqual([
      true,
      true,
      false,
    ])
    expect(() => seen.isNew('c@example.com')).toThrow('there are more than 2 addresses')
  })
})
