import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import {
  answered,
  createHarness,
  deliveryOf,
  endpointOf,
  idOf,
  messageIn,
  messageOf,
  nowMs,
  receivedOf,
} from './harness.ts'

const graceMs = 900_000

/** The delivery is in the table before the message comes. */
const recorded = async (harness: Awaited<ReturnType<typeof createHarness>>, of: Partial<Delivery>) => {
  const condition = { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER } as const
  expect(await harness.store.write(deliveryOf(of), condition)).toBe('written')
}

describe('an attempt', () => {
  test('is signed and POSTed once, and told in one line', async () => {
    const harness = await createHarness({ answer: () => answered(200, { tookMs: 30 }) })
    expect(await harness.dispatch([receivedOf()])).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([
      {
        endpoint: endpointOf(),
        body: '{"id":"one"}',
        deadlineMs: 15_000,
        headers: {
          'content-type': 'application/json',
          'webhook-id': idOf('one'),
          'webhook-timestamp': String(nowMs / 1000),
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
        },
      },
    ])
    const told = { event: idOf('one'), endpoint: 'endpoint', attempt: 1, round: 1, status: 200, reason: null }
    expect(harness.happenings).toEqual([
      {
        kind: 'attempt',
        ...told,
        type: 'email.bounce.hard',
        lane: 'fast',
        tookMs: 30,
        ageMs: 60_030,
        queuedMs: 500,
      },
      { kind: 'delivered', ...told, ageMs: 60_030 },
    ])
  })

  test('that is accepted leaves a tiny item, and nothing in a queue', async () => {
    const harness = await createHarness()
    await harness.dispatch([receivedOf()])
    expect(await harness.item()).toEqual({
      ...deliveryOf({
        state: 'delivered',
        retryAtMs: null,
        dueMs: null,
        firstFailureAtMs: null,
        reason: null,
      }),
      writeId: 'write-1',
      updatedAtMs: nowMs,
    })
    expect(harness.sent).toEqual([])
  })

  test('that fails waits in the queue where that is soon, with a due time after it in the index', async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    await harness.dispatch([receivedOf()])
    expect(await harness.item()).toMatchObject({
      state: 'waiting',
      position: { round: 1, attempt: 1 },
      retryAtMs: nowMs + 5_000,
      dueMs: nowMs + 5_000 + graceMs,
      firstFailureAtMs: nowMs,
      reason: 'http_503',
      attempts: [
        {
          position: { round: 1, attempt: 1 },
          atMs: nowMs,
          status: 503,
          reason: 'http_503',
          answer: 'answer 503',
        },
      ],
    })
    expect(harness.sent).toMatchObject([{ lane: 'fast', group: 'endpoint', delayMs: 5_000, faults: null }])
    expect(harness.sent.map(messageIn)).toEqual([messageOf({ attempt: 2 })])
    expect(harness.kinds()).toEqual(['attempt', 'waiting'])
  })

  test('that fails waits in the table where it is later than the queue can', async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    await harness.dispatch([receivedOf({ attempt: 3 })])
    expect(await harness.item()).toMatchObject({
      state: 'waiting',
      retryAtMs: nowMs + 1_800_000,
      dueMs: nowMs + 1_800_000,
    })
    expect(harness.sent).toEqual([])
  })

  test('that was the last one of the schedule makes a dead letter, and its copy begins the next round', async () => {
    const harness = await createHarness({ answer: () => answered(500) })
    await harness.dispatch([receivedOf({ attempt: 4 })])
    expect(await harness.item()).toMatchObject({
      state: 'dead',
      position: { round: 1, attempt: 4 },
      dueMs: nowMs,
      retryAtMs: null,
      reason: 'http_500',
    })
    expect(harness.sent).toEqual([])
    expect(harness.deadLetters).toMatchObject([{ group: 'endpoint', reason: 'http_500' }])
    expect(harness.deadLetters.map(messageIn)).toEqual([messageOf({ round: 2, attempt: 1 })])
    expect(harness.kinds()).toEqual(['attempt', 'dead'])
  })

  test('that meets a 410 counts, disables the endpoint and is held', async () => {
    const harness = await createHarness({ answer: () => answered(410) })
    await harness.dispatch([receivedOf()])
    expect(await harness.item()).toMatchObject({
      state: 'held',
      position: { round: 1, attempt: 1 },
      dueMs: nowMs,
      firstFailureAtMs: null,
      reason: 'answered_410',
    })
    expect(await harness.endpoints.read('endpoint')).toMatchObject({
      state: 'disabled',
      stateReason: 'answered_410',
    })
    expect(harness.kinds()).toEqual(['attempt', 'endpoint_disabled', 'held'])
  })

  test('that meets a 410 tells once that the endpoint is disabled, and brings no removed one back', async () => {
    const harness = await createHarness({ answer: () => answered(410) })
    await harness.dispatch([receivedOf({ eventId: idOf('a') }), receivedOf({ eventId: idOf('b') })])
    expect(harness.kinds().filter(kind => kind === 'endpoint_disabled')).toHaveLength(1)
    const removing = await createHarness({
      answer: () => {
        void removing.endpoints.setState({ id: 'endpoint', state: 'removed', reason: null, atMs: 0 })
        return answered(410)
      },
    })
    await removing.dispatch([receivedOf()])
    expect(await removing.endpoints.read('endpoint')).toMatchObject({ state: 'removed' })
  })

  test('keeps the last five attempts, and with a success those that failed before it', async () => {
    const harness = await createHarness()
    const failed = (attempt: number) => ({
      position: { round: 1, attempt },
      atMs: nowMs,
      tookMs: 1,
      status: 503,
      reason: 'http_503',
      answer: '',
    })
    await recorded(harness, { position: { round: 1, attempt: 5 }, attempts: [1, 2, 3, 4, 5].map(failed) })
    await harness.dispatch([receivedOf({ attempt: 6 })])
    const { attempts } = (await harness.item()) ?? {}
    expect(attempts?.map(({ position, reason, answer }) => [position.attempt, reason, answer])).toEqual([
      [2, 'http_503', ''],
      [3, 'http_503', ''],
      [4, 'http_503', ''],
      [5, 'http_503', ''],
      [6, null, ''],
    ])
  })

  test("counts a round's time from its first failure, and a new round's anew", async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    await recorded(harness, { firstFailureAtMs: nowMs - 60_000 })
    await harness.dispatch([receivedOf({ attempt: 2 })])
    expect(await harness.item()).toMatchObject({ firstFailureAtMs: nowMs - 60_000 })
    await harness.dispatch([receivedOf({ round: 2 })])
    expect(await harness.item()).toMatchObject({
      position: { round: 2, attempt: 1 },
      firstFailureAtMs: nowMs,
    })
  })
})

describe('a message is dropped, and counted by cause,', () => {
  test.each<[string, Partial<Delivery>, { round: number; attempt: number }, string]>([
    [
      'if its delivery is delivered',
      { state: 'delivered', dueMs: null },
      { round: 2, attempt: 1 },
      'delivered_before',
    ],
    [
      'if its delivery is cancelled',
      { state: 'cancelled', dueMs: null },
      { round: 2, attempt: 1 },
      'cancelled_before',
    ],
    ['if its attempt was settled', {}, { round: 1, attempt: 1 }, 'position_passed'],
    [
      'if a later round has begun',
      { position: { round: 2, attempt: 0 } },
      { round: 1, attempt: 3 },
      'position_passed',
    ],
  ])('%s', async (_, item, position, reason) => {
    const harness = await createHarness()
    await recorded(harness, item)
    expect(await harness.dispatch([receivedOf(position)])).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([])
    expect(harness.happenings).toEqual([
      { kind: 'duplicate', event: idOf('one'), endpoint: 'endpoint', attempt: position.attempt, reason },
    ])
  })

  test('if another copy of it is in the batch', async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    const result = await harness.dispatch([
      receivedOf(),
      receivedOf({ attempt: 2 }),
      receivedOf({ attempt: 2 }),
    ])
    expect(result).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toHaveLength(1)
    expect(await harness.item()).toMatchObject({ position: { round: 1, attempt: 2 } })
    expect(harness.happenings.filter(({ kind }) => kind === 'duplicate')).toMatchObject([
      { attempt: 2, reason: 'same_batch' },
      { attempt: 1, reason: 'same_batch' },
    ])
  })

  test('but not if it is greater than the next', async () => {
    const harness = await createHarness()
    await recorded(harness, { state: 'dead', position: { round: 1, attempt: 4 }, retryAtMs: null })
    await harness.dispatch([receivedOf({ round: 2, attempt: 1 })])
    expect(harness.posts).toHaveLength(1)
    expect(await harness.item()).toMatchObject({ state: 'delivered', position: { round: 2, attempt: 1 } })
  })
})

describe('an endpoint that can not be sent to', () => {
  test.each([
    ['disabled', endpointOf({ state: 'disabled', stateReason: 'answered_410' }), 'answered_410'],
    ['disabled without a word', endpointOf({ state: 'disabled' }), 'endpoint_disabled'],
  ])('since it is %s has its deliveries held, the attempt still to come', async (_, endpoint, reason) => {
    const harness = await createHarness({ endpoints: [endpoint] })
    await recorded(harness, { firstFailureAtMs: nowMs - 5_000 })
    await harness.dispatch([receivedOf({ attempt: 2 })])
    expect(harness.posts).toEqual([])
    expect(await harness.item()).toMatchObject({
      state: 'held',
      position: { round: 1, attempt: 1 },
      dueMs: nowMs,
      retryAtMs: null,
      firstFailureAtMs: nowMs - 5_000,
      reason,
    })
    expect(harness.happenings).toMatchObject([{ kind: 'held', attempt: 2, status: null, reason }])
  })

  test.each(['key_missing', 'key_expired', 'key_invalid', 'authorization_missing'] as const)(
    'for %s has its deliveries held',
    async reason => {
      const harness = await createHarness()
      await harness.dispatch([receivedOf()], {
        credentials: {
          ...harness.deps.credentials,
          credentialsOf: async () => ({ kind: 'none', reason }),
        },
      })
      expect(harness.posts).toEqual([])
      expect(await harness.item()).toMatchObject({
        state: 'held',
        position: { round: 1, attempt: 0 },
        dueMs: nowMs,
        reason,
      })
    },
  )

  test.each([[[endpointOf({ state: 'removed' })]], [[]]])(
    'since it is removed has its deliveries cancelled',
    async endpoints => {
      const harness = await createHarness({ endpoints })
      await harness.dispatch([receivedOf()])
      expect(harness.posts).toEqual([])
      expect(await harness.item()).toMatchObject({
        state: 'cancelled',
        dueMs: null,
        reason: 'endpoint_removed',
      })
      expect(harness.kinds()).toEqual(['cancelled'])
    },
  )
})

describe('the lanes', () => {
  const slow = { endpoints: [endpointOf({ slow: true })] }

  test('the fast one hands what is for a slow endpoint on, as it came', async () => {
    const harness = await createHarness(slow)
    const received = receivedOf({}, { faults: { count: 2, sinceMs: nowMs - 9_000 } })
    expect(await harness.dispatch([received])).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([])
    expect(harness.sent).toEqual([
      { lane: 'slow', group: 'endpoint', body: received.body, delayMs: 0, faults: received.faults },
    ])
    expect(await harness.item()).toBeNull()
  })

  test('the slow one sends it, and its retry stays there', async () => {
    const harness = await createHarness({ ...slow, answer: () => answered(503) })
    await harness.dispatch([receivedOf({}, { lane: 'slow' })])
    expect(harness.posts).toHaveLength(1)
    expect(harness.sent).toMatchObject([{ lane: 'slow', delayMs: 5_000 }])
  })

  test('what can not be handed on is put off, unattempted', async () => {
    const harness = await createHarness(slow)
    const entries: unknown[] = []
    const result = await harness.dispatch([receivedOf()], {
      queue: {
        send: async ([entry]) => {
          entries.push(entry)
          return entry?.lane === 'slow' ? [{ kind: 'failed', reason: 'throttled' }] : [{ kind: 'sent' }]
        },
      },
    })
    expect(result).toEqual({ failedMessageIds: [] })
    expect(harness.posts).toEqual([])
    expect(entries).toMatchObject([
      { lane: 'slow' },
      { lane: 'fast', delayMs: 5_000, faults: { count: 1, sinceMs: nowMs } },
    ])
  })

  test('an answer that takes long makes an endpoint slow, written once for many attempts', async () => {
    const harness = await createHarness({ answer: () => answered(200, { tookMs: 2_500 }) })
    const batch = ['a', 'b', 'c', 'd'].map(uuid => receivedOf({ eventId: idOf(uuid) }))
    await harness.dispatch(batch)
    expect(await harness.endpoints.read('endpoint')).toMatchObject({ slow: true })
    expect(harness.happenings.filter(({ kind }) => kind === 'endpoint_lane')).toEqual([
      { kind: 'endpoint_lane', endpoint: 'endpoint', lane: 'slow' },
    ])
  })
})

describe('a refused condition', () => {
  test('that was this very write, sent again by the client, is no refusal', async () => {
    const harness = await createHarness({ answer: () => answered(503) })
    const { store } = harness
    await harness.dispatch([receivedOf()], {
      store: {
        ...store,
        write: async (delivery, condition) => {
          await store.write(delivery, condition)
          return store.write(delivery, condition)
        },
      },
    })
    expect(harness.sent).toHaveLength(1)
    expect(harness.kinds()).toEqual(['attempt', 'waiting'])
  })

  test("that was another's write drops the message", async () => {
    const harness = await createHarness({
      answer: async () => {
        await recorded(harness, { position: { round: 1, attempt: 2 } })
        return answered(503)
      },
    })
    await harness.dispatch([receivedOf()])
    expect(harness.sent).toEqual([])
    expect(await harness.item()).toMatchObject({ writeId: 'before' })
    expect(harness.happenings).toMatchObject([
      { kind: 'attempt' },
      { kind: 'duplicate', reason: 'settled_elsewhere' },
    ])
  })

  test('a success is recorded whatever failure was recorded meanwhile', async () => {
    const harness = await createHarness({
      answer: async () => {
        await recorded(harness, { state: 'dead', position: { round: 1, attempt: 4 }, retryAtMs: null })
        return answered(200)
      },
    })
    await harness.dispatch([receivedOf()])
    expect(await harness.item()).toMatchObject({ state: 'delivered' })
  })
})

test('a batch reads its deliveries at once, a hundred keys at a time', async () => {
  const harness = await createHarness()
  const reads: number[] = []
  const batch = Array.from({ length: 120 }, (_, index) => receivedOf({ eventId: idOf(`event ${index}`) }))
  await harness.dispatch(batch, {
    store: {
      ...harness.store,
      readMany: async keys => {
        reads.push(keys.length)
        return harness.store.readMany(keys)
      },
    },
  })
  expect(reads).toEqual([100, 20])
  expect(harness.posts).toHaveLength(120)
})
