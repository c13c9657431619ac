import { describe, expect, it } from 'vitest'
import { createSourceStore } from '../../shared/adapters/dynamodb/source-store.ts'
import { createMemorySourceStore } from '../../shared/adapters/memory/source-store.ts'
import { type Source, sourceDefaults } from '../../shared/domain/source.ts'
import type { SourceStore } from '../../shared/domain/source-store.ts'
import { useTables } from './support/test-table.ts'

const main: Source = {
  ...sourceDefaults,
  id: 'main',
  baseUrl: 'https://service.example',
  tokenSecret: 'token-main',
}
const other: Source = {
  ...main,
  id: 'other',
  pathPrefix: '',
  pageSize: 1000,
  startAt: { kind: 'time', second: 1_763_000_000 },
  pollEverySeconds: 0.5,
  state: 'paused',
}

const describeSourceStore = (name: string, create: () => Promise<SourceStore>) =>
  describe(`source store: ${name}`, () => {
    it('gives back sources as they were put, alone and in a list', async () => {
      const store = await create()
      expect(await store.list()).toEqual([])
      await store.put(other)
      await store.put(main)
      expect(await store.read('main')).toEqual(main)
      expect(await store.read('unknown')).toBeNull()
      expect(await store.list()).toEqual([main, other])
    })

    it('forgets a source that is removed, and minds none that is not there', async () => {
      const store = await create()
      await store.put(main)
      await store.put(other)
      await store.remove('main')
      await store.remove('main')
      expect(await store.read('main')).toBeNull()
      expect(await store.list()).toEqual([other])
    })

    it('replaces a source', async () => {
      const store = await create()
      await store.put(main)
      await store.put({ ...other, id: 'main' })
      expect(await store.list()).toEqual([{ ...other, id: 'main' }])
    })
  })

const tables = useTables()
describeSourceStore('twin in memory', async () => createMemorySourceStore())
describeSourceStore('DynamoDB', async () => createSourceStore(await tables.fresh()))
