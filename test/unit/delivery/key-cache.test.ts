import { describe, expect, test } from 'vitest'
import { createKeyCache, type KeyName, keysCachedMax } from '../../../shared/domain/delivery/key-cache.ts'

const nameOf = (of: Partial<KeyName> = {}): KeyName => ({
  endpointId: 'e',
  keyVersion: 1,
  secret: null,
  ...of,
})

/** A cache, and how often it had a key made. */
const create = () => {
  const cache = createKeyCache()
  let made = 0
  const keyOf = (name: KeyName, text = 'secret'): number => {
    const before = made
    cache.keyOf(name, text, () => {
      made += 1
      return new Uint8Array([made % 256])
    })
    return made - before
  }
  return { cache, keyOf }
}

describe('a key', () => {
  test('is made once of each text of a secret, for each endpoint, version and secret that it names', () => {
    const { keyOf } = create()
    const names = [nameOf(), nameOf({ endpointId: 'f' }), nameOf({ keyVersion: 2 }), nameOf({ secret: 's' })]
    expect(names.map(name => keyOf(name))).toEqual([1, 1, 1, 1])
    expect(names.map(name => keyOf(name))).toEqual([0, 0, 0, 0])
    expect([
      keyOf(nameOf(), 'changed'),
      keyOf(nameOf(), 'changed'),
      keyOf(nameOf({ keyVersion: 2 })),
    ]).toEqual([1, 0, 0])
  })

  test('is the one that was made', () => {
    const { cache } = create()
    const key = new Uint8Array([7])
    expect(cache.keyOf(nameOf(), 'text', () => key)).toBe(key)
    expect(cache.keyOf(nameOf(), 'text', () => null)).toBe(key)
  })

  test('that can not be made is tried again each time', () => {
    const { cache } = create()
    expect(cache.keyOf(nameOf(), 'text', () => null)).toBeNull()
    expect(() =>
      cache.keyOf(nameOf(), 'text', () => {
        throw new Error('too short')
      }),
    ).toThrow('too short')
    expect(cache.keyOf(nameOf(), 'text', () => new Uint8Array([7]))).toEqual(new Uint8Array([7]))
  })

  test('is kept beside as many as the bound says, and none is lost before', () => {
    const { keyOf } = create()
    for (let at = 0; at < keysCachedMax; at += 1) keyOf(nameOf({ keyVersion: at }))
    expect(keyOf(nameOf({ keyVersion: 0 }))).toBe(0)
    expect([keyOf(nameOf({ keyVersion: -1 })), keyOf(nameOf({ keyVersion: -1 }))]).toEqual([1, 0])
    expect(keyOf(nameOf({ keyVersion: 0 }))).toBe(1)
  })
})
