import { describe, expect, test } from 'vitest'
import { encodeHeartbeat } from '../../../shared/domain/delivery/delivery-message.ts'
import { noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { createHarness, endpointOf, idOf, messageIn, nowMs, receivedOf } from './harness.ts'

const deliveredBy = { atMs: nowMs - 2_000, tookMs: 40, status: 200 }
const down = async (): Promise<never> => {
  throw new Error('no table')
}

/** A store that counts how often it is asked. */
const watched = async (of: Parameters<typeof createHarness>[0] = {}) => {
  const harness = await createHarness(of)
  const asked: string[] = []
  const store = {
    ...harness.store,
    read: (...key: Parameters<typeof harness.store.read>) => {
      asked.push('read')
      return harness.store.read(...key)
    },
    readMany: (keys: Parameters<typeof harness.store.readMany>[0]) => {
      asked.push(`readMany ${keys.length}`)
      return harness.store.readMany(keys)
    },
  }
  return { ...harness, asked, store }
}

describe('what a batch asks the table', () => {
  test('is one reading of all its deliveries, and none again for a delivery with one message', async () => {
    const harness = await watched()
    await harness.dispatch([receivedOf(), receivedOf({ eventId: idOf('two') })], { store: harness.store })
    expect(harness.asked).toEqual(['readMany 2'])
  })

  test('is nothing where it has no delivery: heartbeats, and what can not be read', async () => {
    const harness = await watched()
    const heartbeat = { eventId: idOf('beat'), endpointId: 'endpoint', notAfterMs: nowMs, body: '{}' }
    await harness.dispatch([receivedOf(encodeHeartbeat(heartbeat)), receivedOf('{')], {
      store: harness.store,
    })
    expect(harness.asked).toEqual([])
    expect(harness.posts).toHaveLength(1)
  })
})

describe('a success that comes with a later attempt of the same delivery', () => {
  test.each([
    ['before it', [receivedOf({ deliveredBy }), receivedOf({ attempt: 2 })]],
    ['after it', [receivedOf({ attempt: 2 }), receivedOf({ deliveredBy })]],
  ])('%s is recorded first, so that nothing is POSTed', async (_, batch) => {
    const harness = await createHarness()
    expect(await harness.dispatch(batch)).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([])
    expect(harness.kinds()).toEqual(['delivered', 'duplicate'])
    expect(await harness.item()).toMatchObject({ state: 'delivered', updatedAtMs: nowMs })
  })

  test('leaves that attempt to another time where the table is away by then', async () => {
    const harness = await createHarness()
    const later = receivedOf({ attempt: 2 })
    const store = { ...harness.store, read: down }
    expect(await harness.dispatch([receivedOf({ deliveredBy }), later], { store })).toEqual({
      failedMessageIds: [],
    })
    expect(harness.posts).toEqual([])
    expect(harness.sent).toMatchObject([{ body: later.body, delayMs: 5_000, faults: { count: 1 } }])
    expect(harness.happenings.at(-1)).toMatchObject({
      kind: 'fault',
      event: idOf('one'),
      endpoint: 'endpoint',
      reason: 'unexpected',
    })
  })
})

test('a batch takes of an endpoint’s slots as many as it has messages for it, whatever it has for others', async () => {
  const limited = endpointOf({ limits: { ...noLimits, maxInFlight: 5 } })
  const harness = await createHarness({ endpoints: [limited, endpointOf({ id: 'other' })] })
  const taken: number[] = []
  const paces = {
    ...harness.deps.paces,
    write: (...[id, state]: Parameters<typeof harness.deps.paces.write>) => {
      taken.push(...state.leases.map(({ slots }) => slots))
      return harness.deps.paces.write(id, state)
    },
  }
  const others = ['a', 'b', 'c'].map(uuid => receivedOf({ eventId: idOf(uuid), endpointId: 'other' }))
  await harness.dispatch([receivedOf(), ...others], { paces })
  expect(harness.posts).toHaveLength(4)
  expect(taken).toEqual([1])
})

describe('a message that can not be read', () => {
  test('is left to the queue where neither queue takes it', async () => {
    const harness = await createHarness()
    const received = receivedOf('{')
    const send = async () => [{ kind: 'failed', reason: 'throttled' } as const]
    expect(await harness.dispatch([received], { deadLetters: { send }, queue: { send } })).toEqual({
      failedMessageIds: [received.messageId],
    })
    expect(harness.happenings).toMatchObject([
      { kind: 'fault', event: null, endpoint: null, reason: 'throttled', delayMs: 0 },
      { kind: 'fault', reason: 'queue_failed', delayMs: 0 },
    ])
  })

  test('is put off in the group that it came in', async () => {
    const harness = await createHarness()
    await harness.dispatch([receivedOf('{', { group: 'theirs' })], { deadLetters: { send: down } })
    expect(harness.sent).toMatchObject([{ group: 'theirs', body: '{', delayMs: 5_000 }])
  })
})

test('a message of a delivery is put off in the group of its endpoint, whatever group it came in', async () => {
  const harness = await createHarness()
  await harness.dispatch([receivedOf({}, { group: null })], { store: { ...harness.store, readMany: down } })
  expect(harness.sent.map(entry => [entry.group, messageIn(entry).endpointId])).toEqual([
    ['endpoint', 'endpoint'],
  ])
})
