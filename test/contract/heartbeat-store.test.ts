import { describe, expect, it } from 'vitest'
import { createHeartbeatStore } from '../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createMemoryHeartbeatStore } from '../../shared/adapters/memory/heartbeat-store.ts'
import {
  type HeartbeatStore,
  type LastHeartbeat,
  noHeartbeatYet,
} from '../../shared/domain/endpoint/heartbeat-store.ts'
import { useTables } from './support/test-table.ts'

const at = (startMs: number): LastHeartbeat => ({
  startMs,
  sentAtMs: startMs + 20,
  totals: { delivered: 3, failed: 1 },
})

const describeHeartbeatStore = (name: string, create: () => Promise<HeartbeatStore>) =>
  describe(`heartbeat store: ${name}`, () => {
    it('adds what is counted, each endpoint its own', async () => {
      const store = await create()
      expect(await store.read('shop')).toEqual(noHeartbeatYet)
      await Promise.all([
        store.count('shop', { delivered: 2, failed: 0 }),
        store.count('shop', { delivered: 1, failed: 4 }),
        store.count('crm', { delivered: 0, failed: 1 }),
      ])
      expect(await store.read('shop')).toEqual({ totals: { delivered: 3, failed: 4 }, last: null })
      expect(await store.read('crm')).toEqual({ totals: { delivered: 0, failed: 1 }, last: null })
    })

    it('gives an interval to one of several that ask for it, over the one that they read', async () => {
      const store = await create()
      const first = await Promise.all([1, 2, 3].map(() => store.claim('shop', at(60_000), null)))
      expect(first.filter(Boolean)).toHaveLength(1)
      const second = await Promise.all([1, 2, 3].map(() => store.claim('shop', at(120_000), 60_000)))
      expect(second.filter(Boolean)).toHaveLength(1)
      expect(await store.claim('shop', at(180_000), 60_000)).toBe(false)
      expect(await store.claim('shop', at(180_000), null)).toBe(false)
      expect((await store.read('shop')).last).toEqual(at(120_000))
    })

    it('keeps both apart: a count moves no interval, and an interval no count', async () => {
      const store = await create()
      await store.count('shop', { delivered: 5, failed: 2 })
      await store.claim('shop', at(60_000), null)
      await store.count('shop', { delivered: 1, failed: 0 })
      expect(await store.read('shop')).toEqual({ totals: { delivered: 6, failed: 2 }, last: at(60_000) })
    })
  })

const tables = useTables()
describeHeartbeatStore('twin in memory', async () => createMemoryHeartbeatStore())
describeHeartbeatStore('DynamoDB', async () =>
  createHeartbeatStore({ ...(await tables.fresh()), now: () => 0 }),
)
