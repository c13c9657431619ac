import { describe, expect, it } from 'vitest'
import { createWorld, startSecond, type World } from './world/world.ts'

const latest = (): World => createWorld({ source: { startAt: { kind: 'latest' } } })

describe('a stream that starts at the latest record', () => {
  it('sends nothing that is there, and everything that comes', async () => {
    const world = latest()
    world.put(
      'bounces',
      { uuid: 'a', at: -60 },
      { uuid: 'b', at: -10 },
      { uuid: 'c', at: 20 },
      { uuid: 'd', at: 21 },
    )
    await world.pass(40)
    expect((await world.cursor('bounces')).floorSecond).toBe(startSecond - 10)
    expect(['a', 'b', 'c', 'd'].map(uuid => world.sent('bounces', uuid))).toEqual([0, 0, 1, 1])
  })

  it('logs the records of the newest second as seen, with no endpoints, and tells nobody of them', async () => {
    const world = latest()
    world.put('bounces', { uuid: 'a', at: -20 }, { uuid: 'b', at: -10 }, { uuid: 'c', at: -10 })
    await world.pass(30)
    expect(world.logged('bounces')).toEqual(['b', 'c'])
    expect([...world.ledger.logged.values()].map(({ endpointIds }) => endpointIds)).toEqual([[], []])
    expect(world.happenings.filter(({ kind }) => kind === 'enqueued')).toEqual([])
  })

  it('sends a record of the newest second that shows up later', async () => {
    const world = latest()
    world.put(
      'bounces',
      { uuid: 'a', at: -20 },
      { uuid: 'b', at: -10 },
      { uuid: 'late', at: -10, visibleAt: 30 },
      { uuid: 'late and older', at: -11, visibleAt: 30 },
    )
    await world.pass(180)
    expect(world.sent('bounces', 'late')).toBe(1)
    expect(world.logged('bounces')).toEqual(['b', 'late'])
  })

  it('finds its newest second over many pages, whatever the order and the reading of `next`', async () => {
    for (const order of ['honoured', 'ignored'] as const) {
      for (const next of ['cursor', 'page'] as const) {
        const world = createWorld({
          source: { startAt: { kind: 'latest' } },
          readings: { order, next, pageSize: 2 },
        })
        world.put(
          'complaints',
          { uuid: 'old', at: -50 },
          ...['a', 'b', 'c', 'd', 'e'].map(uuid => ({ uuid, at: -10 })),
          { uuid: 'new', at: 30 },
        )
        await world.pass(60)
        expect(world.logged('complaints')).toEqual(['a', 'b', 'c', 'd', 'e', 'new'])
        expect(world.ledger.sent.size).toBe(1)
        expect(world.ledger.violations).toEqual([])
      }
    }
  })

  it('logs a record once that pages by number show twice, since new ones came between them', async () => {
    const world = createWorld({
      source: { startAt: { kind: 'latest' } },
      readings: { next: 'page', pageSize: 2, latencyMsMax: 2_000 },
      seed: 3,
    })
    world.put('bounces', { uuid: 'old', at: -50 })
    for (let second = -6; second < 30; second++)
      world.put('bounces', { uuid: `b${second}`, at: -6, visibleAt: second })
    await world.pass(120)
    expect(world.ledger.violations).toEqual([])
    expect(world.logged('bounces')).toHaveLength(36)
  })

  it('goes on in the next runs where its newest second has more pages than a run can ask for', async () => {
    const world = createWorld({
      source: { startAt: { kind: 'latest' }, requestsPerMinute: 10 },
      readings: { pageSize: 2 },
    })
    const tied = Array.from({ length: 60 }, (_, at) => `tied ${String(at).padStart(2, '0')}`)
    world.put('bounces', { uuid: 'old', at: -50 }, ...tied.map(uuid => ({ uuid, at: -10 })), {
      uuid: 'new',
      at: 100,
    })
    await world.pass(900)
    expect((await world.cursor('bounces')).floorSecond).toBe(startSecond - 10)
    expect(world.logged('bounces')).toEqual(['new', ...tied])
    expect(tied.map(uuid => world.sent('bounces', uuid))).toEqual(tied.map(() => 0))
    expect(world.sent('bounces', 'new')).toBe(1)
    expect(world.ledger.violations).toEqual([])
  })

  it('takes no record of the future for the newest: what comes until then is sent', async () => {
    const world = latest()
    world.put(
      'bounces',
      { uuid: 'past', at: -10 },
      { uuid: 'future', at: 3_000, visibleAt: -5 },
      { uuid: 'new', at: 30 },
    )
    await world.pass(60)
    expect((await world.cursor('bounces')).floorSecond).toBe(startSecond - 10)
    expect(world.sent('bounces', 'new')).toBe(1)
    expect(world.sent('bounces', 'future')).toBe(1)
    expect(world.sent('bounces', 'past')).toBe(0)
  })

  it('takes a record of this very second for the newest', async () => {
    const world = createWorld({ source: { startAt: { kind: 'latest' } }, readings: { latencyMsMax: 300 } })
    world.put('bounces', { uuid: 'past', at: -10 }, { uuid: 'now', at: 0 })
    await world.pass(30)
    expect((await world.cursor('bounces')).floorSecond).toBe(startSecond)
    expect(world.ledger.sent.size).toBe(0)
  })

  it('sends everything that comes where the list is empty', async () => {
    const world = latest()
    world.put('bounces', { uuid: 'a', at: 20 }, { uuid: 'older', at: -500, visibleAt: 40 })
    await world.pass(90)
    expect(world.logged('bounces')).toEqual(['a', 'older'])
    expect(world.ledger.sent.size).toBe(2)
  })

  it('regression: tells that its anchor is lost though no walk has read beyond it yet', async () => {
    const world = createWorld({
      source: { startAt: { kind: 'latest' } },
      readings: { unknownLastId: 'empty' },
    })
    world.put('bounces', { uuid: 'a', at: -20 }, { uuid: 'b', at: -10 })
    let forgets = true
    world.service.intervene = ({ stream, order }) => {
      if (forgets && stream === 'bounces' && order === 'asc') {
        forgets = false
        world.service.forget(stream, () => true)
      }
      return null
    }
    await world.pass(60)
    world.put('bounces', { uuid: 'new', at: 70 })
    await world.pass(60)
    expect(world.sent('bounces', 'new')).toBe(1)
  })

  it('begins again where it was cut short before its commit, and sends nothing twice', async () => {
    const world = latest()
    world.put('bounces', { uuid: 'a', at: -20 }, { uuid: 'b', at: -10 }, { uuid: 'c', at: 70 })
    world.faults = { fails: 0, replyLost: 1, partFails: 0 }
    await world.pass(10)
    world.kill()
    world.faults = { fails: 0, replyLost: 0, partFails: 0 }
    await world.pass(120)
    expect(world.ledger.sent.size).toBe(1)
    expect(world.sent('bounces', 'c')).toBe(1)
  })

  it('has not started where pages lead in a circle, and says so without asking on and on', async () => {
    const world = latest()
    world.put('bounces', { uuid: 'a', at: -10 })
    world.service.intervene = ({ stream }) =>
      stream === 'complaints'
        ? null
        : {
            records: [],
            next: 'https://service.example/?page=2',
            bytes: 0,
            serverDateMs: null,
            rateLimit: null,
          }
    await world.pass(60)
    const failed = world.happenings.filter(
      one => one.kind === 'poll' && one.reason === 'page_does_not_advance',
    )
    expect(failed.length).toBeGreaterThan(2)
    expect(world.service.requests.filter(({ stream }) => stream === 'bounces').length).toBeLessThan(12)
    await expect(world.cursor('bounces')).rejects.toThrow('no cursor')
  })
})

describe('a stream that starts at the earliest record', () => {
  it('sends everything that is there, each once', async () => {
    const world = createWorld({ readings: { pageSize: 3 } })
    const uuids = Array.from({ length: 20 }, (_, index) => `b${String(index).padStart(2, '0')}`)
    world.put('bounces', ...uuids.map((uuid, index) => ({ uuid, at: -5_000 + 100 * index })))
    await world.pass(60)
    expect(world.logged('bounces')).toEqual(uuids)
    expect(uuids.map(uuid => world.sent('bounces', uuid))).toEqual(uuids.map(() => 1))
    expect((await world.cursor('bounces')).firstWalkComplete).toBe(true)
  })
})

describe('a stream that starts at a time', () => {
  it('sends what is of that second or later', async () => {
    const world = createWorld({ source: { startAt: { kind: 'time', second: startSecond - 100 } } })
    world.put(
      'bounces',
      { uuid: 'before', at: -101 },
      { uuid: 'then', at: -100 },
      { uuid: 'after', at: -99 },
      { uuid: 'late but before', at: -110, visibleAt: 30 },
    )
    await world.pass(180)
    expect(world.logged('bounces')).toEqual(['after', 'then'])
  })
})
