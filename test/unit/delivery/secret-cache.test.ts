import { expect, test } from 'vitest'
import {
  createSecretCache,
  secretCachedMs,
  secretsCachedMax,
} from '../../../shared/domain/delivery/secret-cache.ts'
import { createTestClock } from './harness.ts'

const create = (read = async (name: string): Promise<string> => `text of ${name}`) => {
  const { clock, turn } = createTestClock()
  const reads: string[] = []
  const cache = createSecretCache({
    clock,
    secrets: {
      read: name => {
        reads.push(name)
        return read(name)
      },
    },
  })
  return { cache, turn, reads }
}

test('no more secrets are kept than the bound, and none is lost before', async () => {
  const { cache, reads } = create()
  for (let at = 0; at < secretsCachedMax; at += 1) await cache.read(`secret ${at}`)
  await cache.read('secret 0')
  expect(reads).toHaveLength(secretsCachedMax)
  await cache.read('one more')
  await cache.read('one more')
  await cache.read('secret 0')
  expect(reads.slice(secretsCachedMax)).toEqual(['one more', 'secret 0'])
})

test('a reading that fails late does not take away what was read since', async () => {
  const first = Promise.withResolvers<string>()
  let calls = 0
  const { cache, turn, reads } = create(async name => {
    calls += 1
    return calls === 1 ? first.promise : `new ${name}`
  })
  const failing = cache.read('a').catch(() => 'failed')
  await turn(secretCachedMs)
  expect(await cache.read('a')).toBe('new a')
  first.reject(new Error('no answer'))
  expect(await failing).toBe('failed')
  expect(await cache.read('a')).toBe('new a')
  expect(reads).toEqual(['a', 'a'])
})

test('a secret that was never read may be doubted', async () => {
  const { cache, reads } = create()
  cache.doubt('a')
  await cache.read('a')
  await cache.read('a')
  expect(reads).toEqual(['a'])
})
