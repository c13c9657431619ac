import { describe, expect, it } from 'vitest'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createMemoryEndpointStore } from '../../shared/adapters/memory/endpoint-store.ts'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'
import { sampleEndpoint } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const shop = sampleEndpoint()
const crm = sampleEndpoint({ id: 'crm', url: 'https://crm.example/', types: ['*'], slow: true })

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
      const change = { id: 'shop', state: 'disabled', reason: 'answered_410' } as const
      const told = await Promise.all([1, 2, 3].map(() => store.setState(change)))
      expect(told.filter(Boolean)).toHaveLength(1)
      expect(await store.read('shop')).toEqual({ ...shop, state: 'disabled', stateReason: 'answered_410' })
      expect(await store.setState({ id: 'shop', state: 'active', reason: null })).toBe(true)
      expect(await store.read('shop')).toEqual(shop)
    })

    it('marks an endpoint slow and fast, and leaves the rest', async () => {
      const store = await create()
      await store.put(shop)
      await store.setState({ id: 'shop', state: 'disabled', reason: 'answered_410' })
      await store.setSlow('shop', true)
      const expected = { ...shop, state: 'disabled', stateReason: 'answered_410' }
      expect(await store.read('shop')).toEqual({ ...expected, slow: true })
      await store.setSlow('shop', false)
      expect(await store.read('shop')).toEqual(expected)
    })

    it('makes no endpoint out of a change to one that is unknown', async () => {
      const store = await create()
      expect(await store.setState({ id: 'unknown', state: 'disabled', reason: null })).toBe(false)
      await store.setSlow('unknown', true)
      expect(await store.list()).toEqual([])
    })
  })

const tables = useTables()
describeEndpointStore('twin in memory', async () => createMemoryEndpointStore())
describeEndpointStore('DynamoDB', async () => createEndpointStore(await tables.fresh()))
