import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { completeWalks, expectExactly, expectLinesMatch } from './harness/checks.ts'
import { nowSecond, recordsAt, recordsUntil } from './harness/records.ts'
import { idsOf, test, type World } from './harness/world.ts'

const startWorld = async (world: World) => {
  const simulator = await world.simulator({ pageSize: 5 })
  simulator.add('bounces', recordsUntil(nowSecond() - 60, 10, 2))
  simulator.add('complaints', recordsUntil(nowSecond() - 60, 5, 2))
  return { simulator, receiver: await world.receiver(), dataDir: await world.dataDir() }
}

describe.concurrent('start after start', () => {
  test('the same data folder goes on where it was, without repeats, however it was ended', async ({
    world,
  }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const of = { simulator, receivers: [receiver], dataDir }
    const first = world.bridge({ ...of, flags: { once: true } })
    expect(await first.ended()).toEqual({ code: 0, signal: null })
    expectLinesMatch(first, [receiver])
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      simulator.add('bounces', recordsUntil(nowSecond(), 3, 3))
      const bridge = world.bridge(of)
      await world.change.until(
        'what is new arrives',
        () => new Set(receiver.ids()).size === idsOf(simulator).length,
      )
      bridge.send(signal)
      expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    }
    const last = world.bridge({ ...of, flags: { once: true } })
    expect(await last.ended()).toEqual({ code: 0, signal: null })
    expect(last.of('enqueued')).toEqual([])
    expectExactly(receiver, idsOf(simulator))
  })

  test('a data folder of another source is refused, with what to do', async ({ world }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const of = { receivers: [receiver], dataDir, flags: { once: true } as const }
    expect(await world.bridge({ ...of, simulator }).ended()).toEqual({ code: 0, signal: null })
    const posts = receiver.posts.length

    const other = await world.simulator()
    other.add('bounces', recordsUntil(nowSecond() - 60, 5))
    const bridge = world.bridge({ ...of, simulator: other })
    expect(await bridge.ended()).toEqual({ code: 2, signal: null })
    expect(bridge.stderr()).toContain(
      `belongs to the source ${simulator.url}/api/v2, not to ${other.url}/api/v2`,
    )
    expect(bridge.stderr()).toMatch(/--data/)
    expect(bridge.stdout()).toBe('')
    expect(other.requestCount).toBe(0)
    expect(receiver.posts.length).toBe(posts)

    const otherPrefix = world.bridge({ ...of, simulator, flags: { once: true, 'path-prefix': '/api/v1' } })
    expect(await otherPrefix.ended()).toEqual({ code: 2, signal: null })
    // It harmed nothing: the right one goes on.
    expect(await world.bridge({ ...of, simulator }).ended()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator))
  })

  test('a second bridge on a data folder in use is refused, and the first one goes on', async ({ world }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const of = { simulator, receivers: [receiver], dataDir }
    const first = world.bridge(of)
    await world.change.until('it delivers', () => first.of('delivered').length > 0)
    const second = world.bridge(of)
    expect(await second.ended()).toEqual({ code: 2, signal: null })
    expect(second.stderr()).toMatch(/is in use by process \d+/)
    expect(second.stdout()).toBe('')
    simulator.add('bounces', recordsAt(nowSecond(), 3))
    await world.change.until('what is new arrives', () => receiver.posts.length === idsOf(simulator).length)
    expect(await first.stop()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator))
    // Its lock ends with it.
    expect(await world.bridge({ ...of, flags: { once: true } }).ended()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator))
  })

  test('an endpoint that is not named any more gets nothing, and all that it missed once it is named again', async ({
    world,
  }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const other = await world.receiver()
    const of = { simulator, dataDir, flags: { once: true } as const }
    const both = world.bridge({ ...of, receivers: [receiver, other] })
    expect(await both.ended()).toEqual({ code: 0, signal: null })
    const before = idsOf(simulator)
    expectExactly(other, before)

    simulator.add('bounces', recordsUntil(nowSecond() - 10, 4))
    const alone = world.bridge({ ...of, receivers: [receiver] })
    expect(await alone.ended()).toEqual({ code: 0, signal: null })
    expectExactly(receiver, idsOf(simulator))
    expectExactly(other, before)
    expect(alone.stderr()).toMatch(/Not named now/)
    const held = alone.of('held').map(({ event, endpoint }) => `${event} ${endpoint}`)
    const missed = idsOf(simulator).filter(id => !before.includes(id))
    expect(held.sort()).toEqual(missed.map(id => `${id} ${other.id}`))

    const again = world.bridge({ simulator, dataDir, receivers: [receiver, other] })
    await world.change.until(
      'what it missed is delivered',
      () => again.of('delivered').length === missed.length,
    )
    expect(await again.stop()).toEqual({ code: 0, signal: null })
    for (const each of [receiver, other]) expectExactly(each, idsOf(simulator))
  })

  test('a secret that nobody gave is made once, kept for its owner alone, and signs after a restart too', async ({
    world,
  }) => {
    const { simulator, dataDir } = await startWorld(world)
    const probe = await world.receiver()
    const flags = (url: string) => [
      ...['--source-url', simulator.url, '--token', world.token, '--endpoint', url],
      ...['--data', dataDir, '--start-at', 'earliest', '--poll-every', '0.3', '--once', '--json'],
      ...['--requests-per-minute', '100000', '--allow-private-endpoints'],
    ]
    const nowhere = 'http://127.0.0.1:9/nowhere'
    const first = world.command([...flags(nowhere), '--types', 'email.bounce.expired'])
    expect(await first.ended()).toEqual({ code: 0, signal: null })
    const fileSchema = z.object({
      master: z.string(),
      endpoints: z.record(z.string(), z.object({ secret: z.string() })),
    })
    const read = async () =>
      fileSchema.parse(JSON.parse(await readFile(join(dataDir, 'signing-secrets.json'), 'utf8')))
    const { master, endpoints } = await read()
    const [made] = Object.values(endpoints)
    expect(made?.secret).toMatch(/^whsec_/)
    for (const secret of [master, made?.secret ?? '']) {
      expect(`${first.stdout()}${first.stderr()}`).not.toContain(secret)
    }
    const second = world.command([...flags(nowhere), '--types', 'email.bounce.expired'])
    expect(await second.ended()).toEqual({ code: 0, signal: null })
    expect(await read()).toEqual({ master, endpoints })
    expect(probe.posts).toEqual([])
  })
})

describe.concurrent('where the first start begins', () => {
  const started = (bridge: ReturnType<World['bridge']>) => () => {
    const { bounces, complaints } = completeWalks(bridge, 'overlap')
    return bounces >= 1 && complaints >= 1
  }

  for (const order of ['honoured', 'ignored'] as const) {
    test(`latest: what comes from then on, the same second included, and nothing older; order ${order}`, async ({
      world,
    }) => {
      const { simulator, receiver, dataDir } = await startWorld(world)
      simulator.setOption('order', order)
      const known = new Set(idsOf(simulator))
      const bridge = world.bridge({
        simulator,
        receivers: [receiver],
        dataDir,
        flags: { 'start-at': null, overlap: '300' },
      })
      await world.change.until('both streams are read', started(bridge))
      const newest = simulator.records('bounces').at(-1)?.second ?? 0
      // Late, from before the start: never sent. Of the newest second of the start: sent, since it is no older.
      const late = recordsAt(newest - 1, 2)
      simulator.add('bounces', [...late, ...recordsAt(newest, 2), ...recordsAt(nowSecond(), 3)])
      simulator.add('complaints', recordsAt(nowSecond(), 2))
      await world.change.until('seven arrive', () => receiver.posts.length >= 7)
      const since = bridge.polls().length
      await world.change.until('both are polled again', () => {
        const { bounces, complaints } = completeWalks(bridge, 'news', since)
        return bounces >= 2 && complaints >= 2
      })
      await bridge.stop()
      const lateUuids = new Set<string>(late.map(({ uuid }) => uuid))
      const expected = idsOf(simulator, { only: ({ uuid }) => !lateUuids.has(uuid) }).filter(
        id => !known.has(id),
      )
      expect(expected.length).toBe(7)
      expectExactly(receiver, expected)

      // Not at the next start either, even one that says earliest: the floor is the folder's.
      const again = world.bridge({
        simulator,
        receivers: [receiver],
        dataDir,
        flags: { once: true, overlap: '300' },
      })
      expect(await again.ended()).toEqual({ code: 0, signal: null })
      expectExactly(receiver, expected)
    })
  }

  test('latest, of lists that are empty: whatever comes is new', async ({ world }) => {
    const simulator = await world.simulator()
    const receiver = await world.receiver()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { 'start-at': 'latest' },
    })
    await world.change.until('both streams are read', started(bridge))
    simulator.add('bounces', recordsUntil(nowSecond() - 30, 3))
    simulator.add('complaints', recordsUntil(nowSecond() - 30, 3))
    await world.change.until('all arrive', () => receiver.posts.length >= 6)
    await bridge.stop()
    expectExactly(receiver, idsOf(simulator))
  })

  test('an ISO time, in any zone: the records from that second on', async ({ world }) => {
    const { simulator, receiver, dataDir } = await startWorld(world)
    const second = nowSecond() - 63
    const inZone = new Date((second + 5.5 * 3600) * 1000).toISOString().replace(/\.\d+Z$/, '+05:30')
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir,
      flags: { 'start-at': inZone, once: true },
    })
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    const expected = idsOf(simulator, { only: record => record.second >= second })
    expect(expected.length).toBeGreaterThanOrEqual(10)
    expect(expected.length).toBeLessThan(idsOf(simulator).length)
    expectExactly(receiver, expected)
  })
})
