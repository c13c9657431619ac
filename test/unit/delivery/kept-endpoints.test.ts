import { describe, expect, test } from 'vitest'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import {
  createEndpointDirectory,
  endpointsCachedMsDefault,
} from '../../../shared/domain/delivery/endpoint-directory.ts'
import { reasonNotNow } from '../../../shared/domain/delivery/not-now.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { formatSecret } from '../../../shared/domain/signing/signing-keys.ts'
import { createTestClock, endpointOf, nowMs } from './harness.ts'

const create = async (...stored: Endpoint[]) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryEndpointStore()
  for (const endpoint of stored) await store.put(endpoint)
  const lists: PromiseWithResolvers<Endpoint[]>[] = []
  const happenings: Happening[] = []
  const directoryOf = (list: () => Promise<Endpoint[]> = store.list) =>
    createEndpointDirectory({
      endpoints: { ...store, list },
      clock,
      reporter: { report: happening => void happenings.push(happening) },
    })
  const held = (): Promise<Endpoint[]> => {
    const list = Promise.withResolvers<Endpoint[]>()
    lists.push(list)
    return list.promise
  }
  return { store, directoryOf, held, lists, turn, happenings }
}

describe('the endpoints that a dispatcher knows', () => {
  test('are not lost by an older list that fails late', async () => {
    const { directoryOf, held, lists, turn, store } = await create(endpointOf())
    const directory = directoryOf(held)
    const older = directory.current('endpoint').catch(() => 'failed')
    await turn(endpointsCachedMsDefault)
    const newer = directory.current('endpoint')
    lists[1]?.resolve(await store.list())
    expect(await newer).toEqual(endpointOf())
    lists[0]?.reject(new Error('no answer'))
    expect(await older).toBe('failed')
    expect(await directory.current('endpoint')).toEqual(endpointOf())
    expect(lists).toHaveLength(2)
  })

  test('are without one that a consistent reading no longer finds', async () => {
    const { directoryOf } = await create()
    const directory = directoryOf(async () => [endpointOf()])
    expect(await directory.current('endpoint')).toEqual(endpointOf())
    expect(await directory.refresh('endpoint')).toBeNull()
    expect(await directory.current('endpoint')).toBeNull()
  })

  test('may be asked for anew, and have a health noted, before anything was listed', async () => {
    const { directoryOf, store } = await create(endpointOf())
    const directory = directoryOf()
    await directory.noteHealth('endpoint', { ...goodHealth, failuresInRow: 3 })
    expect(await directory.refresh('endpoint')).toEqual(await store.read('endpoint'))
    expect(await directory.refresh('other')).toBeNull()
  })

  test('have the health that this process wrote at once, each its own', async () => {
    const { directoryOf } = await create(endpointOf(), endpointOf({ id: 'other' }))
    const directory = directoryOf()
    await directory.current('endpoint')
    const health = { ...goodHealth, version: 7, failuresInRow: 3 }
    await directory.noteHealth('endpoint', health)
    await directory.noteHealth('unknown', health)
    expect(await directory.current('endpoint')).toEqual(endpointOf({ health }))
    expect(await directory.current('other')).toEqual(endpointOf({ id: 'other' }))
    expect(await directory.current('unknown')).toBeNull()
  })

  test('do not have the health of a list that failed', async () => {
    const { directoryOf } = await create()
    const directory = directoryOf(async () => Promise.reject(new Error('no answer')))
    const asked = directory.current('endpoint').catch(() => 'failed')
    await directory.noteHealth('endpoint', goodHealth)
    expect(await asked).toBe('failed')
  })
})

test('an endpoint that is no more is not disabled, and nothing is told of it', async () => {
  const { directoryOf, happenings } = await create()
  expect(await directoryOf().disable('endpoint', 'answered_410')).toBe(false)
  expect(happenings).toEqual([])
})

describe('an open breaker of a slow endpoint', () => {
  const open = (nextProbeAtMs: number) =>
    endpointOf({
      slow: true,
      health: {
        ...goodHealth,
        open: { sinceMs: nowMs, because: 'failing_share', probes: 0, nextProbeAtMs },
      },
    })
  const ask = async (endpoint: Endpoint, lane: 'fast' | 'slow') => {
    const claims: string[] = []
    const health = {
      note: async () => {},
      claimProbe: async ({ id }: Endpoint) => {
        claims.push(id)
        return false
      },
    }
    const reason = await reasonNotNow(endpoint, lane, { clock: createTestClock().clock, health })
    return { reason, claims }
  }

  test('lets a message to the slow lane when its probe is due, and the probe is claimed there', async () => {
    expect(await ask(open(nowMs), 'fast')).toEqual({ reason: null, claims: [] })
    expect(await ask(open(nowMs), 'slow')).toEqual({ reason: 'breaker_open', claims: ['endpoint'] })
  })

  test('keeps a message where it is before that', async () => {
    expect(await ask(open(nowMs + 1), 'fast')).toEqual({ reason: 'breaker_open', claims: ['endpoint'] })
  })
})

describe('what an endpoint is asked with', () => {
  const own = new Uint8Array(24).fill(2)
  const credentialsOf = (read: (name: string) => Promise<string>) =>
    createEndpointCredentials({ secrets: { read }, clock: createTestClock().clock })
  const owned = { id: 'e', keys: [{ version: 1, secret: 'mine', signsUntilMs: null }] }

  test('may be doubted where it has no authorization', () => {
    expect(() => credentialsOf(async () => '').noteRefused({ authorization: null })).not.toThrow()
  })

  test('is not there for now where the store of its authorization can not be asked', async () => {
    const credentials = credentialsOf(async name => {
      if (name === 'mine') return formatSecret(own)
      throw new BridgeError({ code: 'secrets_unavailable', message: 'no answer', hint: 'Wait.' })
    })
    const authorization = { scheme: 'bearer', secret: 'auth' } as const
    await expect(credentials.credentialsOf({ ...owned, authorization }, nowMs)).rejects.toThrow('no answer')
  })

  test('is never a generated master secret as a key of its own: receivers could not read it', async () => {
    const credentials = credentialsOf(async () => 'A'.repeat(43))
    const asked = { ...owned, authorization: null }
    expect(await credentials.credentialsOf(asked, nowMs)).toEqual({ kind: 'none', reason: 'key_invalid' })
    const derived = { ...asked, keys: [{ version: 1, secret: null, signsUntilMs: null }] }
    expect(await credentials.credentialsOf(derived, nowMs)).toMatchObject({ kind: 'credentials' })
  })
})
