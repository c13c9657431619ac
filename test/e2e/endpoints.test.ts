import { describe, expect } from 'vitest'
import { duplicatesOf, expectExactly } from './harness/checks.ts'
import type { Receiver } from './harness/receiver.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, test, type World } from './harness/world.ts'

const records = 12

const startWorld = async (world: World, receivers: number) => {
  const simulator = await world.simulator()
  simulator.add('bounces', recordsUntil(nowSecond() - 100, 8))
  simulator.add('complaints', recordsUntil(nowSecond() - 100, 4))
  const all = await Promise.all(Array.from({ length: receivers }, () => world.receiver()))
  const [first] = all
  if (first === undefined) throw new Error('no receiver')
  return { simulator, receivers: all, first, dataDir: await world.dataDir() }
}

const attemptsOf = (receiver: Receiver): number[] => {
  const counts = new Map<string, number>()
  for (const { id } of receiver.posts) counts.set(id, (counts.get(id) ?? 0) + 1)
  return [...counts.values()]
}

const all = (value: number): number[] => Array.from({ length: records }, () => value)

describe.concurrent('endpoints', () => {
  test('500 twice, then 200: three attempts each, one delivery, and the other endpoint none the wiser', async ({
    world,
  }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 2)
    first.setAnswer(({ nth }) => (nth < 3 ? 500 : 200))
    const bridge = world.bridge({
      simulator,
      receivers,
      dataDir,
      flags: { once: true, 'retry-schedule': '1s,1s' },
    })
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    expect([...new Set(first.ids())]).toEqual(idsOf(simulator))
    expect(attemptsOf(first)).toEqual(all(3))
    for (const other of receivers.slice(1)) expectExactly(other, idsOf(simulator))
    const delivered = bridge.of('delivered').filter(({ endpoint }) => endpoint === first.id)
    expect(delivered.map(({ attempt }) => attempt)).toEqual(all(3))
    const waiting = bridge.of('waiting').filter(({ endpoint }) => endpoint === first.id)
    expect(waiting.map(({ attempt }) => attempt).sort()).toEqual([...all(1), ...all(2)])
    expect(new Set(waiting.map(({ reason, status }) => `${reason} ${status}`))).toEqual(
      new Set(['http_500 500']),
    )
    // No sooner than the schedule says, less its jitter of a fifth.
    for (const { id } of first.posts) {
      const times = first.posts.filter(post => post.id === id).map(({ atMs }) => atMs)
      for (const [at, time] of times.slice(1).entries()) {
        expect(time - (times[at] ?? 0)).toBeGreaterThanOrEqual(750)
      }
    }
  })

  test('500 always: dead letters after the last attempt, and exit 1; at the next start they are dead still', async ({
    world,
  }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 2)
    first.setAnswer(() => 500)
    const of = { simulator, receivers, dataDir, flags: { once: true, 'retry-schedule': '1s' } as const }
    const bridge = world.bridge(of)
    expect(await bridge.ended()).toEqual({ code: 1, signal: null })
    expect(attemptsOf(first)).toEqual(all(2))
    for (const other of receivers.slice(1)) expectExactly(other, idsOf(simulator))
    expect(
      bridge.of('dead').map(({ attempt, status, reason, endpoint }) => [attempt, status, reason, endpoint]),
    ).toEqual(all(0).map(() => [2, 500, 'http_500', first.id]))
    expect(bridge.stderr()).toMatch(/there are dead letters/)

    const again = world.bridge(of)
    expect(await again.ended()).toEqual({ code: 1, signal: null })
    expect(attemptsOf(first)).toEqual(all(2))
    expect(again.of('attempt')).toEqual([])
  })

  test('410: the endpoint is disabled, what is for it is held, exit 0; named again, it gets all', async ({
    world,
  }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 2)
    first.setAnswer(() => 410)
    const of = { simulator, receivers, dataDir, flags: { once: true, 'retry-schedule': '1s' } as const }
    const bridge = world.bridge(of)
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    for (const other of receivers.slice(1)) expectExactly(other, idsOf(simulator))
    expect(duplicatesOf(first)).toEqual([])
    const held = bridge.of('held')
    expect(held.map(({ event }) => event).sort()).toEqual(idsOf(simulator))
    expect(new Set(held.map(({ endpoint }) => endpoint))).toEqual(new Set([first.id]))
    expect(bridge.of('endpoint_disabled').map(({ endpoint }) => endpoint)).toEqual([first.id])
    expect(bridge.stderr()).toMatch(/is disabled \(answered_410\)/)

    first.setAnswer(() => 200)
    const posted = first.posts.length
    const again = world.bridge({ ...of, flags: { 'retry-schedule': '1s' } })
    await world.change.until('what was held is delivered', () => again.of('delivered').length === records)
    expect(await again.stop()).toEqual({ code: 0, signal: null })
    expect(
      first.posts
        .slice(posted)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(idsOf(simulator))
    for (const other of receivers.slice(1)) expectExactly(other, idsOf(simulator))
  })

  test('an endpoint that never answers is given up at the deadline, and its neighbour has all meanwhile', async ({
    world,
  }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 2)
    first.setAnswer(() => 'never')
    const bridge = world.bridge({
      simulator,
      receivers,
      dataDir,
      flags: { once: true, deadline: '1', 'retry-schedule': '500ms' },
    })
    expect(await bridge.ended()).toEqual({ code: 1, signal: null })
    expect(attemptsOf(first)).toEqual(all(2))
    for (const other of receivers.slice(1)) expectExactly(other, idsOf(simulator))
    const dead = bridge.of('dead')
    expect(dead.map(({ event }) => event).sort()).toEqual(idsOf(simulator))
    expect(new Set(dead.map(({ reason, status }) => `${reason} ${status}`))).toEqual(
      new Set(['timeout null']),
    )
    const [other] = receivers.slice(1)
    const lastOfOther = Math.max(...(other?.posts.map(({ atMs }) => atMs) ?? []))
    const deadAt = dead.map(({ at }) => Date.parse(at))
    expect(lastOfOther).toBeLessThan(Math.min(...deadAt))
  })

  for (const status of [429, 503]) {
    test(`Retry-After of a ${status} is waited for`, async ({ world }) => {
      const { simulator, receivers, first, dataDir } = await startWorld(world, 1)
      first.setAnswer(({ nth }) => (nth === 1 ? { status, headers: { 'retry-after': '3' } } : 200))
      const bridge = world.bridge({
        simulator,
        receivers,
        dataDir,
        flags: { once: true, 'retry-schedule': '100ms,100ms' },
      })
      expect(await bridge.ended()).toEqual({ code: 0, signal: null })
      expect(attemptsOf(first)).toEqual(all(2))
      for (const id of idsOf(simulator)) {
        const [before, after] = first.posts.filter(post => post.id === id).map(({ atMs }) => atMs)
        expect((after ?? 0) - (before ?? 0)).toBeGreaterThanOrEqual(2_950)
      }
    })
  }

  test('a redirect is a failure: nobody follows it', async ({ world }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 1)
    const elsewhere = await world.receiver()
    first.setAnswer(() => ({ status: 307, headers: { location: elsewhere.url } }))
    const bridge = world.bridge({
      simulator,
      receivers,
      dataDir,
      flags: { once: true, 'retry-schedule': '200ms' },
    })
    expect(await bridge.ended()).toEqual({ code: 1, signal: null })
    expect(attemptsOf(first)).toEqual(all(2))
    expect(elsewhere.posts).toEqual([])
    expect(new Set(bridge.of('dead').map(({ reason }) => reason))).toEqual(new Set(['http_307']))
  })

  test('each endpoint is signed for with its own secret, or with the one that is given for all', async ({
    world,
  }) => {
    const { simulator, receivers, first, dataDir } = await startWorld(world, 1)
    const sameSecret = await world.receiver({ secret: first.secret })
    const flags = ['--endpoint', first.url, '--endpoint', sameSecret.url, '--secret', first.secret]
    const bridge = world.command([
      ...flags,
      ...['--source-url', simulator.url, '--token', world.token, '--data', dataDir],
      ...['--start-at', 'earliest', '--once', '--json', '--allow-private-endpoints'],
    ])
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    for (const receiver of [...receivers, sameSecret]) expectExactly(receiver, idsOf(simulator))
  })
})
