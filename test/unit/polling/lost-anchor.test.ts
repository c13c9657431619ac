import { describe, expect, it } from 'vitest'
import type { Readings } from './world/service.ts'
import { createWorld, type World } from './world/world.ts'

const form = (unknownLastId: Readings['unknownLastId']): World =>
  createWorld({ readings: { unknownLastId }, source: { pollEverySeconds: 5, overlapSeconds: 60 } })

const lossesOf = (world: World) => world.happenings.filter(({ kind }) => kind === 'anchor_lost')
const requests = (world: World) => world.service.requests.length

/** A bounce each 20 s, from an hour ago on. */
const putHour = (world: World, until = 3_600): void => {
  for (let at = -3_600; at < until; at += 20) world.put('bounces', { uuid: `b${at}`, at })
}

describe.each(['422', 'all', 'empty', '500'] as const)(
  'an anchor that the service forgot and answers with %s',
  unknownLastId => {
    it('is replaced by an older one of the log, and nothing is lost or sent twice', async () => {
      const world = form(unknownLastId)
      putHour(world)
      await world.pass(300)
      // The last half hour but for the newest ten seconds: anchor and frontier are among it.
      world.service.forget('bounces', ({ second }) => {
        const age = world.clock.now() / 1000 - second
        return age > 10 && age < 1_800
      })
      await world.pass(600)
      const uuids = world.service
        .records('bounces')
        .filter(({ visibleAtMs }) => visibleAtMs < world.clock.now() - 10_000)
      for (const { uuid } of uuids) expect(world.sent('bounces', uuid)).toBe(1)
      expect(world.ledger.duplicates).toBe(0)
      expect(lossesOf(world).length).toBeGreaterThan(0)
      expect(lossesOf(world).length).toBeLessThanOrEqual(4)
    })

    it('is given up where the whole list was forgotten, once: no poll loops', async () => {
      const world = form(unknownLastId)
      putHour(world, 0)
      await world.pass(300)
      world.service.forget('bounces', () => true)
      await world.pass(400)
      expect((await world.cursor('bounces')).newest).toBeNull()
      const before = { losses: lossesOf(world).length, requests: requests(world) }
      await world.pass(600)
      expect(lossesOf(world)).toHaveLength(before.losses)
      // Two streams every 5 s, and what sweeps there are.
      expect(requests(world) - before.requests).toBeLessThan(300)
      world.put('bounces', { uuid: 'new', at: world.now() + 1 })
      await world.pass(60)
      expect(world.sent('bounces', 'new')).toBe(1)
    })

    it('regression: is told even where all but records older than it was forgotten', async () => {
      const world = form(unknownLastId)
      putHour(world, 0)
      await world.pass(300)
      world.service.forget('bounces', ({ uuid }) => uuid !== 'b-3600' && uuid !== 'b-3580')
      await world.pass(300)
      world.service.forget('bounces', () => true)
      await world.pass(300)
      world.put('bounces', { uuid: 'new', at: world.now() + 1 })
      await world.pass(120)
      expect(world.sent('bounces', 'new')).toBe(1)
    })

    it('in the middle of a walk leads back to the anchor, and the walk is not taken for complete', async () => {
      const world = createWorld({ readings: { unknownLastId, pageSize: 10 } })
      putHour(world, 0)
      let asked = 0
      world.service.intervene = ({ stream, lastId }) => {
        if (stream !== 'bounces' || lastId === null) return null
        asked += 1
        // The first record that the walk goes on after is gone by then.
        if (asked === 1) world.service.forget(stream, ({ uuid }) => uuid === lastId)
        return null
      }
      await world.pass(300)
      const there = world.service.records('bounces')
      for (const { uuid } of there) expect(world.sent('bounces', uuid)).toBe(1)
    })
  },
)

describe('a service that fails with one last_id and not with another', () => {
  it('regression: loses the anchor too, while fast polls are answered', async () => {
    const world = form('500')
    putHour(world)
    await world.pass(300)
    const anchor = (await world.cursor('bounces')).anchor?.uuid
    world.service.forget('bounces', ({ uuid }) => uuid === anchor)
    await world.pass(900)
    expect(lossesOf(world).length).toBeGreaterThan(0)
    expect((await world.cursor('bounces')).anchor?.second).toBeGreaterThan(world.clock.now() / 1000 - 300)
  })

  it('keeps the anchor where it fails without last_id as well', async () => {
    const world = form('422')
    putHour(world, 0)
    await world.pass(300)
    const { anchor } = await world.cursor('bounces')
    world.service.faults = { serverError: 1, timeout: 0, garbage: 0, rateLimited: 0 }
    await world.pass(900)
    expect(lossesOf(world)).toEqual([])
    expect((await world.cursor('bounces')).anchor).toEqual(anchor)
  })
})
