import { describe, expect, test } from 'vitest'
import {
  createEndpointDirectory,
  endpointsCachedMsDefault,
} from '../../../shared/domain/delivery/endpoint-directory.ts'
import { healthWriteTriesMax } from '../../../shared/domain/delivery/health-keeper.ts'
import { roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import {
  answered,
  createHarness,
  deliveryOf,
  endpointOf,
  idOf,
  nowMs,
  receivedOf,
  settled,
} from './harness.ts'

const refused: SendResult = { kind: 'failed', reason: 'connection_refused', tookMs: 3 }

const openEndpoint = (nextProbeAtMs: number): Endpoint =>
  endpointOf({
    health: {
      ...goodHealth,
      version: 4,
      failuresInRow: 12,
      failingSinceMs: nowMs - 90_000,
      open: { sinceMs: nowMs - 30_000, because: 'failures_in_row', probes: 0, nextProbeAtMs },
    },
  })

const batchOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => receivedOf({ eventId: idOf(`event-${from + at}`) }))

/** A harness whose health writes are counted. */
const createWorld = async (of: Parameters<typeof createHarness>[0] = {}) => {
  const harness = await createHarness(of)
  const writes: number[] = []
  const write = harness.endpoints.writeHealth
  harness.endpoints.writeHealth = async (id, health) => {
    writes.push(health.version)
    return write(id, health)
  }
  return { ...harness, writes, health: async () => (await harness.endpoints.read('endpoint'))?.health }
}

describe('on the happy path', () => {
  test('nothing of an endpoint is written, and nothing of its limits is asked', async () => {
    const world = await createWorld()
    const asked: string[] = []
    const { paces } = world.deps
    const watched = {
      read: (id: string) => {
        asked.push(id)
        return paces.read(id)
      },
      write: paces.write,
    }
    await world.dispatch(batchOf(10), { paces: watched })
    expect([world.writes, asked, world.posts.length]).toEqual([[], [], 10])
  })

  test('successes go along with the next failure, in one write for the batch', async () => {
    let fails = false
    const world = await createWorld({ answer: () => (fails ? answered(503) : answered(200)) })
    await world.dispatch(batchOf(7))
    fails = true
    await world.dispatch(batchOf(3, 7))
    expect(world.writes).toEqual([1])
    expect(await world.health()).toMatchObject({
      failuresInRow: 3,
      window: { failures: 3, successes: 7 },
    })
    await world.dispatch(batchOf(1, 10))
    expect((await world.health())?.window).toMatchObject({ failures: 4, successes: 7 })
  })

  test('one success clears what had failed, and the next ones write nothing', async () => {
    let fails = true
    const world = await createWorld({ answer: () => (fails ? refused : answered(200)) })
    await world.dispatch(batchOf(4))
    fails = false
    await world.dispatch(batchOf(4, 4))
    await world.dispatch(batchOf(4, 8))
    expect(world.writes).toEqual([1, 2])
    expect(await world.health()).toMatchObject({ failuresInRow: 0, failingSinceMs: null })
  })
})

describe('an endpoint that fails again and again', () => {
  test('opens its breaker, and then nothing is attempted and no attempt counted', async () => {
    const world = await createWorld({ answer: () => refused })
    await world.dispatch(batchOf(6))
    await world.turn(60_000)
    await world.dispatch(batchOf(6, 6))
    expect((await world.health())?.open).toMatchObject({
      because: 'failures_in_row',
      sinceMs: nowMs + 60_000,
    })
    expect(world.happenings.filter(({ kind }) => kind === 'breaker')).toEqual([
      { kind: 'breaker', endpoint: 'endpoint', state: 'open', reason: 'failures_in_row', openMs: null },
    ])
    const posts = world.posts.length
    await world.dispatch(batchOf(2, 12))
    expect(world.posts.length).toBe(posts)
    expect(await world.item('event-12')).toMatchObject({
      state: 'held',
      reason: 'breaker_open',
      position: { round: 1, attempt: 0 },
      dueMs: nowMs + 60_000,
      firstFailureAtMs: nowMs + 60_000,
      attempts: [],
    })
  })

  test('is known to all dispatchers within seconds', async () => {
    const world = await createWorld({ answer: () => refused })
    const other = createEndpointDirectory({ ...world.deps, endpoints: world.endpoints })
    expect((await other.current('endpoint'))?.health.open).toBeNull()
    await world.dispatch(batchOf(6))
    await world.turn(60_000)
    await world.dispatch(batchOf(6, 6))
    await world.turn(endpointsCachedMsDefault)
    expect((await other.current('endpoint'))?.health.open).not.toBeNull()
  })

  test('is disabled after five days of it, once, and the operator is to be told', async () => {
    const failing = { ...goodHealth, failuresInRow: 3, failingSinceMs: nowMs - 5 * 86_400_000 }
    const world = await createWorld({
      endpoints: [endpointOf({ health: failing })],
      answer: () => answered(500),
    })
    await world.dispatch(batchOf(5))
    expect(await world.endpoints.read('endpoint')).toMatchObject({
      state: 'disabled',
      stateReason: 'failing_too_long',
      stateSinceMs: nowMs,
    })
    expect((await world.endpoints.untold()).map(({ id }) => id)).toEqual(['endpoint'])
    expect(world.kinds().filter(kind => kind === 'endpoint_disabled')).toHaveLength(1)
    await world.dispatch(batchOf(1, 5))
    expect(await world.item('event-5')).toMatchObject({ state: 'held', reason: 'failing_too_long' })
  })

  test('is counted on by the next batch where other dispatchers write each time', async () => {
    const world = await createWorld({ answer: () => refused })
    world.endpoints.writeHealth = async () => {
      world.writes.push(0)
      return false
    }
    await world.dispatch(batchOf(2))
    expect(world.writes).toHaveLength(healthWriteTriesMax)
    expect(world.kinds()).toEqual(['attempt', 'attempt', 'waiting', 'waiting'])
  })

  test('is delivered to all the same where its health can not be written, and that is told', async () => {
    const world = await createWorld({ answer: () => refused })
    world.endpoints.writeHealth = async () => {
      throw new Error('no table')
    }
    await world.dispatch(batchOf(1))
    expect(world.kinds()).toEqual(['attempt', 'waiting', 'fault'])
  })
})

test('an attempt that never got one of our connections says nothing of its endpoint', async () => {
  const world = await createWorld({
    answer: () => ({ kind: 'failed', reason: 'connections_busy', tookMs: 15_000 }),
  })
  await world.dispatch(batchOf(3))
  expect([world.writes, (await world.health())?.failuresInRow]).toEqual([[], 0])
})

describe('an open breaker', () => {
  test('lets one probe through when it is due, and a success closes it', async () => {
    const world = await createWorld({ endpoints: [openEndpoint(nowMs)] })
    await world.dispatch(batchOf(5))
    expect(world.posts).toHaveLength(1)
    expect(await world.health()).toMatchObject({ failuresInRow: 0, open: null, readySinceMs: nowMs })
    expect(world.happenings.filter(({ kind }) => kind === 'breaker')).toEqual([
      { kind: 'breaker', endpoint: 'endpoint', state: 'closed', reason: null, openMs: 30_000 },
    ])
    const states = await Promise.all([0, 1, 2, 3, 4].map(at => world.item(`event-${at}`)))
    expect(states.map(delivery => delivery?.state).sort()).toEqual([
      'delivered',
      ...['held', 'held', 'held', 'held'],
    ])
  })

  test('stays open where the probe fails, which counts as an attempt of its delivery alone', async () => {
    const world = await createWorld({ endpoints: [openEndpoint(nowMs)], answer: () => refused })
    await world.dispatch(batchOf(2))
    const found = await Promise.all([0, 1].map(at => world.item(`event-${at}`)))
    expect(found.map(delivery => [delivery?.state, delivery?.position.attempt]).sort()).toEqual([
      ['held', 0],
      ['waiting', 1],
    ])
    expect((await world.health())?.open).toMatchObject({ probes: 1, nextProbeAtMs: nowMs + 60_000 })
  })

  test('lets one of two dispatchers have the probe', async () => {
    const world = await createWorld({ endpoints: [openEndpoint(nowMs)], answer: () => refused })
    const other = await createHarness({ answer: () => refused })
    await Promise.all([
      world.dispatch(batchOf(3)),
      other.dispatch(batchOf(3, 3), { ...world.deps, sender: other.deps.sender }),
    ])
    expect(world.posts.length + other.posts.length).toBe(1)
  })

  test('gives up a delivery whose schedule is over, so that a dead endpoint ends in dead letters', async () => {
    const world = await createWorld({ endpoints: [openEndpoint(nowMs + 1_000)] })
    const overMs = roundMsMax(world.deps.schedule)
    for (const [uuid, agoMs] of [['over', overMs + 1] as const, ['young', overMs] as const]) {
      const held = {
        state: 'held',
        position: { round: 1, attempt: 1 },
        firstFailureAtMs: nowMs - agoMs,
      } as const
      await world.store.write(deliveryOf({ ...held, eventId: idOf(uuid) }), {
        kind: 'unsettled_before',
        rank: 1e9,
      })
      await world.dispatch([receivedOf({ eventId: idOf(uuid), attempt: 2 })])
    }
    expect(await world.item('over')).toMatchObject({ state: 'dead', reason: 'breaker_open' })
    expect(await world.item('young')).toMatchObject({ state: 'held', dueMs: nowMs - overMs })
    expect([world.posts.length, world.deadLetters.length]).toEqual([0, 1])
  })

  test('does not keep a removed endpoint from being cancelled, nor a success from being recorded', async () => {
    const world = await createWorld({ endpoints: [openEndpoint(nowMs + 1_000)] })
    await world.dispatch([
      receivedOf({ eventId: idOf('told'), deliveredBy: { atMs: nowMs, tookMs: 5, status: 200 } }),
    ])
    expect(await world.item('told')).toMatchObject({ state: 'delivered' })
    await world.endpoints.setState({ id: 'endpoint', state: 'removed', reason: null, atMs: nowMs })
    await world.turn(endpointsCachedMsDefault)
    await world.dispatch(batchOf(1))
    expect(await world.item('event-0')).toMatchObject({ state: 'cancelled' })
  })

  test('of a slow endpoint has its probe in the slow lane', async () => {
    const world = await createWorld({ endpoints: [{ ...openEndpoint(nowMs), slow: true }] })
    await world.dispatch(batchOf(1))
    expect([world.posts.length, world.sent.map(({ lane }) => lane)]).toEqual([0, ['slow']])
    await world.dispatch([receivedOf({ eventId: idOf('event-0') }, { lane: 'slow' })])
    expect([world.posts.length, (await world.health())?.open]).toEqual([1, null])
  })
})

describe('an endpoint that asks for patience', () => {
  test.each([429, 503])('with %d is left alone as a whole until then, and an hour at most', async status => {
    const world = await createWorld({ answer: () => answered(status, { retryAtMs: nowMs + 120_000 }) })
    await world.dispatch(batchOf(1))
    await world.dispatch(batchOf(3, 1))
    expect(world.posts).toHaveLength(1)
    expect(await world.item('event-1')).toMatchObject({
      state: 'held',
      reason: 'endpoint_paused',
      position: { round: 1, attempt: 0 },
      firstFailureAtMs: nowMs,
    })
    expect(await world.health()).toMatchObject({ pausedUntilMs: nowMs + 120_000 })
    await world.turn(120_000)
    await world.dispatch(batchOf(1, 4))
    expect(world.posts).toHaveLength(2)

    const long = await createWorld({ answer: () => answered(status, { retryAtMs: nowMs + 86_400_000 }) })
    await long.dispatch(batchOf(1))
    expect((await long.health())?.pausedUntilMs).toBeLessThanOrEqual(nowMs + 3_600_000 + 1_000)
  })

  test.each([502, 504])('with %d speaks for that delivery alone', async status => {
    const world = await createWorld({ answer: () => answered(status, { retryAtMs: nowMs + 120_000 }) })
    await world.dispatch(batchOf(1))
    await world.dispatch(batchOf(1, 1))
    expect([world.posts.length, (await world.health())?.pausedUntilMs]).toEqual([2, null])
  })

  test('is waited for where it is over in a moment', async () => {
    const world = await createWorld({ answer: () => answered(429, { retryAtMs: nowMs + 2_000 }) })
    await world.dispatch(batchOf(1))
    const ended = world.dispatch(batchOf(1, 1))
    await settled()
    expect(world.posts).toHaveLength(1)
    await world.turn(2_000)
    await ended
    expect([world.posts.length, (await world.item('event-1'))?.state]).toEqual([2, 'waiting'])
  })
})
