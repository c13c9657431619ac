import { describe, expect, test } from 'vitest'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import {
  type PaceStore,
  paceAskAgainMs,
  paceLeaseMs,
  paceTriesMax,
} from '../../../shared/domain/delivery/pace-gate.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import { type EndpointLimits, noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { paceWaitMsMax } from '../../../shared/domain/endpoint/pace-policy.ts'
import { answered, createHarness, endpointOf, idOf, nowMs, receivedOf, settled } from './harness.ts'

const batchOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => receivedOf({ eventId: idOf(`event-${from + at}`) }))

/** A dispatcher whose endpoint answers when it is told to. */
const createWorld = async (limits: Partial<EndpointLimits>, paces: PaceStore = createMemoryPaceStore()) => {
  const answers: ((result: SendResult) => void)[] = []
  const harness = await createHarness({
    endpoints: [endpointOf({ limits: { ...noLimits, ...limits } })],
    answer: () => new Promise(resolve => answers.push(resolve)),
  })
  const states = async (count: number) => {
    const items = await Promise.all(Array.from({ length: count }, (_, at) => harness.item(`event-${at}`)))
    return items.map(delivery => `${delivery?.state} ${delivery?.reason ?? ''}`.trim())
  }
  return {
    ...harness,
    paces,
    answers,
    states,
    dispatch: (batch: Parameters<typeof harness.dispatch>[0]) => harness.dispatch(batch, { paces }),
    answerAll: async () => {
      for (const answer of answers.splice(0)) answer(answered(200))
      await settled()
    },
  }
}

describe('an endpoint that takes so many a second', () => {
  test('gets them spaced evenly, and what would wait for too long is set aside with no attempt counted', async () => {
    const world = await createWorld({ maxPerSecond: 1 })
    const ended = world.dispatch(batchOf(5))
    const posts = [world.posts.length]
    for (let second = 0; second < 3; second += 1) {
      await settled()
      posts.push(world.posts.length)
      await world.answerAll()
      await world.turn(1_000)
    }
    await world.answerAll()
    await ended
    expect(posts).toEqual([0, 1, 2, 3])
    const delivered = Array.from({ length: 3 }, () => 'delivered')
    expect((await world.states(5)).toSorted()).toEqual([...delivered, 'held paced', 'held paced'])
    const held = await world.item('event-4')
    expect(held).toMatchObject({ position: { round: 1, attempt: 0 }, firstFailureAtMs: nowMs, dueMs: nowMs })
  })

  test('shares its limit between dispatchers', async () => {
    const paces = createMemoryPaceStore()
    const one = await createWorld({ maxPerSecond: 2 }, paces)
    const other = await createWorld({ maxPerSecond: 2 }, paces)
    const ended = Promise.all([one.dispatch(batchOf(10)), other.dispatch(batchOf(10, 10))])
    await settled()
    for (let step = 0; step < 8; step += 1) {
      await Promise.all([one.answerAll(), other.answerAll()])
      await Promise.all([one.turn(500), other.turn(500)])
    }
    await ended
    // From now to two seconds from now, one every half second.
    expect(one.posts.length + other.posts.length).toBe(1 + (paceWaitMsMax / 1_000) * 2)
  })
})

describe('an endpoint that takes so many at a time', () => {
  test('has no more under way, and the others follow as these end', async () => {
    const world = await createWorld({ maxInFlight: 2 })
    const ended = world.dispatch(batchOf(5))
    await settled()
    expect(world.posts).toHaveLength(2)
    await world.answerAll()
    expect(world.posts).toHaveLength(4)
    await world.turn(paceWaitMsMax)
    await world.answerAll()
    await ended
    const delivered = Array.from({ length: 4 }, () => 'delivered')
    expect((await world.states(5)).toSorted()).toEqual([...delivered, 'held paced'])
  })

  test('has its slots back when the batch has ended, and when its process died, after a while', async () => {
    const paces = createMemoryPaceStore()
    const world = await createWorld({ maxInFlight: 1 }, paces)
    const first = world.dispatch(batchOf(1))
    await settled()
    expect((await paces.read('endpoint')).leases).toEqual([
      { id: expect.any(String), slots: 1, untilMs: nowMs + paceLeaseMs },
    ])
    const dead = await createWorld({ maxInFlight: 1 }, paces)
    const setAside = dead.dispatch(batchOf(1, 1))
    await settled()
    for (let waitedMs = 0; waitedMs < paceWaitMsMax; waitedMs += paceAskAgainMs) {
      expect((await dead.item('event-1'))?.state).toBeUndefined()
      await dead.turn(paceAskAgainMs)
    }
    await setAside
    expect([dead.posts.length, (await dead.item('event-1'))?.reason]).toEqual([0, 'paced'])
    await world.answerAll()
    await first
    expect((await paces.read('endpoint')).leases).toEqual([])

    void dead.dispatch(batchOf(1, 2))
    await settled()
    await world.turn(paceWaitMsMax + paceLeaseMs)
    void world.dispatch(batchOf(1, 3))
    await settled()
    expect([dead.posts.length, world.posts.length]).toEqual([1, 2])
  })
})

test('a batch waits for slots that another one has, and begins once these are given back', async () => {
  const paces = createMemoryPaceStore()
  const [one, other] = [
    await createWorld({ maxInFlight: 2 }, paces),
    await createWorld({ maxInFlight: 2 }, paces),
  ]
  const first = one.dispatch(batchOf(2))
  await settled()
  const second = other.dispatch(batchOf(2, 2))
  await settled()
  await other.turn(paceAskAgainMs)
  expect([one.posts.length, other.posts.length]).toEqual([2, 0])
  await one.answerAll()
  await first
  await other.turn(paceAskAgainMs)
  expect(other.posts).toHaveLength(2)
  await other.answerAll()
  await second
  expect(await other.states(4)).toEqual(['undefined', 'undefined', 'delivered', 'delivered'])
  expect((await paces.read('endpoint')).leases).toEqual([])
})

describe('limits that can not be taken of', () => {
  test('set a batch aside where other dispatchers write each time', async () => {
    let writes = 0
    const busy: PaceStore = {
      read: createMemoryPaceStore().read,
      write: async () => {
        writes += 1
        return false
      },
    }
    const world = await createWorld({ maxPerSecond: 5 }, busy)
    await world.dispatch(batchOf(3))
    expect([writes, world.posts.length]).toEqual([paceTriesMax, 0])
    expect(await world.states(3)).toEqual(['held paced', 'held paced', 'held paced'])
  })

  test('put the messages off where the table is away', async () => {
    const away: PaceStore = {
      read: async () => {
        throw new Error('no table')
      },
      write: async () => false,
    }
    const world = await createWorld({ maxPerSecond: 5 }, away)
    expect(await world.dispatch(batchOf(2))).toEqual({ failedMessageIds: [] })
    expect([world.posts.length, world.sent.length]).toEqual([0, 2])
    expect(world.sent.every(({ faults }) => faults?.count === 1)).toBe(true)
  })
})
