import { describe, expect, it } from 'vitest'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createMemoryEndpointStore } from '../../shared/adapters/memory/endpoint-store.ts'
import { goodHealth } from '../../shared/domain/endpoint/endpoint-health.ts'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'
import { sampleEndpoint } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const shop = sampleEndpoint()
const open = { sinceMs: 4_000, because: 'failing_share', probes: 2, nextProbeAtMs: 34_000 } as const
const troubled = {
  ...goodHealth,
  failuresInRow: 3,
  failingSinceMs: 1_000,
  window: { sinceMs: 500, failures: 3, successes: 1 },
  open,
  pausedUntilMs: 5_000,
}
const crm = sampleEndpoint({
  id: 'crm',
  url: 'https://crm.example/',
  types: ['*'],
  slow: true,
  limits: { maxPerSecond: 0.5, maxInFlight: 3 },
  headers: { 'x-tenant': 'acme' },
  authorization: { scheme: 'bearer', secret: 'authorization-crm' },
  heartbeatEverySeconds: 300,
})

const describeEndpointStore = (name: string, create: () => Promise<EndpointStore>) =>
  describe(`endpoint store: ${name}`, () => {
    it('gives back endpoints as they were put, alone and in a list', async () => {
      const store = await create()
      expect(await store.list()).toEqual([])
      await store.put(shop)
      await store.put(crm)
      expect(await store.read('shop')).toEqual(shop)
      expect(await store.read('unknown')).toBeNull()
      expect(await store.list()).toEqual([crm, shop])
    })

    it('replaces settings, but for the slow mark', async () => {
      const store = await create()
      await store.put(crm)
      const changed = {
        ...crm,
        url: 'https://new.example/',
        state: 'disabled',
        stateReason: 'operator',
      } as const
      await store.put({ ...changed, slow: false })
      expect(await store.read('crm')).toEqual(changed)
    })

    it('tells a change of state once', async () => {
      const store = await create()
      await store.put(shop)
      const change = { id: 'shop', state: 'disabled', reason: 'answered_410', atMs: 7_000 } as const
      const told = await Promise.all([1, 2, 3].map(() => store.setState(change)))
      expect(told.filter(Boolean)).toHaveLength(1)
      const disabled = { state: 'disabled', stateReason: 'answered_410', stateSinceMs: 7_000 }
      expect(await store.read('shop')).toEqual({ ...shop, ...disabled })
      expect(await store.setState({ id: 'shop', state: 'active', reason: null, atMs: 9_000 })).toBe(true)
      expect(await store.read('shop')).toMatchObject({
        state: 'active',
        stateReason: null,
        stateSinceMs: 9_000,
      })
    })

    it('lets an endpoint that becomes active begin with good health', async () => {
      const store = await create()
      await store.put(shop)
      await store.writeHealth('shop', { ...troubled, version: 1 })
      await store.setState({ id: 'shop', state: 'disabled', reason: null, atMs: 7_000 })
      expect((await store.read('shop'))?.health).toEqual({ ...troubled, version: 1 })
      await store.setState({ id: 'shop', state: 'active', reason: null, atMs: 9_000 })
      expect((await store.read('shop'))?.health).toEqual({ ...goodHealth, version: 2, readySinceMs: 9_000 })
    })

    it('writes a health only over the version before it, and leaves it when the settings are replaced', async () => {
      const store = await create()
      await store.put(shop)
      expect(await store.writeHealth('shop', { ...troubled, version: 2 })).toBe(false)
      const tries = [1, 2, 3].map(probes =>
        store.writeHealth('shop', { ...troubled, open: { ...open, probes }, version: 1 }),
      )
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
      expect(await store.writeHealth('shop', { ...troubled, version: 2 })).toBe(true)
      await store.put({ ...shop, url: 'https://new.example/' })
      expect(await store.read('shop')).toEqual({
        ...shop,
        url: 'https://new.example/',
        health: { ...troubled, version: 2 },
      })
      expect(await store.writeHealth('unknown', { ...troubled, version: 1 })).toBe(false)
    })

    it('lists what is to be told until it was told, and tells a later change on its own', async () => {
      const store = await create()
      for (const endpoint of [shop, crm]) await store.put(endpoint)
      const ids = async () => (await store.untold()).map(({ id }) => id)
      const disabled = { state: 'disabled', reason: 'answered_410', isToBeTold: true } as const
      await store.setState({ id: 'shop', ...disabled, atMs: 7_000 })
      await store.setState({ id: 'crm', ...disabled, atMs: 7_000, isToBeTold: false })
      expect(await ids()).toEqual(['shop'])
      await store.setTold({ id: 'shop', stateSinceMs: 6_000 })
      expect(await ids()).toEqual(['shop'])
      await store.setTold({ id: 'shop', stateSinceMs: 7_000 })
      expect(await ids()).toEqual([])
      await store.setState({ id: 'shop', state: 'active', reason: null, atMs: 8_000 })
      await store.setState({ id: 'shop', ...disabled, atMs: 9_000 })
      expect(await ids()).toEqual(['shop'])
      await store.setState({ id: 'shop', state: 'active', reason: null, atMs: 10_000 })
      expect(await ids()).toEqual([])
    })

    it('takes note that one was told of that an operator put again meanwhile', async () => {
      const store = await create()
      await store.put(shop)
      const reason = 'answered_410'
      await store.setState({ id: 'shop', state: 'disabled', reason, atMs: 7_000, isToBeTold: true })
      await store.put(shop)
      for (const endpoint of await store.untold()) await store.setTold(endpoint)
      expect(await store.untold()).toEqual([])
    })

    it('marks an endpoint slow and fast, and leaves the rest', async () => {
      const store = await create()
      await store.put(shop)
      await store.setState({ id: 'shop', state: 'disabled', reason: 'answered_410', atMs: 7_000 })
      await store.setSlow('shop', true)
      const expected = { ...shop, state: 'disabled', stateReason: 'answered_410', stateSinceMs: 7_000 }
      expect(await store.read('shop')).toEqual({ ...expected, slow: true })
      await store.setSlow('shop', false)
      expect(await store.read('shop')).toEqual(expected)
    })

    it('makes no endpoint out of a change to one that is unknown', async () => {
      const store = await create()
      expect(await store.setState({ id: 'unknown', state: 'disabled', reason: null, atMs: 0 })).toBe(false)
      await store.setSlow('unknown', true)
      expect(await store.list()).toEqual([])
    })
  })

const tables = useTables()
describeEndpointStore('twin in memory', async () => createMemoryEndpointStore())
describeEndpointStore('DynamoDB', async () => createEndpointStore(await tables.fresh()))
