import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { FaultCount } from '../../../shared/domain/delivery/delivery-queue.ts'
import { faultDelayMs, faultsLastMsMax } from '../../../shared/domain/delivery/own-fault.ts'
import { answered, createHarness, idOf, messageIn, messageOf, nowMs, receivedOf } from './harness.ts'

const down = async (): Promise<never> => {
  throw new BridgeError({ code: 'table_unavailable', message: 'no answer', hint: 'Wait.' })
}

test('a fault of ours puts a message off for longer each time, up to what the queue takes', () => {
  const delays = [0, 1, 2, 5, 7, 8, 50].map(count => faultDelayMs({ count, sinceMs: nowMs }))
  expect(delays).toEqual([5_000, 10_000, 20_000, 160_000, 640_000, 900_000, 900_000])
})

describe('where the table can not be read', () => {
  const faults: FaultCount = { count: 1, sinceMs: nowMs - 5_000 }

  test('every message of the batch comes again as it is, later, on its lane', async () => {
    const harness = await createHarness()
    const batch = [receivedOf(), receivedOf({ eventId: idOf('two'), attempt: 3 }, { lane: 'slow', faults })]
    const result = await harness.dispatch(batch, { store: { ...harness.store, readMany: down } })
    expect(result).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([])
    expect(harness.sent).toEqual([
      {
        lane: 'fast',
        group: 'endpoint',
        body: batch[0]?.body,
        delayMs: 5_000,
        faults: { count: 1, sinceMs: nowMs },
      },
      {
        lane: 'slow',
        group: 'endpoint',
        body: batch[1]?.body,
        delayMs: 10_000,
        faults: { ...faults, count: 2 },
      },
    ])
    expect(harness.happenings).toEqual([
      {
        kind: 'fault',
        event: idOf('one'),
        endpoint: 'endpoint',
        reason: 'table_unavailable',
        hint: 'Wait.',
        delayMs: 5_000,
      },
      {
        kind: 'fault',
        event: idOf('two'),
        endpoint: 'endpoint',
        reason: 'table_unavailable',
        hint: 'Wait.',
        delayMs: 10_000,
      },
    ])
  })

  test.each(['sends nothing', 'throws'])('and the queue %s, the item is reported failed', async how => {
    const harness = await createHarness()
    const received = receivedOf()
    const result = await harness.dispatch([received], {
      store: { ...harness.store, readMany: down },
      queue: { send: how === 'throws' ? down : async () => [{ kind: 'failed', reason: 'throttled' }] },
    })
    expect(result).toEqual({ failedMessageIds: [received.messageId] })
  })

  test('for a day, the item is reported failed', async () => {
    const harness = await createHarness()
    const since = (agoMs: number) => receivedOf({}, { faults: { count: 99, sinceMs: nowMs - agoMs } })
    const [within, over] = [since(faultsLastMsMax), since(faultsLastMsMax + 1)]
    const store = { ...harness.store, readMany: down }
    expect(await harness.dispatch([within], { store })).toEqual({ failedMessageIds: [] })
    expect(await harness.dispatch([over], { store })).toEqual({ failedMessageIds: [over.messageId] })
    expect(harness.sent).toHaveLength(1)
  })
})

test('a fault with one message leaves its neighbours alone', async () => {
  const harness = await createHarness()
  const { credentialsOf } = harness.deps.credentials
  let asked = 0
  const credentials = {
    ...harness.deps.credentials,
    credentialsOf: (...of: Parameters<typeof credentialsOf>) => {
      asked += 1
      return asked === 1 ? down() : credentialsOf(...of)
    },
  }
  await harness.dispatch([receivedOf({ eventId: idOf('a') }), receivedOf({ eventId: idOf('b') })], {
    credentials,
  })
  expect(harness.posts.map(({ headers }) => headers['webhook-id'])).toEqual([idOf('b')])
  expect(harness.sent.map(entry => messageIn(entry).eventId)).toEqual([idOf('a')])
})

describe('a success that can not be recorded', () => {
  test('is carried by the message, so that it is recorded later and not POSTed again', async () => {
    const harness = await createHarness({ answer: () => answered(204, { tookMs: 40 }) })
    await harness.dispatch([receivedOf()], { store: { ...harness.store, write: down } })
    const deliveredBy = { atMs: nowMs, tookMs: 40, status: 204 }
    expect(harness.sent.map(messageIn)).toEqual([messageOf({ deliveredBy })])
    expect(harness.sent).toMatchObject([{ lane: 'fast', delayMs: 5_000, faults: { count: 1 } }])

    await harness.dispatch([receivedOf({ deliveredBy })])
    expect(harness.posts).toHaveLength(1)
    expect(await harness.item()).toMatchObject({ state: 'delivered' })
    expect(harness.happenings.at(-1)).toMatchObject({ kind: 'delivered', status: 204, ageMs: 60_040 })
  })

  test('goes before a copy of its message in the same batch, and is the truth over a failure recorded since', async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    await harness.dispatch([receivedOf()])
    const deliveredBy = { atMs: nowMs, tookMs: 40, status: 200 }
    await harness.dispatch([receivedOf({ attempt: 2 }), receivedOf({ deliveredBy })])
    expect(harness.posts).toHaveLength(1)
    expect(await harness.item()).toMatchObject({ state: 'delivered' })
    expect(harness.happenings.at(-1)).toMatchObject({ kind: 'duplicate', reason: 'delivered_before' })
  })
})

test('a retry that the queue does not take is left to the index, and told', async () => {
  const harness = await createHarness({ answer: () => answered(503) })
  const result = await harness.dispatch([receivedOf()], {
    queue: { send: async () => [{ kind: 'failed', reason: 'throttled' }] },
  })
  expect(result).toEqual({ failedMessageIds: [] })
  expect(await harness.item()).toMatchObject({ state: 'waiting', dueMs: nowMs + 905_000 })
  expect(harness.happenings.at(-1)).toMatchObject({ kind: 'fault', reason: 'throttled', delayMs: 0 })
})

describe('a message that can not be read', () => {
  test.each([
    ['{', 'not JSON'],
    [receivedOf({ eventId: 'no-id' }).body, 'eventId: event_id_form'],
  ])('is a dead letter at once, with its reason', async (body, reason) => {
    const harness = await createHarness()
    expect(await harness.dispatch([receivedOf(body), receivedOf()])).toEqual({ failedMessageIds: [] })
    expect(harness.deadLetters).toEqual([{ group: 'endpoint', body, reason }])
    expect(harness.happenings).toContainEqual({ kind: 'unreadable_message', reason })
    expect(harness.posts).toHaveLength(1)
  })

  test('comes again where the dead-letter queue does not take it', async () => {
    const harness = await createHarness()
    const result = await harness.dispatch([receivedOf('{')], { deadLetters: { send: down } })
    expect(result).toEqual({ failedMessageIds: [] })
    expect(harness.sent).toMatchObject([{ body: '{', delayMs: 5_000, faults: { count: 1 } }])
  })

  test('since a newer version wrote it comes again for as long as it takes, and is never a dead letter', async () => {
    const harness = await createHarness()
    const body = '{"v":2,"anything":true}'
    const faults = { count: 500, sinceMs: nowMs - 10 * faultsLastMsMax }
    expect(await harness.dispatch([receivedOf(body, { faults })])).toEqual({ failedMessageIds: [] })
    expect(harness.deadLetters).toEqual([])
    expect(harness.sent).toMatchObject([
      { body, delayMs: 900_000, faults: { count: 501, sinceMs: faults.sinceMs } },
    ])
    expect(harness.happenings).toMatchObject([{ kind: 'fault', reason: 'newer_message' }])
  })

  test('regression: whose item a newer version wrote is put off beyond the 24 hours of other faults', async () => {
    const harness = await createHarness()
    const faults = { count: 500, sinceMs: nowMs - 10 * faultsLastMsMax }
    const newer = new BridgeError({ code: 'item_newer', message: 'version 2', hint: 'Deploy it again.' })
    const throws = async () => Promise.reject(newer)
    const store = { ...harness.store, readMany: throws, read: throws }
    const { body } = receivedOf()
    expect(await harness.dispatch([receivedOf(body, { faults })], { store })).toEqual({
      failedMessageIds: [],
    })
    expect(harness.sent).toMatchObject([{ body, delayMs: 900_000, faults: { count: 501 } }])
  })
})
