import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import type { ItemKey } from '../../../shared/adapters/dynamodb/keys.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { idAt, sampleDelivery, sampleEndpoint, sampleEvent } from '../support/samples.ts'
import { type TestTable, useTables } from '../support/test-table.ts'

const tables = useTables()

const set = (table: TestTable, key: ItemKey, name: string, value: unknown) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.tableName,
      Key: key,
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': value },
    }),
  )

const cursorItem = { pk: 'CURSOR#main', sk: 'bounces' }
const cursorKey = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
const eventItem = { pk: 'EVENT#main#bounces#2026-11-20', sk: idAt(0) }
const eventKey = { sourceId: 'main', stream: 'bounces', eventId: idAt(0) } as const

describe('an item that this version cannot read is a named error, never a missing one', () => {
  it('a cursor whose text is no JSON', async () => {
    const table = await tables.fresh()
    const item = { ...cursorItem, v: 1, version: 1, writeId: 'w', cursor: '{"v":1' }
    await table.client.send(new PutCommand({ TableName: table.tableName, Item: item }))
    await expect(createCursorStore(table).read(cursorKey)).rejects.toMatchObject({
      code: 'item_corrupt',
      message: "an item (cursor) can't be read: cursor: not JSON",
    })
  })

  it('a cursor that lacks a field', async () => {
    const table = await tables.fresh()
    const item = { ...cursorItem, v: 1, version: 1, writeId: 'w', cursor: '{"v":1}' }
    await table.client.send(new PutCommand({ TableName: table.tableName, Item: item }))
    await expect(createCursorStore(table).read(cursorKey)).rejects.toMatchObject({ code: 'item_corrupt' })
  })

  it('an item of a newer version', async () => {
    const table = await tables.fresh()
    await createEventLog(table).record([sampleEvent(0)])
    await set(table, eventItem, 'v', 2)
    await expect(createEventLog(table).read(eventKey)).rejects.toMatchObject({
      code: 'item_newer',
      message: 'an item (event) has version 2, this code knows 1',
    })
  })

  it('an event whose body does not unpack, or is packed in a way to come', async () => {
    const table = await tables.fresh()
    const log = createEventLog(table)
    await log.record([sampleEvent(0)])
    await set(table, eventItem, 'c', 99)
    await expect(log.read(eventKey)).rejects.toMatchObject({ code: 'item_newer' })
    await set(table, eventItem, 'c', 1)
    await set(table, eventItem, 'b', Buffer.from([255, 0, 1]))
    await expect(log.read(eventKey)).rejects.toMatchObject({ code: 'item_corrupt' })
  })

  it('regression: an event of a newer version leaves the rest of its page, and the next one, to be read', async () => {
    const table = await tables.fresh()
    const log = createEventLog(table)
    await log.record([0, 1, 2, 3].map(second => sampleEvent(second)))
    const day = { sourceId: 'main', stream: 'bounces', day: '2026-11-20' } as const
    const idsOf = ({ events }: { events: { id: string }[] }) => events.map(({ id }) => id)
    for (const second of [1, 2]) await set(table, { ...eventItem, sk: idAt(second) }, 'v', 2)
    const first = await log.pageOfDay({ ...day, fromId: idAt(0), limit: 2 })
    expect(idsOf(first)).toEqual([idAt(0)])
    expect(first.unreadable).toEqual([
      { id: idAt(1), error: expect.objectContaining({ code: 'item_newer' }) },
    ])
    expect(first.nextFromId).toBe(idAt(2))
    const second = await log.pageOfDay({ ...day, fromId: idAt(2), limit: 2 })
    expect(idsOf(second)).toEqual([idAt(3)])
    expect(second.unreadable.map(({ id }) => id)).toEqual([idAt(2)])
    expect(second.nextFromId).toBeNull()
  })

  it('regression: an event of a newer version leaves older ones to be the newest of their day', async () => {
    const table = await tables.fresh()
    const log = createEventLog(table)
    await log.record([0, 1, 2, 3].map(second => sampleEvent(second)))
    for (const second of [2, 3]) await set(table, { ...eventItem, sk: idAt(second) }, 'v', 2)
    const day = { sourceId: 'main', stream: 'bounces', day: '2026-11-20' } as const
    const newest = async (limit: number) =>
      (await log.newestOfDay({ ...day, untilSecond: sampleEvent(3).second, limit })).map(({ id }) => id)
    expect(await newest(1)).toEqual([idAt(1)])
    expect(await newest(5)).toEqual([idAt(1), idAt(0)])
  })

  it('regression: a source of a newer version is told, and the others are listed', async () => {
    const table = await tables.fresh()
    const sources = createSourceStore(table)
    const other: Source = {
      ...sourceDefaults,
      id: 'other',
      baseUrl: 'https://service.example',
      tokenSecret: 't',
    }
    await sources.put(other)
    await sources.put({ ...other, id: 'one' })
    await set(table, { pk: 'SOURCE', sk: 'one' }, 'v', 2)
    const told: [string, string][] = []
    expect(await sources.list((id, { code }) => void told.push([id, code]))).toEqual([other])
    expect(told).toEqual([['one', 'item_newer']])
    await expect(sources.list()).rejects.toMatchObject({ code: 'item_newer' })
  })

  it('a delivery in a state that does not exist', async () => {
    const table = await tables.fresh()
    const store = createDeliveryStore(table)
    await store.write(sampleDelivery(), { kind: 'unsettled_before', rank: 1_001 })
    await set(table, { pk: 'DELIVERY#shop#2026-11-20', sk: idAt(0) }, 'st', 'lost')
    await expect(store.read({ endpointId: 'shop', eventId: idAt(0) })).rejects.toMatchObject({
      code: 'item_corrupt',
      message: "an item (delivery) can't be read: st: invalid_value",
    })
  })

  it('an endpoint in a list', async () => {
    const table = await tables.fresh()
    await createEndpointStore(table).put(sampleEndpoint())
    await set(table, { pk: 'ENDPOINT', sk: 'shop' }, 'settings', '[]')
    await expect(createEndpointStore(table).list()).rejects.toMatchObject({ code: 'item_corrupt' })
  })
})

describe('a table key', () => {
  it.each(['', 'a#b'])('takes no id "%s", which would make two keys one', async id => {
    const store = createSourceStore(await tables.fresh())
    await expect(store.read(id)).rejects.toMatchObject({ code: 'invalid_id' })
  })
})

it('a table that does not exist says so', async () => {
  const { client } = await tables.fresh()
  await expect(createSourceStore({ client, tableName: 'missing' }).list()).rejects.toMatchObject({
    code: 'table_missing',
  })
})
