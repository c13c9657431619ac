import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { batchGet, batchPut } from '../../../shared/adapters/dynamodb/batches.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { type Answer, type Meddling, startMeddler } from '../support/meddler.ts'
import { idAt, sampleEvent } from '../support/samples.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()
const cleanups: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const tableThrough = async (meddle: Meddling) => {
  const direct = await tables.fresh()
  const meddler = await startMeddler(tables.endpoint(), meddle)
  const client = createDocumentClient({ ...localClientSettings, endpoint: meddler.endpoint })
  cleanups.push(meddler.close, () => client.destroy())
  const pauses: number[] = []
  const pause = async (ms: number) => pauses.push(ms)
  return {
    direct,
    table: { client, tableName: direct.tableName, pause },
    operations: meddler.operations,
    pauses,
  }
}

const items = Array.from({ length: 25 }, (_, n) => ({ pk: 'p', sk: `item-${n}`, n }))
const writeSchema = z.object({ RequestItems: z.record(z.string(), z.array(z.unknown())) })
const readSchema = z.object({
  RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(z.unknown()) })),
})
const answer = (value: unknown): Answer => ({ status: 200, text: JSON.stringify(value) })

/** A table that does ten of a batch, and leaves the rest. */
const tenAtATime: Meddling = async (operation, text, forward) => {
  if (operation === 'BatchWriteItem') {
    const [[name, puts] = ['', []]] = Object.entries(writeSchema.parse(JSON.parse(text)).RequestItems)
    await forward(JSON.stringify({ RequestItems: { [name]: puts.slice(0, 10) } }))
    const left = puts.slice(10)
    return answer({ UnprocessedItems: left.length > 0 ? { [name]: left } : {} })
  }
  const [[name, request] = ['', { Keys: [] }]] = Object.entries(
    readSchema.parse(JSON.parse(text)).RequestItems,
  )
  const some = { ...request, Keys: request.Keys.slice(0, 10) }
  const done = await forward(JSON.stringify({ RequestItems: { [name]: some } }))
  const left = request.Keys.slice(10)
  return answer({
    ...z.looseObject({}).parse(JSON.parse(done.text)),
    UnprocessedKeys: left.length > 0 ? { [name]: { ...request, Keys: left } } : {},
  })
}

const nothingAtAll: Meddling = async (operation, text) => {
  const { RequestItems } = z.looseObject({ RequestItems: z.unknown() }).parse(JSON.parse(text))
  return answer(
    operation === 'BatchWriteItem' ? { UnprocessedItems: RequestItems } : { UnprocessedKeys: RequestItems },
  )
}

describe('a batch', () => {
  it('goes on with what was not processed until all is', async () => {
    const { table, operations } = await tableThrough(tenAtATime)
    expect(await batchPut(table, items)).toEqual({ left: [], error: null })
    expect(operations).toEqual(['BatchWriteItem', 'BatchWriteItem', 'BatchWriteItem'])
    const read = z.array(z.object({ n: z.int() })).parse(await batchGet(table, items, { projection: 'n' }))
    expect(read.map(item => item.n).toSorted((a, b) => a - b)).toEqual(items.map(item => item.n))
    expect(operations).toHaveLength(6)
  })

  it('is given up after eight answers that did nothing, with growing pauses between', async () => {
    const { table, operations, pauses } = await tableThrough(nothingAtAll)
    const { left, error } = await batchPut(table, items)
    expect(left).toEqual(items)
    expect(error?.code).toBe('table_throttled')
    expect(operations).toHaveLength(8)
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000])
    await expect(batchGet(table, items)).rejects.toMatchObject({ code: 'table_throttled' })
  })
})

describe('recording events', () => {
  const events = Array.from({ length: 60 }, (_, n) => sampleEvent(n, `record-${n}`))
  const refusal: Answer = { status: 400, text: JSON.stringify({ __type: 'AccessDeniedException' }) }

  it('returns the ids of the batches that were written where another fails', async () => {
    const { direct, table } = await tableThrough(async (_, text, forward) =>
      text.includes(idAt(30, 'record-30')) ? refusal : forward(text),
    )
    const written = await createEventLog(table).record(events)
    expect(written).toEqual(new Set([...events.slice(0, 25), ...events.slice(50)].map(event => event.id)))
    const { sourceId, stream } = { sourceId: 'main', stream: 'bounces' } as const
    const ids = events.map(event => event.id)
    expect(await createEventLog(direct).existing({ sourceId, stream, ids })).toEqual(written)
  })

  it('throws where none is known to be written', async () => {
    const { table } = await tableThrough(async () => refusal)
    await expect(createEventLog(table).record(events)).rejects.toMatchObject({
      code: 'table_unavailable',
      message: 'the table did not take a request: AccessDeniedException',
    })
  })
})
