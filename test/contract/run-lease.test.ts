import { describe, expect, it } from 'vitest'
import { createRunLease } from '../../shared/adapters/dynamodb/run-lease.ts'
import { createMemoryRunLease } from '../../shared/adapters/memory/run-lease.ts'
import type { RunLease } from '../../shared/domain/polling/run-lease.ts'
import { useTables } from './support/test-table.ts'

const first = { sourceId: 'main', runId: 'run-1', atMs: 1 }
const second = { sourceId: 'main', runId: 'run-2', atMs: 2 }

const describeRunLease = (name: string, create: () => Promise<RunLease>) =>
  describe(`run lease: ${name}`, () => {
    it('goes to whoever takes it, and from whoever had it', async () => {
      const lease = await create()
      expect(await lease.holds(first)).toBe(false)
      expect((await lease.take(first)).spending).toBeUndefined()
      expect(await lease.holds(first)).toBe(true)
      await lease.take(second)
      expect(await lease.holds(first)).toBe(false)
      expect(await lease.holds(second)).toBe(true)
    })

    it('hands the spending of the last holder to the next', async () => {
      const lease = await create()
      await lease.take(first)
      const spending = { windowStartMs: 5, requests: 12, note: '' }
      expect(await lease.renew({ ...first, spending })).toBe(true)
      expect((await lease.take(second)).spending).toEqual(spending)
    })

    it('keeps the spending where the next holder left none', async () => {
      const lease = await create()
      await lease.take(first)
      await lease.renew({ ...first, spending: [1] })
      await lease.take(second)
      expect((await lease.take(first)).spending).toEqual([1])
    })

    it('takes no spending from a run that has lost it', async () => {
      const lease = await create()
      await lease.take(first)
      await lease.take(second)
      expect(await lease.renew({ ...first, spending: { requests: 1 } })).toBe(false)
      expect((await lease.take(first)).spending).toBeUndefined()
    })

    it('remembers when a source was taken first, whoever took it since', async () => {
      const lease = await create()
      expect((await lease.take(first)).firstTakenAtMs).toBe(1)
      await lease.renew({ ...first, spending: [1] })
      expect((await lease.take(second)).firstTakenAtMs).toBe(1)
      expect((await lease.take({ ...second, sourceId: 'other' })).firstTakenAtMs).toBe(2)
    })

    it('is of one source', async () => {
      const lease = await create()
      await lease.take(first)
      await lease.take({ ...second, sourceId: 'other' })
      expect(await lease.holds(first)).toBe(true)
      expect(await lease.renew({ sourceId: 'unknown', runId: 'run-1', spending: 1 })).toBe(false)
    })
  })

const tables = useTables()
describeRunLease('twin in memory', async () => createMemoryRunLease())
describeRunLease('DynamoDB', async () => createRunLease(await tables.fresh()))
