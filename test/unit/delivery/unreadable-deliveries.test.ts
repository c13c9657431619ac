import { expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import { createHarness, deliveryOf, idOf, messageIn, nowMs, receivedOf } from './harness.ts'

const corrupt = new BridgeError({ code: 'item_corrupt', message: 'st: invalid', hint: 'Restore it.' })
const unavailable = new BridgeError({ code: 'table_unavailable', message: 'no answer', hint: 'Wait.' })
const bad = idOf('bad')
const isBad = ({ eventId }: { eventId: string }): boolean => eventId === bad

/** A dispatcher with a failed delivery of each, and a store of which every read is kept. */
const create = async (of: { many: BridgeError; one: BridgeError }) => {
  const harness = await createHarness()
  for (const uuid of ['one', 'bad', 'two']) {
    const condition = { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER } as const
    await harness.store.write(deliveryOf({ eventId: idOf(uuid) }), condition)
  }
  const asked: string[] = []
  const store: DeliveryStore = {
    ...harness.store,
    readMany: async keys => {
      asked.push(`${keys.length} deliveries`)
      return keys.some(isBad) ? Promise.reject(of.many) : harness.store.readMany(keys)
    },
    read: async key => {
      asked.push(key.eventId)
      return isBad(key) ? Promise.reject(of.one) : harness.store.read(key)
    },
  }
  return {
    ...{ ...harness, asked },
    dispatch: (batch: Parameters<typeof harness.dispatch>[0]) => harness.dispatch(batch, { store }),
    postedIds: () => harness.posts.map(({ headers }) => headers['webhook-id']).sort(),
  }
}

const threeOf = () => ['one', 'bad', 'two'].map(uuid => receivedOf({ eventId: idOf(uuid), attempt: 2 }))

test('regression: a delivery that can not be read is put off alone, and the others of its batch are delivered', async () => {
  const harness = await create({ many: corrupt, one: corrupt })
  const before = await harness.item('bad')
  const batch = threeOf()
  expect(await harness.dispatch(batch)).toEqual({ failedMessageIds: [] })
  expect(harness.postedIds()).toEqual([idOf('one'), idOf('two')].sort())
  expect(harness.sent).toEqual([
    {
      ...{ lane: 'fast', group: 'endpoint', body: batch[1]?.body },
      ...{ delayMs: 5_000, faults: { count: 1, sinceMs: nowMs } },
    },
  ])
  expect(harness.deadLetters).toEqual([])
  expect(harness.happenings.filter(({ kind }) => kind === 'fault')).toEqual([
    {
      ...{ kind: 'fault', event: bad, endpoint: 'endpoint' },
      ...{ reason: 'item_corrupt', hint: 'Restore it.', delayMs: 5_000 },
    },
  ])
  expect(await harness.item('bad')).toEqual(before)
  expect(await harness.item('one')).toMatchObject({ state: 'delivered' })
  expect(await harness.item('two')).toMatchObject({ state: 'delivered' })
  // Each by itself only after they could not be read together.
  expect(harness.asked).toEqual(['3 deliveries', idOf('one'), bad, idOf('two')])
})

test('regression: every copy of a message whose delivery can not be read is put off', async () => {
  const harness = await create({ many: corrupt, one: corrupt })
  const copies = [2, 3].map(attempt => receivedOf({ eventId: bad, attempt }))
  expect(await harness.dispatch([...copies, receivedOf({ eventId: idOf('new') })])).toEqual({
    failedMessageIds: [],
  })
  expect(harness.postedIds()).toEqual([idOf('new')])
  expect(harness.sent.map(({ body }) => body)).toEqual(copies.map(({ body }) => body))
  expect(harness.asked).toEqual(['2 deliveries', bad, idOf('new')])
})

test('regression: a table that is unavailable puts off the whole batch, and is not asked again', async () => {
  const harness = await create({ many: unavailable, one: unavailable })
  expect(await harness.dispatch(threeOf())).toEqual({ failedMessageIds: [] })
  expect(harness.posts).toEqual([])
  expect(harness.sent.map(entry => messageIn(entry).eventId)).toEqual([idOf('one'), bad, idOf('two')])
  expect(harness.asked).toEqual(['3 deliveries'])
})

test('regression: a table that becomes unavailable while deliveries are read one by one puts off the whole batch', async () => {
  const harness = await create({ many: corrupt, one: unavailable })
  expect(await harness.dispatch(threeOf())).toEqual({ failedMessageIds: [] })
  expect(harness.posts).toEqual([])
  const faults = harness.happenings.map(of => of.kind === 'fault' && of.reason)
  expect(faults).toEqual(['table_unavailable', 'table_unavailable', 'table_unavailable'])
  expect(harness.asked).toHaveLength(4)
})
