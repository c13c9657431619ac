import { describe, expect, test } from 'vitest'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createCountedTable } from '../../bench/growth/counted-table.ts'
import { holds, parseCondition, parseUpdate, updated } from '../../bench/growth/expressions.ts'
import {
  day,
  dayStart,
  idAt,
  sampleDelivery,
  sampleEndpoint,
  sampleEvent,
} from '../../contract/support/samples.ts'

const ofStream = { sourceId: 'main', stream: 'bounces' } as const

describe('the table of a bench, behind the real adapters', () => {
  test('keeps deliveries under their conditions, and its index in the order of due times', async () => {
    const store = createDeliveryStore(createCountedTable().table)
    const ids = [5, 3, 9].map(second => idAt(second))
    for (const [at, eventId] of ids.entries()) {
      const delivery = sampleDelivery({ eventId, dueMs: 1_000 * (at + 1) })
      expect(await store.write(delivery, { kind: 'unsettled_before', rank: 2_000 })).toBe('written')
    }
    const again = sampleDelivery({ eventId: ids[0] ?? '' })
    expect(await store.write(again, { kind: 'unsettled_before', rank: 1_001 })).toBe('refused')
    const due = (untilMs: number) => store.due({ endpointId: 'shop', state: 'waiting', untilMs, limit: 10 })
    expect((await due(2_000)).map(({ eventId }) => eventId)).toEqual(ids.slice(0, 2))
    const [first] = await due(2_000)
    expect(first && (await store.moveDue(first, 9_000))?.dueMs).toBe(9_000)
    expect(first && (await store.moveDue(first, 9_000))).toBeNull()
    expect((await due(9_000)).map(({ dueMs }) => dueMs)).toEqual([2_000, 3_000, 9_000])
    const range = { endpointId: 'shop', firstEventId: idAt(4), lastEventId: idAt(9) }
    expect(await store.eventIds(range)).toEqual(new Set([ids[0], ids[2]]))
    expect(await store.readMany(ids.map(eventId => ({ endpointId: 'shop', eventId })))).toHaveLength(3)
  })

  test('reads the log in both directions, page by page', async () => {
    const log = createEventLog(createCountedTable().table)
    const events = [10, 20, 30, 40].map(second => sampleEvent(second))
    await log.record(events)
    const newest = await log.newestOfDay({ ...ofStream, day, untilSecond: dayStart + 30, limit: 2 })
    expect(newest.map(({ second }) => second - dayStart)).toEqual([30, 20])
    const page = await log.pageOfDay({ ...ofStream, day, fromId: idAt(20), limit: 2 })
    expect(page.events.map(({ second }) => second - dayStart)).toEqual([20, 30])
    expect(page.nextFromId).toBe(idAt(40))
  })

  test('goes on with a list where a page of 1 MB ended', async () => {
    const { table, counts } = createCountedTable()
    const log = createEventLog(table)
    // Of random text, which does not pack: some 130 KB each.
    const bodyOf = () => Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('')
    const seconds = Array.from({ length: 10 }, (_, at) => at + 1)
    await log.record(seconds.map(second => sampleEvent(second, 'r', { body: bodyOf() })))
    const { calls } = counts()
    expect(await log.idsInRange({ ...ofStream, firstId: idAt(0), lastId: idAt(11) })).toHaveLength(10)
    expect(counts().calls - calls).toBe(2)
  })

  test('changes endpoints and counts as their updates say', async () => {
    const { table } = createCountedTable()
    const endpoints = createEndpointStore(table)
    await endpoints.put(sampleEndpoint())
    const change = {
      id: 'shop',
      state: 'disabled',
      reason: 'answered_410',
      atMs: 5,
      isToBeTold: true,
    } as const
    expect([await endpoints.setState(change), await endpoints.setState(change)]).toEqual([true, false])
    expect((await endpoints.untold()).map(({ state }) => state)).toEqual(['disabled'])
    await endpoints.setTold({ id: 'shop', stateSinceMs: 5 })
    expect(await endpoints.untold()).toEqual([])
    const heartbeats = createHeartbeatStore({ ...table, now: () => 0 })
    await heartbeats.count('shop', { delivered: 2, failed: 1 })
    await heartbeats.count('shop', { delivered: 3, failed: 0 })
    expect((await heartbeats.read('shop')).totals).toEqual({ delivered: 5, failed: 1 })
  })

  test('counts calls, and what each looked at', async () => {
    const { table, counts } = createCountedTable()
    const log = createEventLog(table)
    await log.record([10, 20, 30].map(second => sampleEvent(second)))
    expect(counts()).toMatchObject({ calls: 1, itemsRead: 0, itemsWritten: 3 })
    await log.newestOfDay({ ...ofStream, day, untilSecond: dayStart + 60, limit: 2 })
    expect(counts()).toMatchObject({ calls: 2, itemsRead: 2, itemsWritten: 3 })
    expect(await log.read({ ...ofStream, eventId: idAt(11) })).toBeNull()
    expect(counts()).toMatchObject({ calls: 3, itemsRead: 2 })
  })

  test('makes the items of very many keys when they are asked for', () => {
    const { main } = createCountedTable()
    main.fillWith('p', ['c', 'a', 'b'], sk => ({ sk: { S: sk }, n: { N: '1' } }))
    main.put('p', 'b', { sk: { S: 'b' }, n: { N: '2' } })
    main.remove('p', 'c')
    const range = { low: 'a', high: 'z', below: true, isReverse: true, after: null }
    expect(main.page('p', range, 10).items.map(({ n }) => n)).toEqual([{ N: '2' }, { N: '1' }])
    expect(main.get('p', 'c')).toBeNull()
  })
})

test('conditions bind as DynamoDB reads them: AND before OR, and a comparison with nothing fails', () => {
  const condition = parseCondition('attribute_not_exists(pk) OR st <> :a AND p < :n')
  const bindings = { ExpressionAttributeValues: { ':a': { S: 'x' }, ':n': { N: '10' } } }
  const item = (st: string, p: string) => ({ pk: { S: 'k' }, st: { S: st }, p: { N: p } })
  expect(holds(condition, null, bindings)).toBe(true)
  expect(holds(condition, item('y', '9'), bindings)).toBe(true)
  expect(holds(condition, item('x', '9'), bindings)).toBe(false)
  expect(holds(condition, item('y', '10'), bindings)).toBe(false)
  expect(holds(parseCondition('p < :n'), { pk: { S: 'k' } }, bindings)).toBe(false)
  expect(() => parseCondition('size(p) LIKE :n')).toThrow('size')
})

test('an update sets, adds and removes, from what was there', () => {
  const update = parseUpdate('SET a = if_not_exists(a, :one) + :one, b = :one REMOVE c ADD d :one')
  const one = { ExpressionAttributeValues: { ':one': { N: '1' } } }
  const after = updated(update, { a: { N: '5' }, c: { S: 'gone' } }, one)
  expect(after).toEqual({ a: { N: '6' }, b: { N: '1' }, d: { N: '1' } })
})
