import { describe, expect, it } from 'vitest'
import type { PollHappening } from '../../../shared/domain/happenings.ts'
import type { CursorName } from '../../../shared/domain/polling/cursor.ts'
import { createWorld, startSecond, type World } from './world/world.ts'

/** A bounce each `every` seconds, so that anchor and frontier go on. */
const putSteady = (world: World, from: number, to: number, every: number): void => {
  for (let at = from; at < to; at += every) world.put('bounces', { uuid: `steady ${at}`, at })
}
const polls = (world: World, walk: PollHappening['walk']) =>
  world.happenings.filter(one => one.kind === 'poll' && one.walk === walk && one.stream === 'bounces')

/** When, in seconds from the world's start, the record was first sent. */
const sentWithin = async (world: World, uuid: string, seconds: number): Promise<number> => {
  for (let waited = 0; waited < seconds; waited += 5) {
    if (world.sent('bounces', uuid) > 0) return world.now()
    await world.pass(5)
  }
  throw new Error(`${uuid} was not sent within ${seconds} s`)
}

describe('a record that becomes visible late', () => {
  it.each(['position', 'timelogged'] as const)(
    'within the overlap is sent at the next re-reading, where last_id means the %s',
    async lastId => {
      const world = createWorld({ readings: { lastId } })
      putSteady(world, -600, 900, 7)
      world.put('bounces', { uuid: 'late', at: 301, visibleAt: 421 })
      await world.pass(420)
      expect(world.sent('bounces', 'late')).toBe(0)
      expect(await sentWithin(world, 'late', 120)).toBeLessThanOrEqual(420 + 65)
      expect(world.sent('bounces', 'late')).toBe(1)
    },
  )

  it('of the anchor’s own second is not hidden by it', async () => {
    for (const lastId of ['position', 'timelogged'] as const) {
      const world = createWorld({ readings: { lastId } })
      putSteady(world, -600, 900, 10)
      for (let at = 0; at < 300; at += 10)
        world.put('bounces', { uuid: `a late ${at}`, at, visibleAt: at + 120 })
      await world.pass(600)
      for (let at = 0; at < 300; at += 10) expect(world.sent('bounces', `a late ${at}`)).toBe(1)
    }
  })

  it('by twenty minutes is found by the sweep of the last hour', async () => {
    const world = createWorld()
    putSteady(world, -600, 3_600, 20)
    world.put('bounces', { uuid: 'late', at: 601, visibleAt: 1_801 })
    await world.pass(1_800)
    expect(world.sent('bounces', 'late')).toBe(0)
    expect(await sentWithin(world, 'late', 1_000)).toBeLessThanOrEqual(1_800 + 910)
    expect(world.ledger.duplicates).toBe(0)
  })

  it('by ten hours is found by the sweep of the last days', async () => {
    const world = createWorld({ source: { pollEverySeconds: 60, overlapSeconds: 120 } })
    putSteady(world, -600, 60_000, 600)
    world.put('bounces', { uuid: 'late', at: 1_001, visibleAt: 37_001 })
    await world.pass(37_000)
    expect(world.sent('bounces', 'late')).toBe(0)
    expect(await sentWithin(world, 'late', 22_000)).toBeLessThanOrEqual(37_000 + 21_700)
    expect(world.ledger.duplicates).toBe(0)
  }, 20_000)
})

describe('a sweep', () => {
  const sweeps = (name: CursorName, everyMs: number) =>
    name === 'main' ? [] : [{ name, spanSeconds: 3_000, everyMs }]

  it('that does not fit goes on in the next run, in another process, at the same place', async () => {
    const world = createWorld({
      readings: { pageSize: 2 },
      source: { requestsPerMinute: 60 },
      sweeps: sweeps('sweep-days', 300_000),
    })
    putSteady(world, -2_900, 0, 30)
    const reached = async () => {
      const ask = (await world.cursor('bounces', 'sweep-days')).place?.ask
      return ask?.kind === 'after' ? (ask.anchor?.uuid ?? null) : null
    }
    await world.pass(200)
    while ((await reached()) === null && world.now() < 600) await world.pass(1)
    const place = await reached()
    expect(place).not.toBeNull()
    world.kill()
    const asked = world.service.requests.length
    await world.pass(40)
    const swept = world.service.requests.slice(asked).map(({ lastId }) => lastId)
    expect(swept).toContain(place)
    await world.pass(600)
    expect((await world.cursor('bounces', 'sweep-days')).sweep?.nextAtMs).toBeGreaterThan(
      (startSecond + 600) * 1000,
    )
    expect(polls(world, 'sweep-days').some(one => one.kind === 'poll' && one.outcome === 'complete')).toBe(
      true,
    )
  })

  it('that is not done when the next one is due says how far it is behind', async () => {
    const world = createWorld({ readings: { pageSize: 2 }, sweeps: sweeps('sweep-hour', 60_000) })
    putSteady(world, -2_900, 0, 20)
    await world.pass(400)
    const behind = world.happenings.filter(one => one.kind === 'sweep_behind' && one.stream === 'bounces')
    expect(behind.length).toBeGreaterThan(0)
    expect(behind.every(one => one.kind === 'sweep_behind' && one.bySeconds >= 0)).toBe(true)
  })

  it('reads only what it covers, from a record of the log before it', async () => {
    const world = createWorld({
      readings: { pageSize: 100 },
      sweeps: [{ name: 'sweep-hour', spanSeconds: 300, everyMs: 400_000 }],
    })
    putSteady(world, -7_200, 900, 10)
    await world.pass(500)
    const [sweep] = polls(world, 'sweep-hour')
    if (sweep?.kind !== 'poll') throw new Error('no sweep')
    expect(sweep.read).toBeGreaterThanOrEqual(30)
    expect(sweep.read).toBeLessThanOrEqual(45)
  })

  it('is begun by no run before the first walk is complete', async () => {
    const world = createWorld({
      readings: { pageSize: 2 },
      source: { requestsPerMinute: 10 },
      sweeps: sweeps('sweep-hour', 1_000),
    })
    putSteady(world, -2_900, 0, 20)
    await world.pass(200)
    expect((await world.cursor('bounces')).firstWalkComplete).toBe(false)
    expect(polls(world, 'sweep-hour')).toEqual([])
  })

  it('gets its pages even where the service answers more slowly than the source is polled', async () => {
    const world = createWorld({
      source: { pollEverySeconds: 1, requestsPerMinute: 600 },
      readings: { latencyMsMax: 6_000, requestsPerMinute: 600 },
      sweeps: sweeps('sweep-hour', 120_000),
    })
    putSteady(world, -600, 900, 10)
    world.put('bounces', { uuid: 'late', at: 10, visibleAt: 300 })
    await world.pass(900)
    expect(world.sent('bounces', 'late')).toBe(1)
  })

  it('regression: is not ended by a first page of one second, where the order is ignored', async () => {
    const world = createWorld({
      readings: { order: 'ignored', pageSize: 3 },
      sweeps: sweeps('sweep-hour', 120_000),
    })
    putSteady(world, -600, 250, 10)
    for (let tie = 0; tie < 9; tie++) world.put('bounces', { uuid: `tie ${tie}`, at: 3_000, visibleAt: 1 })
    world.put('bounces', { uuid: 'late', at: -300, visibleAt: 200 })
    await world.pass(600)
    expect(world.sent('bounces', 'late')).toBe(1)
  })

  it('whose own last_id is lost goes on from an older one, and keeps its distance while it fails', async () => {
    for (const unknownLastId of ['422', '500', 'empty', 'all'] as const) {
      const world = createWorld({
        readings: { unknownLastId },
        sweeps: [{ name: 'sweep-hour', spanSeconds: 600, everyMs: 120_000 }],
      })
      putSteady(world, -3_600, 2_000, 10)
      world.put('bounces', { uuid: 'late', at: 900, visibleAt: 1_200 })
      await world.pass(900)
      world.service.forget(
        'bounces',
        ({ second }) => second > startSecond + 100 && second < startSecond + 700,
      )
      await world.pass(1_000)
      expect(world.sent('bounces', 'late')).toBe(1)
      expect(world.ledger.duplicates).toBe(0)
    }
  })
})
