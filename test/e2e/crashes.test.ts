import { describe, expect } from 'vitest'
import type { RunningSimulator } from '../../infra/simulator/server.ts'
import type { Bridge } from './harness/bridge.ts'
import { duplicatesOf, expectExactly } from './harness/checks.ts'
import type { Receiver } from './harness/receiver.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, test, type World, watching } from './harness/world.ts'

const pageSize = 5

const startWorld = async (world: World, service: Parameters<World['simulator']>[0] = {}) => {
  const simulator = await world.simulator({ pageSize, ...service })
  simulator.add('bounces', recordsUntil(nowSecond() - 120, 20, 2))
  simulator.add('complaints', recordsUntil(nowSecond() - 90, 10, 2))
  return { simulator, receiver: await world.receiver(), dataDir: await world.dataDir() }
}

/** A killed bridge's last POSTs may still be on their way to the receiver. */
const kill = async (world: World, bridge: Bridge, receiver: Receiver): Promise<void> => {
  await bridge.kill()
  await world.change.until('all that it sent has arrived', () => receiver.connections() === 0)
}

const deliveredBy = (bridge: Bridge): Set<string | null> =>
  new Set(bridge.of('delivered').map(({ event }) => event))

/**
 * Ends the killed bridge's story: started again, it delivers all that is missing, and POSTs nothing again whose delivery
 * was told before.
 */
const expectRecovers = async (
  world: World,
  of: { simulator: RunningSimulator; receiver: Receiver; dataDir: string; killed: readonly Bridge[] },
): Promise<void> => {
  const { simulator, receiver, dataDir, killed } = of
  const before = receiver.posts.length
  const told = new Set(killed.flatMap(bridge => [...deliveredBy(bridge)]))
  const bridge = world.bridge({ simulator, receivers: [receiver], dataDir, flags: { once: true } })
  expect(await bridge.ended()).toEqual({ code: 0, signal: null })

  const after = receiver.posts.slice(before).map(({ id }) => id)
  expect([...new Set(receiver.ids())]).toEqual(idsOf(simulator))
  expect(after.filter(id => told.has(id))).toEqual([])
  // The second life has no fault: what came twice came once in each of two lives.
  expect(after.length).toBe(new Set(after).size)
}

type Moment = {
  title: string
  reached: (of: { bridge: Bridge; receiver: Receiver; simulator: RunningSimulator }) => boolean
}

const moments: readonly Moment[] = [
  { title: 'at the first request', reached: ({ simulator }) => simulator.requestCount >= 1 },
  { title: 'at the third page', reached: ({ simulator }) => simulator.requestCount >= 3 },
  { title: 'at the eighth page', reached: ({ simulator }) => simulator.requestCount >= 8 },
  { title: 'at the first event enqueued', reached: ({ bridge }) => bridge.of('enqueued').length >= 1 },
  { title: 'at the first POST', reached: ({ receiver }) => receiver.posts.length >= 1 },
  { title: 'at the twelfth POST', reached: ({ receiver }) => receiver.posts.length >= 12 },
  { title: 'at the first delivery', reached: ({ bridge }) => bridge.of('delivered').length >= 1 },
  { title: 'at the twentieth delivery', reached: ({ bridge }) => bridge.of('delivered').length >= 20 },
  { title: 'when both lists are read', reached: ({ bridge }) => bridge.of('enqueued').length >= 60 },
]

describe.concurrent('killed and started again with the same data, every record arrives, and nothing that was recorded comes again', () => {
  for (const { title, reached } of moments) {
    test(title, async ({ world }) => {
      const { simulator, receiver, dataDir } = await startWorld(world)
      simulator.setIntercept(watching(world, () => undefined))
      const bridge = world.bridge({ simulator, receivers: [receiver], dataDir })
      await world.change.until(title, () => reached({ bridge, receiver, simulator }))
      await kill(world, bridge, receiver)
      await expectRecovers(world, { simulator, receiver, dataDir, killed: [bridge] })
    })
  }

  test('three times in a row, with new records each time', async ({ world }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const killed: Bridge[] = []
    for (const posts of [7, 25, 45]) {
      const bridge = world.bridge({ simulator, receivers: [receiver], dataDir })
      await world.change.until(`${posts} records`, () => new Set(receiver.ids()).size >= posts)
      await kill(world, bridge, receiver)
      killed.push(bridge)
      simulator.add('bounces', recordsUntil(nowSecond(), 3, 2))
    }
    await expectRecovers(world, { simulator, receiver, dataDir, killed })
    // Another life has nothing left to do.
    const posts = receiver.posts.length
    const last = world.bridge({ simulator, receivers: [receiver], dataDir, flags: { once: true } })
    expect(await last.ended()).toEqual({ code: 0, signal: null })
    expect(receiver.posts.length).toBe(posts)
  })

  test('while a POST is under way: it comes again, since nothing was recorded', async ({ world }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    receiver.setAnswer(({ nth }) => (receiver.posts.length <= 10 || nth > 1 ? 204 : 'never'))
    const bridge = world.bridge({ simulator, receivers: [receiver], dataDir })
    await world.change.until(
      'ten are delivered and more under way',
      () => bridge.of('delivered').length === 10 && receiver.posts.length > 10,
    )
    const underWay = receiver.posts.slice(10).map(({ id }) => id)
    await kill(world, bridge, receiver)
    const late = receiver.posts.slice(10).map(({ id }) => id)
    receiver.setAnswer(() => 204)
    await expectRecovers(world, { simulator, receiver, dataDir, killed: [bridge] })
    expect(duplicatesOf(receiver)).toEqual([...new Set([...underWay, ...late])].sort())
  })

  test('while deliveries wait for their retry: they wait on, and nothing is POSTed before its time', async ({
    world,
  }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    receiver.setAnswer(({ nth }) => (nth === 1 ? 500 : 204))
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir,
      flags: { 'retry-schedule': '1h,1h' },
    })
    await world.change.until('all wait', () => bridge.of('waiting').length === 60)
    await kill(world, bridge, receiver)
    // The retry is due in an hour: until then it is no business of the next start, and it is not lost.
    const again = world.bridge({ simulator, receivers: [receiver], dataDir })
    await world.change.until('it says what is left', () => /60 waiting/.test(again.stderr()))
    expect(await again.stop()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator))
  })

  for (const next of ['page', 'cursor'] as const) {
    test(`in the first walk of a list whose order is ignored, next a ${next}`, async ({ world }) => {
      const { simulator, receiver, dataDir } = await startWorld(world, { order: 'ignored', next })
      simulator.setIntercept(watching(world, () => undefined))
      const bridge = world.bridge({ simulator, receivers: [receiver], dataDir })
      await world.change.until(
        'the newest are sent, the oldest not read',
        () => receiver.posts.length >= 2 && simulator.requestCount >= 4,
      )
      await kill(world, bridge, receiver)
      simulator.add('bounces', recordsUntil(nowSecond(), 2, 3))
      await expectRecovers(world, { simulator, receiver, dataDir, killed: [bridge] })
    })

    test(`in a later walk of a list whose order is ignored, next a ${next}`, async ({ world }) => {
      const { simulator, receiver, dataDir } = await startWorld(world, { order: 'ignored', next })
      const first = world.bridge({ simulator, receivers: [receiver], dataDir, flags: { once: true } })
      expect(await first.ended()).toEqual({ code: 0, signal: null })
      expectExactly(receiver, idsOf(simulator))

      simulator.add('bounces', recordsUntil(nowSecond() - 20, 20, 2))
      const asked = simulator.requestCount
      // The third page of bounces never comes: the newest are sent, the older ones of this walk not read.
      let bouncePages = 0
      simulator.setIntercept(
        watching(world, ({ path }) => {
          bouncePages += path.endsWith('/bounces') ? 1 : 0
          return path.endsWith('/bounces') && bouncePages >= 3 ? { fault: 'timeout' } : undefined
        }),
      )
      const second = world.bridge({ simulator, receivers: [receiver], dataDir })
      await world.change.until(
        'a page of the newest is delivered and the third one asked for',
        () => bouncePages >= 3 && second.of('delivered').length >= pageSize,
      )
      await kill(world, second, receiver)
      expect(simulator.requestCount).toBeGreaterThan(asked)
      expect(new Set(receiver.ids()).size).toBeLessThan(idsOf(simulator).length)
      simulator.setIntercept(null)
      await expectRecovers(world, { simulator, receiver, dataDir, killed: [first, second] })
    })
  }
})
