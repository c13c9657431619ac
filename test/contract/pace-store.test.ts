import { describe, expect, it } from 'vitest'
import { createPaceStore } from '../../shared/adapters/dynamodb/pace-store.ts'
import { createMemoryPaceStore } from '../../shared/adapters/memory/pace-store.ts'
import type { PaceStore } from '../../shared/domain/delivery/pace-gate.ts'
import { freshPace, type PaceState } from '../../shared/domain/endpoint/pace-policy.ts'
import { useTables } from './support/test-table.ts'

const taken: PaceState = {
  version: 1,
  nextAtMs: 1_000.5,
  leases: [{ id: 'batch', slots: 2, untilMs: 90_000 }],
}

const describePaceStore = (name: string, create: () => Promise<PaceStore>) =>
  describe(`pace store: ${name}`, () => {
    it('gives back what was written, each endpoint its own', async () => {
      const store = await create()
      expect(await store.read('shop')).toEqual(freshPace)
      expect(await store.write('shop', taken)).toBe(true)
      expect(await store.read('shop')).toEqual(taken)
      expect(await store.read('crm')).toEqual(freshPace)
    })

    it('lets one of several win that write over the same version', async () => {
      const store = await create()
      const first = await Promise.all([1, 2, 3].map(() => store.write('shop', taken)))
      expect(first.filter(Boolean)).toHaveLength(1)
      const next = { ...taken, version: 2 }
      const second = await Promise.all([1, 2, 3].map(() => store.write('shop', next)))
      expect(second.filter(Boolean)).toHaveLength(1)
      expect(await store.write('shop', { ...taken, version: 4 })).toBe(false)
      expect(await store.read('shop')).toEqual(next)
    })
  })

const tables = useTables()
describePaceStore('twin in memory', async () => createMemoryPaceStore())
describePaceStore('DynamoDB', async () => createPaceStore({ ...(await tables.fresh()), now: () => 0 }))
