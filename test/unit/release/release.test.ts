import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import { entriesAtOnceMax, leaseMs, lostQueueHorizonMs } from '../../../shared/domain/release/due-entries.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { endpointOf, idOf, messageIn, messageOf, nowMs } from '../delivery/harness.ts'
import { createHarness, eventOf, held, waiting } from './harness.ts'

const minuteMs = 60_000

describe('what is due', () => {
  test('is sent as its next attempt, made from the log, and its entry is leased', async () => {
    const harness = await createHarness()
    const event = await harness.given('one', waiting)
    expect(await release(harness, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(harness.sent).toMatchObject([{ lane: 'fast', group: 'endpoint', delayMs: 0, faults: null }])
    expect(harness.sent.map(messageIn)).toEqual([
      messageOf({ attempt: 4, body: event.body, enqueuedAtMs: event.loggedAtMs }),
    ])
    expect(await harness.item('one')).toMatchObject({
      state: 'waiting',
      dueMs: nowMs + leaseMs,
      writeId: 'before',
    })
    expect(harness.happenings).toEqual([
      { kind: 'released', endpoint: 'endpoint', state: 'waiting', count: 1 },
    ])
  })

  test('later stays', async () => {
    const harness = await createHarness()
    await harness.given('one', { ...waiting, dueMs: nowMs + 1 })
    expect(await release(harness, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(await harness.item('one')).toMatchObject({ dueMs: nowMs + 1 })
  })

  test('is sent once by two runs at the same time', async () => {
    const harness = await createHarness()
    await harness.given('one', waiting)
    await harness.given('two', waiting)
    const runs = await Promise.all([release(harness, harness.deps), release(harness, harness.deps)])
    expect(runs.reduce((sum, { sent }) => sum + sent, 0)).toBe(2)
    expect(harness.sentIds()).toEqual([idOf('one'), idOf('two')].sort())
  })

  test('comes back when its lease ends, if nothing came of its message', async () => {
    const harness = await createHarness()
    await harness.given('one', waiting)
    await release(harness, harness.deps)
    await harness.turn(leaseMs - 1)
    await release({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
    expect(harness.sent).toHaveLength(1)
    await harness.turn(2)
    await release({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
    expect(harness.sent).toHaveLength(2)
  })

  test('goes to the slow lane for a slow endpoint', async () => {
    const harness = await createHarness({ endpoints: [endpointOf({ slow: true })] })
    await harness.given('one', waiting)
    await release(harness, harness.deps)
    expect(harness.sent).toMatchObject([{ lane: 'slow' }])
  })

  test('is taken a bounded page at a time, until none is left', async () => {
    const harness = await createHarness()
    const uuids = Array.from({ length: 450 }, (_, index) => `event ${index}`)
    for (const uuid of uuids) await harness.given(uuid, waiting)
    const pages: number[] = []
    const { queue } = harness.deps
    const send: typeof queue.send = entries => {
      pages.push(entries.length)
      return queue.send(entries)
    }
    const run = await release(harness, { ...harness.deps, queue: { send } })
    expect(run).toEqual({ sent: 450, complete: true })
    expect(Math.max(...pages)).toBeLessThanOrEqual(entriesAtOnceMax)
    expect(harness.sentIds()).toEqual(uuids.map(uuid => idOf(uuid)).sort())
  })
})

describe('what is held', () => {
  test('is sent once its endpoint is active and can be signed for', async () => {
    const harness = await createHarness()
    await harness.given('one', held)
    await release(harness, harness.deps)
    expect(harness.sent.map(messageIn)).toMatchObject([{ round: 1, attempt: 1 }])
    expect(harness.happenings).toMatchObject([{ kind: 'released', state: 'held', count: 1 }])
  })

  test('is sent for a removed endpoint, so that the dispatcher cancels it', async () => {
    const harness = await createHarness({ endpoints: [endpointOf({ state: 'removed' })] })
    await harness.given('one', held)
    await release(harness, harness.deps)
    expect(harness.sent).toHaveLength(1)
  })

  test('stays for a disabled endpoint, whose waiting deliveries are sent', async () => {
    const harness = await createHarness({ endpoints: [endpointOf({ state: 'disabled' })] })
    await harness.given('held', held)
    await harness.given('waiting', waiting)
    await release(harness, harness.deps)
    expect(harness.sentIds()).toEqual([idOf('waiting')])
  })

  test.each(['key_missing', 'key_expired', 'authorization_missing'] as const)(
    'stays where it is %s',
    async reason => {
      const harness = await createHarness()
      await harness.given('one', held)
      const credentials = {
        ...harness.deps.credentials,
        credentialsOf: async () => ({ kind: 'none', reason }) as const,
      }
      expect(await release(harness, { ...harness.deps, credentials })).toEqual({ sent: 0, complete: true })
    },
  )

  test('regression: has its secrets read, once a run, and nobody else has', async () => {
    const ids = ['busy', 'idle', 'gone']
    const endpoints = ids.map(id => endpointOf({ id, state: id === 'gone' ? 'disabled' : 'active' }))
    const harness = await createHarness({ endpoints })
    const longAgo = { ...held, dueMs: nowMs - 2 * roundMsMax(harness.deps.schedule) }
    for (const endpointId of ['busy', 'gone']) {
      await harness.given(`of ${endpointId}`, { ...held, endpointId })
      await harness.given(`old one of ${endpointId}`, { ...longAgo, endpointId })
    }
    const asked: string[] = []
    const { credentials } = harness.deps
    const credentialsOf: typeof credentials.credentialsOf = (endpoint, atMs) => {
      asked.push(endpoint.id)
      return credentials.credentialsOf(endpoint, atMs)
    }
    await release(harness, { ...harness.deps, credentials: { ...credentials, credentialsOf } })
    expect(asked).toEqual(['busy'])
    expect(harness.sent).toHaveLength(2)
  })

  test('stays where the secrets can not be asked, and the others go on', async () => {
    const harness = await createHarness({ endpoints: [endpointOf(), endpointOf({ id: 'other' })] })
    await harness.given('one', held)
    await harness.given('two', { ...held, endpointId: 'other' })
    const credentialsOf: typeof harness.deps.credentials.credentialsOf = async ({ id }) => {
      if (id === 'other') return { kind: 'credentials', keys: [], authorization: null }
      throw new BridgeError({ code: 'secrets_unavailable', message: 'no answer', hint: 'Wait.' })
    }
    await release(harness, { ...harness.deps, credentials: { ...harness.deps.credentials, credentialsOf } })
    expect(harness.sent).toMatchObject([{ group: 'other' }])
    expect(harness.happenings[0]).toMatchObject({
      kind: 'fault',
      endpoint: 'endpoint',
      reason: 'secrets_unavailable',
    })
  })
})

describe('what can not be sent', () => {
  test('since its event is not in the log yet is left to its lease', async () => {
    const harness = await createHarness()
    await harness.put(waiting)
    expect(await release(harness, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(await harness.item('one')).toMatchObject({ state: 'waiting', dueMs: nowMs + leaseMs })
    expect(harness.happenings).toEqual([])
  })

  test('since its event has expired is cancelled', async () => {
    const harness = await createHarness()
    await harness.put({ ...waiting, expiresAtSeconds: nowMs / 1000 })
    await release(harness, harness.deps)
    expect(await harness.item('one')).toMatchObject({
      state: 'cancelled',
      dueMs: null,
      reason: 'event_expired',
    })
    expect(harness.happenings).toMatchObject([{ kind: 'cancelled', attempt: 3, reason: 'event_expired' }])
  })

  test('since the queue failed is left to its lease, and told', async () => {
    const harness = await createHarness()
    await harness.given('one', waiting)
    const queue = { send: async () => [{ kind: 'failed', reason: 'throttled' } as const] }
    expect(await release(harness, { ...harness.deps, queue })).toEqual({ sent: 0, complete: true })
    expect(await harness.item('one')).toMatchObject({ state: 'waiting', dueMs: nowMs + leaseMs })
    expect(harness.happenings).toMatchObject([{ kind: 'fault', reason: 'throttled' }])
  })

  test('since the queue will never take it is a dead letter', async () => {
    const harness = await createHarness()
    await harness.given('one', waiting)
    const queue = { send: async () => [{ kind: 'refused', reason: 'too long' } as const] }
    await release(harness, { ...harness.deps, queue })
    expect(await harness.item('one')).toMatchObject({ state: 'dead', dueMs: nowMs, reason: 'queue_refused' })
    expect(harness.happenings).toMatchObject([{ kind: 'dead', reason: 'queue_refused' }])
  })

  test('for a fault with one endpoint does not stop the others', async () => {
    const harness = await createHarness({ endpoints: [endpointOf(), endpointOf({ id: 'other' })] })
    await harness.given('one', waiting)
    await harness.given('two', { ...waiting, endpointId: 'other' })
    const { store } = harness
    const due: typeof store.due = query => {
      if (query.endpointId === 'endpoint') throw new Error('no answer')
      return store.due(query)
    }
    await release(harness, { ...harness.deps, store: { ...store, due } })
    expect(harness.sentIds()).toEqual([idOf('two')])
  })
})

describe("a run's time", () => {
  test('is shared by the endpoints, a page each', async () => {
    const harness = await createHarness({
      endpoints: [endpointOf({ id: 'big' }), endpointOf({ id: 'small' })],
    })
    for (let index = 0; index < 300; index += 1) {
      await harness.given(`event ${index}`, { ...waiting, endpointId: 'big' })
    }
    await harness.given('one', { ...waiting, endpointId: 'small' })
    await release(harness, harness.deps)
    const firstOfSmall = harness.sent.findIndex(({ group }) => group === 'small')
    expect(firstOfSmall).toBeLessThanOrEqual(entriesAtOnceMax)
    expect(harness.sent).toHaveLength(301)
  })

  test('ends it, and what is left is for the next', async () => {
    const harness = await createHarness()
    await harness.given('one', waiting)
    expect(await release({ endsAtMs: nowMs }, harness.deps)).toEqual({ sent: 0, complete: false })
    expect(await harness.item('one')).toMatchObject({ dueMs: nowMs - 1 })
  })
})

describe('where the queues were lost', () => {
  const horizonMs = lostQueueHorizonMs
  const inQueue = (retryAtMs: number): Partial<Delivery> => ({
    ...waiting,
    retryAtMs,
    dueMs: retryAtMs + 15 * minuteMs,
  })

  test('what waited in them is sent again with what is left of its delay, and leased for as long', async () => {
    const harness = await createHarness()
    await harness.given('soon', inQueue(nowMs + 5_000))
    await harness.given('late', inQueue(nowMs + 15 * minuteMs))
    await harness.given('past', inQueue(nowMs - minuteMs))
    expect(await release({ ...harness, horizonMs }, harness.deps)).toEqual({ sent: 3, complete: true })
    const delays = harness.sent.map(entry => [messageIn(entry).eventId, entry.delayMs])
    expect(new Map(delays.map(([id, ms]) => [id, ms]))).toEqual(
      new Map<unknown, unknown>([
        [idOf('soon'), 5_000],
        [idOf('late'), 15 * minuteMs],
        [idOf('past'), 0],
      ]),
    )
    for (const uuid of ['soon', 'late', 'past']) {
      expect(await harness.item(uuid)).toMatchObject({ dueMs: nowMs + horizonMs + 1 })
    }
  })

  test('a lease of the process before is sent again too', async () => {
    const harness = await createHarness()
    await harness.given('one', { ...held, dueMs: nowMs + 14 * minuteMs })
    await release({ ...harness, horizonMs }, harness.deps)
    expect(harness.sent).toMatchObject([{ delayMs: 0 }])
  })

  test('what waits in the table for longer than the queue could is left as it is', async () => {
    const harness = await createHarness()
    const atMs = nowMs + 15 * minuteMs + 1
    for (let index = 0; index < 250; index += 1)
      await harness.given(`event ${index}`, { retryAtMs: atMs, dueMs: atMs })
    await harness.given('behind', inQueue(nowMs + 15 * minuteMs))
    expect(await release({ ...harness, horizonMs }, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(harness.sentIds()).toEqual([idOf('behind')])
    expect(await harness.item('event 0')).toMatchObject({ dueMs: atMs })
  })

  test('what this process has settled since the run began is left to its message', async () => {
    const harness = await createHarness()
    await harness.given('one', { ...inQueue(nowMs + 5_000), updatedAtMs: nowMs })
    await harness.given('two', { ...held, dueMs: nowMs, updatedAtMs: nowMs })
    expect(await release({ ...harness, horizonMs }, harness.deps)).toEqual({ sent: 0, complete: true })
  })
})

test('an event goes out byte for byte as it was logged', async () => {
  const harness = await createHarness()
  const body = '{"raw":{"subject":"Grüße 🎉 \\ud800"}}'
  await harness.given('one', waiting, eventOf('one', { body }))
  await release(harness, harness.deps)
  expect(harness.sent.map(messageIn)).toMatchObject([{ body }])
})

describe('more endpoints than a run has time for', () => {
  test('regression: are each reached within a few runs, wherever in the list they stand', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `endpoint-${String(at).padStart(2, '0')}`)
    const harness = await createHarness({ endpoints: ids.map(id => endpointOf({ id })) })
    const asked = new Set<string>()
    // A run has time for a quarter of them.
    const runOnce = async (): Promise<void> => {
      const endsAtMs = harness.deps.clock.now() + 10
      const askedNow = new Set<string>()
      const store: typeof harness.deps.store = {
        ...harness.deps.store,
        due: async query => {
          if (!askedNow.has(query.endpointId)) await harness.turn(1)
          askedNow.add(query.endpointId)
          asked.add(query.endpointId)
          return harness.deps.store.due(query)
        },
      }
      await release({ endsAtMs }, { ...harness.deps, store })
      await harness.turn(minuteMs - (harness.deps.clock.now() % minuteMs))
    }
    for (let run = 0; run < 8; run += 1) await runOnce()
    expect([...asked].sort()).toEqual(ids)
  })
})
