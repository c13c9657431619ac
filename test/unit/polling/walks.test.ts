import { describe, expect, it } from 'vitest'
import { noStoreFaults } from './world/process.ts'
import { createWorld, endpoints, type World } from './world/world.ts'

const sentOnce = (world: World, uuids: readonly string[]): void => {
  expect(world.logged('bounces')).toEqual([...uuids].sort())
  expect(uuids.map(uuid => world.sent('bounces', uuid))).toEqual(uuids.map(() => 1))
  expect(world.ledger.violations).toEqual([])
}
const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `b${String(index).padStart(3, '0')}`)

describe('a walk that dies in the middle', () => {
  it('loses nothing where the order is ignored: the newest were sent first, the older ones not yet', async () => {
    for (const next of ['cursor', 'page'] as const) {
      const world = createWorld({ readings: { order: 'ignored', next, pageSize: 5, latencyMsMax: 800 } })
      const uuids = many(60)
      world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -6_000 + 100 * index })))
      await world.pass(4)
      const before = world.logged('bounces').length
      expect(before).toBeGreaterThan(0)
      expect(before).toBeLessThan(60)
      expect((await world.cursor('bounces')).anchor).toBeNull()
      world.kill()
      await world.pass(180)
      sentOnce(world, uuids)
    }
  })

  it('goes on from its place: what it read is not asked for again', async () => {
    const world = createWorld({ readings: { pageSize: 5, latencyMsMax: 800 } })
    world.put('bounces', ...many(60).map((uuid, index) => ({ uuid, at: -6_000 + 100 * index })))
    await world.pass(4)
    world.kill()
    const asked = world.service.requests.length
    await world.pass(1)
    const first = world.service.requests.slice(asked).find(({ stream }) => stream === 'bounces')
    expect(first?.lastId ?? null).not.toBeNull()
  })

  it('loses nothing and sends nothing twice, at whichever call it dies, but for what was sent and not yet logged', async () => {
    const uuids = many(12)
    for (let diesAt = 1; diesAt <= 120; diesAt += 1) {
      const world = createWorld({ readings: { pageSize: 4 }, source: { startAt: { kind: 'earliest' } } })
      world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -700 + 60 * index })))
      world.nextDiesAt = diesAt
      await world.pass(5)
      world.kill()
      await world.pass(30)
      expect(world.logged('bounces')).toEqual(uuids)
      expect(world.ledger.violations).toEqual([])
      // At most one page was under way, for two endpoints.
      expect(world.ledger.duplicates).toBeLessThanOrEqual(4 * endpoints.length)
    }
  })
})

describe('a page of which a part fails', () => {
  it('is read again: what was sent is logged, what was not is sent, and nothing is committed before', async () => {
    const world = createWorld()
    const uuids = many(40)
    world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -4_000 + 60 * index })))
    world.faults = { fails: 0, replyLost: 0, partFails: 1 }
    await world.pass(2)
    expect((await world.cursor('bounces')).anchor).toBeNull()
    await world.pass(300)
    world.faults = noStoreFaults
    await world.pass(180)
    expect(world.logged('bounces')).toEqual(uuids)
    expect(world.ledger.violations).toEqual([])
    expect((await world.cursor('bounces')).anchor).not.toBeNull()
  })
})

describe('a commit whose reply is lost', () => {
  it('changes nothing: the cursor is read again, and the walk goes on', async () => {
    const world = createWorld()
    const uuids = many(10)
    world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -900 + 60 * index })))
    world.faults = { fails: 0, replyLost: 0.3, partFails: 0 }
    await world.pass(300)
    world.faults = noStoreFaults
    await world.pass(180)
    expect(world.logged('bounces')).toEqual(uuids)
    expect(world.ledger.violations).toEqual([])
  })
})

describe('the query of a `next`', () => {
  it('is all that is used of it: its host and path are never asked', async () => {
    const world = createWorld({ readings: { order: 'ignored', pageSize: 2 } })
    const uuids = many(9)
    world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -900 + 60 * index })))
    await world.pass(60)
    sentOnce(world, uuids)
    const named = world.service.requests.flatMap(({ nextQuery }) => (nextQuery === null ? [] : [nextQuery]))
    expect(named.length).toBeGreaterThan(3)
    for (const query of named) expect(query).toMatch(/^order=/)
  })

  it('that leads in a circle is an error; what the pages show is sent, and it is not asked on and on', async () => {
    const world = createWorld({ readings: { pageSize: 2 } })
    world.put('bounces', ...many(6).map(uuid => ({ uuid, at: -500 })))
    const pages = new Map<string | null, string>([
      [null, '?page=1'],
      ['page=1', '?page=2'],
      ['page=2', '?page=1'],
    ])
    const records = world.service.records('bounces')
    world.service.intervene = ({ stream, nextQuery }) => {
      if (stream === 'complaints') return null
      const from = nextQuery === null ? 0 : nextQuery === 'page=1' ? 2 : 4
      return {
        records: records.slice(from, from + 2).map(({ raw }) => raw),
        next: pages.get(nextQuery) ?? null,
        bytes: 0,
        serverDateMs: null,
        rateLimit: null,
      }
    }
    await world.pass(300)
    expect(world.logged('bounces')).toEqual(many(6))
    expect(
      world.happenings.filter(one => one.kind === 'poll' && one.reason === 'page_does_not_advance'),
    ).not.toEqual([])
    // Polls that fail come ever more seldom, up to a minute apart.
    const asked = world.service.requests.filter(({ stream }) => stream === 'bounces')
    expect(asked.length).toBeLessThan(9 * 4)
  })
})

describe('one second of many pages', () => {
  it.each(['position', 'timelogged'] as const)('is read whole where last_id means the %s', async lastId => {
    for (const order of ['honoured', 'ignored'] as const) {
      for (const next of ['cursor', 'page'] as const) {
        const world = createWorld({ readings: { lastId, order, next, pageSize: 3 } })
        const uuids = many(40)
        world.put(
          'bounces',
          { uuid: 'a before', at: -600 },
          ...uuids.map(uuid => ({ uuid, at: -500 })),
          { uuid: 'c after', at: -400 },
          { uuid: 'd long after', at: -10 },
        )
        await world.pass(180)
        sentOnce(world, ['a before', ...uuids, 'c after', 'd long after'])
      }
    }
  })

  it('that takes more than a run is read on by the next one', async () => {
    const world = createWorld({ readings: { pageSize: 2 }, source: { requestsPerMinute: 10 } })
    const uuids = many(60)
    world.put('bounces', ...uuids.map(uuid => ({ uuid, at: -500 })))
    await world.pass(150)
    expect(world.logged('bounces').length).toBeLessThan(60)
    world.kill()
    await world.pass(600)
    sentOnce(world, uuids)
  })
})

describe('a record that can not be understood', () => {
  it('is kept in quarantine once, however often it is read, and the stream goes on', async () => {
    const world = createWorld({ readings: { pageSize: 2 } })
    world.put(
      'bounces',
      { uuid: 'a', at: -50 },
      { uuid: 'broken', at: -40, readable: false },
      { uuid: 'c', at: -40 },
      { uuid: 'd', at: -30 },
    )
    await world.pass(120)
    world.kill()
    await world.pass(120)
    sentOnce(world, ['a', 'c', 'd'])
    expect(world.ledger.quarantined).toHaveLength(1)
    expect(world.happenings.filter(({ kind }) => kind === 'quarantined')).toHaveLength(1)
  })

  it('is never an anchor, and a page of nothing else is passed', async () => {
    const world = createWorld({ readings: { pageSize: 2 } })
    const broken = many(7)
    world.put(
      'bounces',
      { uuid: 'a', at: -900 },
      { uuid: 'b', at: -800 },
      ...broken.map(uuid => ({ uuid: `x${uuid}`, at: -700, readable: false })),
      { uuid: 'z', at: -300 },
      { uuid: 'zz', at: -10 },
    )
    await world.pass(180)
    sentOnce(world, ['a', 'b', 'z', 'zz'])
    expect(world.ledger.quarantined).toHaveLength(7)
    expect((await world.cursor('bounces')).anchor?.uuid).toBe('z')
  })
})

describe('a record older than the memory of the log', () => {
  const day = 86_400

  it('is sent by the first walk', async () => {
    const world = createWorld()
    world.put('bounces', { uuid: 'old', at: -40 * day }, { uuid: 'new', at: -10 })
    await world.pass(30)
    sentOnce(world, ['new', 'old'])
  })

  it('is counted and not sent once the first walk is complete: it may have been sent and forgotten', async () => {
    const world = createWorld()
    world.put('bounces', { uuid: 'new', at: -10 }, { uuid: 'old', at: -40 * day, visibleAt: 60 })
    await world.pass(30)
    world.service.forget('bounces', ({ uuid }) => uuid === 'new')
    world.put('bounces', { uuid: 'newer', at: 40 })
    await world.pass(180)
    expect(world.sent('bounces', 'old')).toBe(0)
    expect(world.sent('bounces', 'newer')).toBe(1)
    expect(world.happenings.some(one => one.kind === 'poll' && one.beyondMemory === 1)).toBe(true)
  })
})
