import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createRunLease } from '../../shared/adapters/dynamodb/run-lease.ts'
import { createRunSpending } from '../../shared/adapters/dynamodb/run-spending.ts'
import { useTables } from './support/test-table.ts'

describe("the poller's spending, as an audit reads it", () => {
  const tables = useTables()
  const lease = { sourceId: 'main', runId: 'run-1', atMs: 1 }

  it('is what the poller left with its lease, which stays with the poller', async () => {
    const table = await tables.fresh()
    const [leases, spending] = [createRunLease(table), createRunSpending(table)]
    expect(await spending.read('main')).toBeNull()
    await leases.take(lease)
    expect(await spending.read('main')).toBeNull()
    await leases.renew({ ...lease, spending: { limit: 60, spent: [[1, 2, 3, 4]] } })
    expect(await spending.read('main')).toEqual({ limit: 60, spent: [[1, 2, 3, 4]] })
    expect(await spending.read('other')).toBeNull()
    expect(await leases.holds(lease)).toBe(true)
  })

  it('of an item that a newer version wrote is an error', async () => {
    const table = await tables.fresh()
    const item = { pk: 'CURSOR#main', sk: 'run', v: 2 }
    await table.client.send(new PutCommand({ TableName: table.tableName, Item: item }))
    await expect(createRunSpending(table).read('main')).rejects.toMatchObject({ code: 'item_newer' })
  })
})
