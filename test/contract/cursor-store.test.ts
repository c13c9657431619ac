import { describe, expect, it } from 'vitest'
import { createCursorStore } from '../../shared/adapters/dynamodb/cursor-store.ts'
import { createMemoryCursorStore } from '../../shared/adapters/memory/cursor-store.ts'
import {
  type Cursor,
  type CursorKey,
  type CursorStore,
  emptyCursor,
} from '../../shared/domain/polling/cursor.ts'
import { useTables } from './support/test-table.ts'

const key: CursorKey = { sourceId: 'main', stream: 'bounces', name: 'main' }
const cursor: Cursor = {
  ...emptyCursor,
  anchor: { uuid: 'b1', second: 1_763_631_000 },
  floorSecond: 1_763_000_000,
  sweep: { fromSecond: 1, toSecond: 2, running: true, nextAtMs: 3 },
}

const describeCursorStore = (name: string, create: () => Promise<CursorStore>) =>
  describe(`cursor store: ${name}`, () => {
    it('has no cursor before the first commit', async () => {
      expect(await (await create()).read(key)).toBeNull()
    })

    it('gives back what was committed, with a version to name in the next commit', async () => {
      const store = await create()
      expect(await store.commit(key, cursor, null)).toBe('committed')
      const first = await store.read(key)
      expect(first?.cursor).toEqual(cursor)
      expect(await store.commit(key, emptyCursor, first?.version ?? null)).toBe('committed')
      expect((await store.read(key))?.cursor).toEqual(emptyCursor)
    })

    it('takes one of two first commits', async () => {
      const store = await create()
      const results = await Promise.all([
        store.commit(key, cursor, null),
        store.commit(key, emptyCursor, null),
      ])
      expect(results.toSorted()).toEqual(['committed', 'moved'])
    })

    it('takes one of two commits on the same version, and keeps the first', async () => {
      const store = await create()
      await store.commit(key, emptyCursor, null)
      const version = (await store.read(key))?.version ?? null
      expect(await store.commit(key, cursor, version)).toBe('committed')
      expect(await store.commit(key, emptyCursor, version)).toBe('moved')
      expect((await store.read(key))?.cursor).toEqual(cursor)
    })

    it('takes no commit on a version where there is no cursor', async () => {
      const store = await create()
      expect(await store.commit(key, cursor, 1)).toBe('moved')
      expect(await store.read(key)).toBeNull()
    })

    it('keeps cursors of other streams, names and sources apart', async () => {
      const store = await create()
      await store.commit(key, cursor, null)
      for (const other of [
        { ...key, stream: 'complaints' },
        { ...key, name: 'sweep-hour' },
        { ...key, name: 'sweep-days' },
        { ...key, sourceId: 'second' },
      ] satisfies CursorKey[]) {
        expect(await store.read(other)).toBeNull()
        expect(await store.commit(other, emptyCursor, null)).toBe('committed')
      }
      expect((await store.read(key))?.cursor).toEqual(cursor)
    })

    it('keeps a copy: what the caller changes afterwards changes nothing here', async () => {
      const store = await create()
      const mine = structuredClone(cursor)
      await store.commit(key, mine, null)
      mine.floorSecond = 0
      const read = await store.read(key)
      if (read) read.cursor.floorSecond = 1
      expect((await store.read(key))?.cursor).toEqual(cursor)
    })
  })

const tables = useTables()
describeCursorStore('twin in memory', async () => createMemoryCursorStore())
describeCursorStore('DynamoDB', async () => createCursorStore(await tables.fresh()))
