import { afterEach, describe, expect, it } from 'vitest'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { loseFirstAnswer, type Meddling, startMeddler } from '../support/meddler.ts'
import { sampleDelivery, sampleEndpoint } from '../support/samples.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A table as its stores see it, directly and through the meddler. */
const tableThrough = async (meddle: Meddling) => {
  const direct = await tables.fresh()
  const meddler = await startMeddler(tables.endpoint(), meddle)
  const client = createDocumentClient({ ...localClientSettings, endpoint: meddler.endpoint })
  cleanups.push(meddler.close, () => client.destroy())
  return { direct, meddled: { client, tableName: direct.tableName }, operations: meddler.operations }
}

const cursorKey = { sourceId: 'main', stream: 'bounces', name: 'main' } as const

describe('a write whose reply was lost, which the SDK then repeats', () => {
  it('commits a cursor, first and later ones', async () => {
    for (const expected of [null, 1]) {
      const { direct, meddled, operations } = await tableThrough(loseFirstAnswer('PutItem'))
      if (expected !== null) await createCursorStore(direct).commit(cursorKey, emptyCursor, null)
      const cursor = { ...emptyCursor, floorSecond: 7 }
      expect(await createCursorStore(meddled).commit(cursorKey, cursor, expected)).toBe('committed')
      expect(operations).toEqual(['PutItem', 'PutItem', 'GetItem'])
      expect((await createCursorStore(direct).read(cursorKey))?.cursor).toEqual(cursor)
    }
  })

  it('writes a delivery', async () => {
    const { meddled, operations } = await tableThrough(loseFirstAnswer('PutItem'))
    const condition = { kind: 'unsettled_before', rank: 1_001 } as const
    expect(await createDeliveryStore(meddled).write(sampleDelivery(), condition)).toBe('written')
    expect(operations).toEqual(['PutItem', 'PutItem', 'GetItem'])
  })

  it("moves a due time that the other worker's move did not win", async () => {
    const { direct, meddled, operations } = await tableThrough(loseFirstAnswer('UpdateItem'))
    const delivery = sampleDelivery({ dueMs: 5 })
    await createDeliveryStore(direct).write(delivery, { kind: 'unsettled_before', rank: 1_001 })
    const entry = { ...delivery, state: 'waiting', dueMs: 5 } as const
    expect(await createDeliveryStore(meddled).moveDue(entry, 9)).toEqual({ ...delivery, dueMs: 9 })
    expect(operations).toEqual(['UpdateItem', 'UpdateItem', 'GetItem'])
    expect(await createDeliveryStore(direct).moveDue(entry, 9)).toBeNull()
  })

  it('takes the interval of a heartbeat', async () => {
    const { direct, meddled, operations } = await tableThrough(loseFirstAnswer('UpdateItem'))
    const last = { startMs: 60_000, sentAtMs: 60_001, totals: { delivered: 0, failed: 0 } }
    const now = () => 0
    expect(await createHeartbeatStore({ ...meddled, now }).claim('shop', last, null)).toBe(true)
    expect(operations).toEqual(['UpdateItem', 'UpdateItem', 'GetItem'])
    expect(await createHeartbeatStore({ ...direct, now }).claim('shop', last, null)).toBe(false)
  })

  it('tells a change of state', async () => {
    const { direct, meddled } = await tableThrough(loseFirstAnswer('UpdateItem'))
    await createEndpointStore(direct).put(sampleEndpoint())
    const change = { id: 'shop', state: 'disabled', reason: 'answered_410', atMs: 0 } as const
    expect(await createEndpointStore(meddled).setState(change)).toBe(true)
    expect(await createEndpointStore(direct).setState(change)).toBe(false)
  })

  it('keeps a record in quarantine as new', async () => {
    const { meddled } = await tableThrough(loseFirstAnswer('PutItem'))
    const record = {
      sourceId: 'main',
      stream: 'bounces',
      hash: 'ab',
      text: '1',
      reason: 'x',
      atMs: 1,
    } as const
    expect(await createQuarantine(meddled).keep(record)).toBe('new')
  })

  it('takes a lease, and its spending', async () => {
    const { direct, meddled } = await tableThrough(loseFirstAnswer('UpdateItem'))
    await createRunLease(direct).take({ sourceId: 'main', runId: 'run-1', atMs: 1 })
    await createRunLease(direct).renew({ sourceId: 'main', runId: 'run-1', spending: [3] })
    const taken = await createRunLease(meddled).take({ sourceId: 'main', runId: 'run-2', atMs: 2 })
    expect(taken).toEqual({ spending: [3], firstTakenAtMs: 1 })
  })
})

it("a cursor that another committed on top of ours, before our write was repeated, is the other's", async () => {
  let isFirst = true
  const { direct, meddled } = await tableThrough(async (operation, text, forward) => {
    const answer = await forward(text)
    if (operation !== 'PutItem' || !isFirst) return answer
    isFirst = false
    await createCursorStore(direct).commit(cursorKey, { ...emptyCursor, floorSecond: 2 }, 1)
    return 'lost'
  })
  expect(await createCursorStore(meddled).commit(cursorKey, emptyCursor, null)).toBe('moved')
  expect((await createCursorStore(direct).read(cursorKey))?.version).toBe(2)
})
