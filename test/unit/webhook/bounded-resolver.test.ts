import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  createBoundedResolver,
  type LookupLimits,
  lookupLimitDefaults,
} from '../../../shared/adapters/webhook/bounded-resolver.ts'

/** A resolver whose lookups end when the test says so. */
const setUp = (limits: Partial<LookupLimits> = {}) => {
  let nowMs = 0
  const asked: string[] = []
  const signals: AbortSignal[] = []
  const ends = new Map<string, (addresses: string[] | Error) => void>()
  const resolve = createBoundedResolver({
    ...lookupLimitDefaults,
    ...limits,
    now: () => nowMs,
    resolve: (host, signal) => {
      asked.push(host)
      signals.push(signal)
      return new Promise((found, failed) => {
        ends.set(host, result => (result instanceof Error ? failed(result) : found(result)))
      })
    },
  })
  return {
    resolve,
    asked,
    signals,
    end: (host: string, result: string[] | Error) => ends.get(host)?.(result),
    setNow: (ms: number) => {
      nowMs = ms
    },
  }
}

const ever = new AbortController().signal
const reasonOf = (promise: Promise<string[]>) => promise.then(String, error => error.reason)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('lookups', () => {
  test('of one name are one, however many ask', async () => {
    const { resolve, asked, end } = setUp()
    const callers = Array.from({ length: 5 }, () => resolve('a', ever))
    end('a', ['1.1.1.1'])
    expect(await Promise.all(callers)).toEqual(Array.from({ length: 5 }, () => ['1.1.1.1']))
    expect(asked).toEqual(['a'])
  })

  test('at the same time are bounded, and the next one begins when one ends', async () => {
    const { resolve, asked, end } = setUp({ lookupsMax: 2 })
    const first = resolve('a', ever)
    const others = [resolve('b', ever), resolve('c', ever), resolve('d', ever)]
    expect(asked).toEqual(['a', 'b'])
    end('a', ['1.1.1.1'])
    await first
    await vi.waitFor(() => expect(asked).toEqual(['a', 'b', 'c']))
    for (const name of ['b', 'c']) end(name, ['1.1.1.1'])
    await vi.waitFor(() => expect(asked).toEqual(['a', 'b', 'c', 'd']))
    end('d', ['1.1.1.1'])
    expect(await Promise.all(others)).toHaveLength(3)
  })

  test('that nobody waits for any more are not begun', async () => {
    const { resolve, asked, end } = setUp({ lookupsMax: 1 })
    const gone = new AbortController()
    const first = resolve('a', ever)
    const second = reasonOf(resolve('b', gone.signal))
    const third = resolve('c', ever)
    gone.abort()
    expect(await second).toBe('dns_timeout')
    end('a', ['1.1.1.1'])
    await first
    await vi.waitFor(() => expect(asked).toEqual(['a', 'c']))
    end('c', ['2.2.2.2'])
    expect(await third).toEqual(['2.2.2.2'])
  })

  test('that are never answered end at their time-out, and give their place to the next one', async () => {
    const { resolve, asked, signals } = setUp({ lookupsMax: 1, lookupTimeoutMs: 1_000 })
    const stuck = reasonOf(resolve('a', ever))
    const next = reasonOf(resolve('b', ever))
    await vi.advanceTimersByTimeAsync(999)
    expect(asked).toEqual(['a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(await stuck).toBe('dns_timeout')
    expect(signals[0]?.aborted).toBe(true)
    expect(asked).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await next).toBe('dns_timeout')
  })

  test('go on for the others when one caller gives up', async () => {
    const { resolve, end } = setUp()
    const gone = new AbortController()
    const quitter = reasonOf(resolve('a', gone.signal))
    const stayer = resolve('a', ever)
    gone.abort()
    expect(await quitter).toBe('dns_timeout')
    end('a', ['1.1.1.1'])
    expect(await stayer).toEqual(['1.1.1.1'])
  })
})

describe('the cache', () => {
  test('keeps what was found for seconds', async () => {
    const { resolve, asked, end, setNow } = setUp({ lookupCacheMs: 1_000 })
    const first = resolve('a', ever)
    end('a', ['1.1.1.1'])
    await first
    setNow(999)
    expect(await resolve('a', ever)).toEqual(['1.1.1.1'])
    expect(asked).toEqual(['a'])
    setNow(1_000)
    const second = resolve('a', ever)
    end('a', ['2.2.2.2'])
    expect(await second).toEqual(['2.2.2.2'])
  })

  test('keeps no failure', async () => {
    const { resolve, asked, end } = setUp()
    const first = reasonOf(resolve('a', ever))
    end('a', new Error('SERVFAIL'))
    expect(await first).toBe('dns_failed')
    const second = resolve('a', ever)
    end('a', ['1.1.1.1'])
    expect(await second).toEqual(['1.1.1.1'])
    expect(asked).toEqual(['a', 'a'])
  })

  test('forgets the oldest name beyond its bound', async () => {
    const { resolve, asked, end } = setUp({ lookupCacheEntriesMax: 2 })
    for (const host of ['a', 'b', 'c']) {
      const found = resolve(host, ever)
      end(host, ['1.1.1.1'])
      await found
    }
    await resolve('b', ever)
    await resolve('c', ever)
    expect(asked).toEqual(['a', 'b', 'c'])
    const again = resolve('a', ever)
    end('a', ['1.1.1.1'])
    await again
    expect(asked).toEqual(['a', 'b', 'c', 'a'])
  })
})
