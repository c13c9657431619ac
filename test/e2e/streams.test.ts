import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import type { BridgeSettings } from '../../infra/local/settings.ts'
import { completeWalks, expectExactly, expectLinesMatch } from './harness/checks.ts'
import { bounceFields, nowSecond, recordsAt, recordsUntil } from './harness/records.ts'
import { idsOf, test, type World } from './harness/world.ts'

const bridgeOfSettings = fileURLToPath(new URL('harness/bridge-of-settings.ts', import.meta.url))

const kinds = ['h', 's', 'e', 'o'] as const

/** So many bounces of each kind, a second apart. */
const bouncesOfEachKind = (count: number) => {
  const second = nowSecond() - 600
  return kinds.flatMap((kind, at) =>
    Array.from({ length: count }, (_, n) => ({
      uuid: randomUUID(),
      second: second + at * count + n,
      fields: bounceFields({ bounce_type: kind }),
      kind,
    })),
  )
}

const settled = async (world: World, of: Parameters<World['bridge']>[0]) => {
  const bridge = world.bridge({ ...of, flags: { once: true, ...of.flags } })
  expect(await bridge.ended()).toEqual({ code: 0, signal: null })
  return bridge
}

describe.concurrent('streams, types and endpoints', () => {
  test('each of three endpoints gets the types that it names, of both streams', async ({ world }) => {
    const simulator = await world.simulator({ pageSize: 6 })
    const bounces = bouncesOfEachKind(5)
    simulator.add('bounces', bounces)
    simulator.add('complaints', recordsUntil(nowSecond() - 300, 4, 3))
    const wanted = [['*'], ['email.bounce.soft', 'email.complaint'], ['email.bounce.*']]
    const receivers = await Promise.all(wanted.map(() => world.receiver()))
    const settings: BridgeSettings = {
      source: {
        baseUrl: simulator.url,
        pathPrefix: simulator.pathPrefix,
        authScheme: 'Token',
        includeSoft: true,
        pageSize: null,
        startAt: { kind: 'earliest' },
        pollEverySeconds: 0.3,
        overlapSeconds: 2,
        requestsPerMinute: 100_000,
      },
      token: world.token,
      endpoints: receivers.map(({ url, secret }, at) => ({ url, secret, types: wanted[at] ?? [] })),
      retrySchedule: [1_000],
      deadlineMs: 5_000,
      dataDir: await world.dataDir(),
      allowPrivate: true,
      once: true,
    }
    const bridge = world.command(['--json'], {
      script: bridgeOfSettings,
      env: { BRIDGE_SETTINGS: JSON.stringify(settings) },
    })
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })

    const softUuids = new Set<string>(bounces.filter(({ kind }) => kind === 's').map(({ uuid }) => uuid))
    const bounceIds = idsOf(simulator, { streams: ['bounces'], includeSoft: true })
    const softIds = idsOf(simulator, {
      streams: ['bounces'],
      includeSoft: true,
      only: ({ uuid }) => softUuids.has(uuid),
    })
    const complaintIds = idsOf(simulator, { streams: ['complaints'] })
    expect([bounceIds.length, softIds.length, complaintIds.length]).toEqual([20, 5, 12])
    const [all, softAndComplaints, onlyBounces] = receivers
    if (all === undefined || softAndComplaints === undefined || onlyBounces === undefined) throw new Error()
    expectExactly(all, [...bounceIds, ...complaintIds])
    expectExactly(softAndComplaints, [...softIds, ...complaintIds])
    expectExactly(onlyBounces, bounceIds)
    expectLinesMatch(bridge, receivers)
    const types = new Set(all.posts.map(({ event }) => event.type))
    expect([...types].sort()).toEqual([
      'email.bounce.expired',
      'email.bounce.hard',
      'email.bounce.other',
      'email.bounce.soft',
      'email.complaint',
    ])
  })

  test('--types limits what all endpoints get, and what nobody wants is nowhere', async ({ world }) => {
    const simulator = await world.simulator()
    simulator.add('bounces', recordsUntil(nowSecond() - 300, 8))
    simulator.add('complaints', recordsUntil(nowSecond() - 300, 5))
    const receivers = [await world.receiver(), await world.receiver()]
    const bridge = await settled(world, {
      simulator,
      receivers,
      dataDir: await world.dataDir(),
      flags: { types: 'email.complaint,email.bounce.soft' },
    })
    for (const receiver of receivers) {
      expectExactly(receiver, idsOf(simulator, { streams: ['complaints'] }))
    }
    expectLinesMatch(bridge, receivers)
  })

  test('soft, expired and unknown bounces come with --include-soft alone, and keep their place', async ({
    world,
  }) => {
    const simulator = await world.simulator({ pageSize: 3 })
    const bounces = bouncesOfEachKind(6)
    simulator.add('bounces', bounces)
    const [hardOnly, all] = [await world.receiver(), await world.receiver()]
    await settled(world, { simulator, receivers: [hardOnly], dataDir: await world.dataDir() })
    await settled(world, {
      simulator,
      receivers: [all],
      dataDir: await world.dataDir(),
      flags: { 'include-soft': true },
    })
    const hardIds = idsOf(simulator, { includeSoft: false })
    expect(hardIds.length).toBe(6)
    expectExactly(hardOnly, hardIds)
    expectExactly(all, idsOf(simulator, { includeSoft: true }))
    expect(all.ids().length).toBe(24)
  })

  for (const lastId of ['position', 'timelogged'] as const) {
    for (const next of ['page', 'cursor'] as const) {
      test(`a second of many pages, and ties across page ends, with last_id by ${lastId}, next a ${next}`, async ({
        world,
      }) => {
        const simulator = await world.simulator({ lastId, next, pageSize: 4 })
        const second = nowSecond() - 400
        simulator.add('bounces', [
          ...recordsUntil(second - 1, 5, 3),
          ...recordsAt(second, 33),
          ...recordsUntil(second + 6, 6, 4),
        ])
        simulator.add('complaints', recordsAt(second, 21))
        const receiver = await world.receiver()
        const dataDir = await world.dataDir()
        const bridge = await settled(world, { simulator, receivers: [receiver], dataDir })
        expectExactly(receiver, idsOf(simulator))
        expect(receiver.ids().length).toBe(15 + 33 + 24 + 21)
        expectLinesMatch(bridge, [receiver])
        // More of the same second, and of the seconds about it, by the next start.
        simulator.add('bounces', recordsAt(second + 6, 9))
        simulator.add('complaints', recordsAt(second, 9))
        await settled(world, { simulator, receivers: [receiver], dataDir })
        expectExactly(receiver, idsOf(simulator))
      })
    }
  }

  test('late records within the overlap, and a service that lags as a whole, lose nothing', async ({
    world,
  }) => {
    const simulator = await world.simulator({
      rate: 30,
      count: 150,
      complaintShare: 0.3,
      ties: 3,
      pageSize: 10,
      lateSeconds: 4,
      lateShare: 0.3,
      lagSeconds: 2,
      lastId: 'timelogged',
    })
    const receiver = await world.receiver()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { overlap: '8', 'include-soft': true },
    })
    await world.change.until('all records have become visible and arrived', () => {
      const visible = idsOf(simulator, { includeSoft: true })
      return visible.length === 150 && new Set(receiver.ids()).size === 150
    })
    const since = bridge.polls().length
    await world.change.until('the overlap is read again', () => {
      const { bounces, complaints } = completeWalks(bridge, 'overlap', since)
      return bounces >= 1 && complaints >= 1
    })
    expect(await bridge.stop()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator, { includeSoft: true }))
    expectLinesMatch(bridge, [receiver])
  })

  test('a record that comes later than the overlap, and than the newest second, is not sent twice or lost at the next start', async ({
    world,
  }) => {
    const simulator = await world.simulator({ pageSize: 5 })
    const second = nowSecond() - 60
    simulator.add('bounces', recordsUntil(second, 20))
    const receiver = await world.receiver()
    const dataDir = await world.dataDir()
    await settled(world, { simulator, receivers: [receiver], dataDir, flags: { overlap: '30' } })
    simulator.add('bounces', recordsAt(second - 15, 2))
    await settled(world, { simulator, receivers: [receiver], dataDir, flags: { overlap: '30' } })
    expectExactly(receiver, idsOf(simulator))
  })
})
