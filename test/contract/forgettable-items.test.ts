import { createHash, randomBytes } from 'node:crypto'
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { describe, expect, it } from 'vitest'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createEventPages } from '../../shared/adapters/dynamodb/event-pages.ts'
import { createForgettableItems } from '../../shared/adapters/dynamodb/forgettable-items.ts'
import { createQuarantine } from '../../shared/adapters/dynamodb/quarantine.ts'
import { createMemoryDeliveryStore } from '../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEventLog } from '../../shared/adapters/memory/event-log.ts'
import { createMemoryForgettableItems } from '../../shared/adapters/memory/forgettable-items.ts'
import { createMemoryQuarantine } from '../../shared/adapters/memory/quarantine.ts'
import type { DeliveryStore } from '../../shared/domain/delivery/delivery-store.ts'
import type { Forgettable, ForgettableItems } from '../../shared/domain/forget/forgettable-items.ts'
import type { EventLog, LoggedEvent } from '../../shared/domain/polling/event-log.ts'
import type { Quarantine, QuarantinedRecord } from '../../shared/domain/polling/quarantine.ts'
import { day, dayStart, sampleDelivery, sampleEvent } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

type World = { items: ForgettableItems; log: EventLog; quarantine: Quarantine; store: DeliveryStore }

const recordOf = (text: string): QuarantinedRecord => ({
  sourceId: 'main',
  stream: 'complaints',
  hash: createHash('sha256').update(text, 'utf8').digest('hex'),
  text,
  reason: 'no_uuid',
  atMs: 1_795_132_800_000,
})

const keyOf = (event: LoggedEvent) => ({ ...event, eventId: event.id })
const summaryOf = ({ body: _body, ...summary }: LoggedEvent) => summary

const allOf = async ({ items }: World): Promise<Forgettable[]> => {
  const all: Forgettable[] = []
  let after: unknown = null
  do {
    const page = await items.page(after)
    all.push(...page.items)
    after = page.after
  } while (after !== null)
  return all
}

const idsOf = (all: readonly Forgettable[]): string[] =>
  all
    .map(item => (item.kind === 'event' ? item.event.id : item.kind === 'quarantined' ? item.head.hash : '?'))
    .toSorted()

const describeItems = (name: string, create: () => Promise<World>) =>
  describe(`what may be forgotten: ${name}`, () => {
    it('is every event and quarantined record, of whatever source and day, and nothing else', async () => {
      const world = await create()
      const events = [
        sampleEvent(0),
        sampleEvent(1, 'b', { sourceId: 'removed', stream: 'complaints' }),
        sampleEvent(-86_400 * 200, 'old'),
      ]
      const record = recordOf('[1]')
      await world.log.record(events)
      await world.quarantine.keep(record)
      await world.store.write(sampleDelivery(), { kind: 'unsettled_before', rank: 1 })
      const all = await allOf(world)
      expect(idsOf(all)).toEqual([...events.map(({ id }) => id), record.hash].toSorted())
      for (const event of events) expect(all).toContainEqual({ kind: 'event', event })
      const { text: _, ...head } = record
      expect(all).toContainEqual({ kind: 'quarantined', head: { ...head, parts: 1 } })
    })

    it('comes in pages of whatever size, each item once', async () => {
      const world = await create()
      const noise = randomBytes(200_000).toString('base64')
      const events = Array.from({ length: 12 }, (_, n) => sampleEvent(n, `record-${n}`, { body: noise }))
      await world.log.record(events)
      expect(idsOf(await allOf(world))).toEqual(events.map(({ id }) => id).toSorted())
    })

    it('an event that was forgotten has no body, is known, and is not shown again', async () => {
      const world = await create()
      const [event, other] = [sampleEvent(1, 'a'), sampleEvent(2, 'b')]
      await world.log.record([event, other])
      expect(await world.items.forgetEvent(keyOf(event), 5_000)).toBe('forgotten')
      const kept = { ...summaryOf(event), forgottenAtMs: 5_000 }
      expect(await world.log.read(keyOf(event))).toEqual({ ...kept, body: null })
      expect(idsOf(await allOf(world))).toEqual([other.id])
      const stream = { sourceId: 'main', stream: 'bounces' } as const
      expect(await world.log.existing({ ...stream, ids: [event.id] })).toEqual(new Set([event.id]))
      const range = { ...stream, firstId: event.id, lastId: event.id }
      expect(await world.log.idsInRange(range)).toEqual([event.id])
      const page = { ...stream, day, fromId: event.id, limit: 10 }
      expect((await world.log.pageOfDay(page)).events).toEqual([kept, summaryOf(other)])
      const newest = { ...stream, day, untilSecond: dayStart + 1, limit: 1 }
      expect(await world.log.newestOfDay(newest)).toEqual([kept])
    })

    it('an event is forgotten once: the first time stays, and one that is gone does not come back', async () => {
      const world = await create()
      const event = sampleEvent(1)
      await world.log.record([event])
      await world.items.forgetEvent(keyOf(event), 5_000)
      expect(await world.items.forgetEvent(keyOf(event), 6_000)).toBe('forgotten')
      expect(await world.log.read(keyOf(event))).toMatchObject({ forgottenAtMs: 5_000 })
      expect(await world.items.forgetEvent(keyOf(sampleEvent(2)), 6_000)).toBe('missing')
      expect(await world.log.read(keyOf(sampleEvent(2)))).toBeNull()
    })

    it.each([
      ['a few bytes', '{"rcpt":"jo@example.com"}'],
      ['a megabyte and more that does not pack', randomBytes(1_200_000).toString('base64')],
    ])('a record of %s leaves its hash, by which it is known', async (_, text) => {
      const world = await create()
      const record = recordOf(text)
      await world.quarantine.keep(record)
      const [found] = await allOf(world)
      if (found?.kind !== 'quarantined') throw new Error('no record')
      await world.items.forgetQuarantined(found.head)
      expect(await world.quarantine.read(record)).toEqual({ ...record, reason: 'forgotten', text: '' })
      expect(await world.quarantine.keep(record)).toBe('known')
      expect(await allOf(world)).toMatchObject([
        { head: { hash: record.hash, reason: 'forgotten', parts: 1 } },
      ])
    })

    it('a delivery that was forgotten is not made delivered by who does not know it', async () => {
      const { store } = await create()
      const forgotten = sampleDelivery({
        state: 'cancelled',
        reason: 'forgotten',
        retryAtMs: null,
        dueMs: null,
      })
      await store.write(forgotten, { kind: 'unsettled_before', rank: 1 })
      const delivered = sampleDelivery({ state: 'delivered', reason: null, retryAtMs: null, dueMs: null })
      expect(await store.write(delivered, { kind: 'round_not_passed', rank: 999_000 })).toBe('refused')
      expect(await store.read(forgotten)).toEqual(forgotten)
      const reasons = [null, 'endpoint_removed'] as const
      for (const [at, reason] of reasons.entries()) {
        const cancelled = { ...forgotten, endpointId: `other-${at}`, reason }
        await store.write(cancelled, { kind: 'unsettled_before', rank: 1 })
        const condition = { kind: 'round_not_passed', rank: 999_000 } as const
        expect(await store.write({ ...delivered, endpointId: `other-${at}` }, condition)).toBe('written')
      }
    })
  })

describeItems('in memory', async () => {
  const [log, quarantine] = [createMemoryEventLog(), createMemoryQuarantine()]
  const items = createMemoryForgettableItems({ log, quarantine })
  return { items, log, quarantine, store: createMemoryDeliveryStore() }
})

const tables = useTables()

describeItems('in DynamoDB', async () => {
  const table = await tables.fresh()
  return {
    items: createForgettableItems(table),
    log: createEventLog(table),
    quarantine: createQuarantine(table),
    store: createDeliveryStore(table),
  }
})

describe('in the table itself', () => {
  it('nothing is left of a large record but its head, also where it was interrupted before its parts', async () => {
    const table = await tables.fresh()
    const quarantine = createQuarantine(table)
    const items = createForgettableItems(table)
    const record = recordOf(randomBytes(1_200_000).toString('base64'))
    await quarantine.keep(record)
    const stored = async () =>
      (await table.client.send(new ScanCommand({ TableName: table.tableName }))).Count
    expect(await stored()).toBeGreaterThan(1)
    const [found] = (await items.page(null)).items
    if (found?.kind !== 'quarantined') throw new Error('no record')
    expect(found.head.parts).toBeGreaterThan(2)
    const dying = {
      ...table,
      client: Object.create(table.client, {
        send: {
          value: (command: object) =>
            command.constructor.name === 'DeleteCommand'
              ? Promise.reject(new Error('killed'))
              : Reflect.apply(table.client.send, table.client, [command]),
        },
      }),
    }
    await expect(createForgettableItems(dying).forgetQuarantined(found.head)).rejects.toThrow()
    expect(await quarantine.read(record)).toMatchObject({ reason: 'forgotten', text: '' })
    const [left] = (await items.page(null)).items
    if (left?.kind !== 'quarantined') throw new Error('no record')
    expect(left.head).toEqual({ ...found.head, reason: 'forgotten' })
    await items.forgetQuarantined(left.head)
    expect(await stored()).toBe(1)
    expect(await quarantine.read(record)).toMatchObject({ reason: 'forgotten', text: '' })
  })

  it('what an operator looks through shows a forgotten event without a body', async () => {
    const table = await tables.fresh()
    const event = sampleEvent(1)
    await createEventLog(table).record([event])
    await createForgettableItems(table).forgetEvent(keyOf(event), 5_000)
    const query = {
      sourceId: 'main',
      stream: 'bounces',
      day,
      fromId: event.id,
      toId: event.id,
      order: 'oldest',
      after: null,
    } as const
    const kept = { ...summaryOf(event), forgottenAtMs: 5_000 }
    const pages = createEventPages(table)
    expect((await pages.summaries(query)).items).toEqual([kept])
    expect((await pages.events(query)).items).toEqual([{ ...kept, body: null }])
  })

  it('an item that no code of this version reads is counted as that', async () => {
    const table = await tables.fresh()
    await createEventLog(table).record([sampleEvent(1)])
    const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.tableName }))
    const broken = [
      { ...Items[0], sk: 'x' },
      { ...Items[0], v: 99 },
    ]
    for (const [at, Item] of broken.entries()) {
      await table.client.send(
        new PutCommand({ TableName: table.tableName, Item: { ...Item, pk: `EVENT#${at}`, sk: 'x' } }),
      )
    }
    const { items } = await createForgettableItems(table).page(null)
    expect([...items].map(({ kind }) => kind).toSorted()).toEqual(['event', 'unreadable', 'unreadable'])
  })
})
