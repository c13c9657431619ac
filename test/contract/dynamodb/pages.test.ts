import { describe, expect, test } from 'vitest'
import { createDeliveryPages } from '../../../shared/adapters/dynamodb/delivery-pages.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import {
  createEventPages,
  type Order,
  type Page,
  type PageQuery,
} from '../../../shared/adapters/dynamodb/event-pages.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import { day, deliveredDelivery, idAt, sampleDelivery, sampleEvent } from '../support/samples.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()

/** All pages of a query, one after the other. */
const readAll = async <T>(
  page: (after: string | null) => Promise<Page<T>>,
): Promise<{ items: T[]; pages: number }> => {
  const items: T[] = []
  let pages = 0
  for (let after: string | null = null; ; ) {
    const answer = await page(after)
    items.push(...answer.items)
    pages += 1
    if (answer.after === null) return { items, pages }
    after = answer.after
  }
}

const of = (from: number, to: number, order: Order): Omit<PageQuery, 'after'> => ({
  day,
  fromId: idAt(from),
  toId: idAt(to),
  order,
})

describe('pages of events', () => {
  const stream = { sourceId: 'main', stream: 'bounces' } as const

  test('show the part of a day in either order, both ends included, with or without bodies', async () => {
    const table = await tables.fresh()
    const log = createEventLog(table)
    const events = [1, 2, 3, 4].map(second => sampleEvent(second))
    await log.record([...events, sampleEvent(2, 'other', { stream: 'complaints' }), sampleEvent(90_000)])
    const pages = createEventPages(table)
    const some = events.slice(1, 3)
    const { items } = await readAll(after => pages.events({ ...stream, ...of(2, 3, 'oldest'), after }))
    expect(items).toEqual(some)
    const newest = await readAll(after => pages.summaries({ ...stream, ...of(2, 3, 'newest'), after }))
    expect(newest.items).toEqual(some.toReversed().map(({ body: _, ...summary }) => summary))
  })

  test.each<Order>(['oldest', 'newest'])('of more than a page go on, %s first', async order => {
    const table = await tables.fresh()
    const events = Array.from({ length: 1_201 }, (_, second) => sampleEvent(second))
    await createEventLog(table).record(events)
    const pages = createEventPages(table)
    const read = await readAll(after => pages.summaries({ ...stream, ...of(0, 1_200, order), after }))
    const ids = events.map(({ id }) => id)
    expect(read.items.map(({ id }) => id)).toEqual(order === 'oldest' ? ids : ids.toReversed())
    expect(read.pages).toBe(3)
  })
})

describe('pages of deliveries', () => {
  const condition = { kind: 'unsettled_before', rank: rank({ round: 9, attempt: 1 }) } as const

  test('show all states, or those that are asked for, of one endpoint', async () => {
    const table = await tables.fresh()
    const store = createDeliveryStore(table)
    const waiting = sampleDelivery({ eventId: idAt(1) })
    const delivered = deliveredDelivery({ eventId: idAt(2) })
    const dead = sampleDelivery({ eventId: idAt(3), state: 'dead', retryAtMs: null })
    for (const delivery of [
      waiting,
      delivered,
      dead,
      sampleDelivery({ endpointId: 'crm', eventId: idAt(2) }),
    ]) {
      await store.write(delivery, condition)
    }
    const pages = createDeliveryPages(table)
    const read = async (states: Parameters<typeof pages.page>[0]['states'], order: Order) =>
      (await readAll(after => pages.page({ endpointId: 'shop', states, ...of(0, 9, order), after }))).items
    expect(await read(null, 'oldest')).toEqual([waiting, delivered, dead])
    expect(await read(['dead', 'waiting'], 'newest')).toEqual([dead, waiting])
    expect(await read(['held'], 'oldest')).toEqual([])
  })

  test('say how many were looked at, more than are shown', async () => {
    const table = await tables.fresh()
    const store = createDeliveryStore(table)
    for (const second of [1, 2, 3]) await store.write(deliveredDelivery({ eventId: idAt(second) }), condition)
    const { page } = createDeliveryPages(table)
    const query = { endpointId: 'shop', ...of(0, 9, 'oldest'), after: null }
    expect(await page({ ...query, states: ['dead'] })).toEqual({ items: [], after: null, looked: 3 })
  })
})
