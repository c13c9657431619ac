import { describe, expect, it } from 'vitest'
import { budgetOf } from '../../../shared/domain/polling/budget.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { mostRequestsAMinute, requestsSince } from './world/checks.ts'
import { noStoreFaults } from './world/process.ts'
import { createWorld, type World } from './world/world.ts'

const putSteady = (world: World, from: number, to: number, every: number): void => {
  for (let at = from; at < to; at += every) world.put('bounces', { uuid: `steady ${at}`, at })
}
const refused = new FeedbackApiError({
  code: 'feedback_unauthorized',
  message: '401',
  hint: 'Check the token.',
  failure: 'refused',
  status: 401,
})
const commitsOf = (world: World, fromSecond: number) => {
  const fromMs = world.clock.now() - (world.now() - fromSecond) * 1000
  return world.ledger.commits.filter(({ key, atMs }) => key.stream === 'bounces' && atMs > fromMs)
}

describe('a refused token', () => {
  it('is said at the first poll with its status, and asked again once a minute for each stream', async () => {
    const world = createWorld()
    world.service.intervene = () => refused
    await world.pass(5)
    const said = world.happenings.filter(one => one.kind === 'poll' && one.outcome === 'failed')
    expect(said).toHaveLength(2)
    for (const one of said) expect(one).toMatchObject({ status: 401, reason: 'feedback_unauthorized' })
    await world.pass(590)
    expect(requestsSince(world, 0)).toBe(20)
  })

  it('that is accepted at last is followed by everything that was missed', async () => {
    const world = createWorld()
    putSteady(world, -600, 300, 60)
    world.service.intervene = () => refused
    await world.pass(300)
    world.service.intervene = () => null
    await world.pass(70)
    expect(world.logged('bounces')).toHaveLength(15)
  })
})

describe('a stream that fails', () => {
  it('does not delay the other', async () => {
    const world = createWorld()
    world.service.intervene = ({ stream }) => (stream === 'complaints' ? refused : null)
    await world.pass(20)
    for (let at = 22; at < 300; at += 40) world.put('bounces', { uuid: `b${at}`, at })
    for (let at = 22; at < 300; at += 40) {
      await world.pass(at + 6 - world.now())
      expect(world.sent('bounces', `b${at}`)).toBe(1)
    }
  })

  it('is asked ever more seldom, up to once a minute, and at its pace again after the first success', async () => {
    const world = createWorld({ source: { pollEverySeconds: 5 } })
    await world.pass(10)
    world.service.faults = { serverError: 1, timeout: 0, garbage: 0, rateLimited: 0 }
    await world.pass(590)
    const failing = world.service.requests.filter(
      ({ stream, outcome }) => stream === 'bounces' && outcome !== 'page',
    )
    expect(failing.length).toBeGreaterThan(8)
    expect(failing.length).toBeLessThan(16)
    world.service.faults = { serverError: 0, timeout: 0, garbage: 0, rateLimited: 0 }
    await world.pass(60)
    const since = world.now()
    await world.pass(60)
    expect(requestsSince(world, since)).toBeGreaterThanOrEqual(24)
  })

  it('for a fault of ours is reported as such, and goes on when the fault is over', async () => {
    const world = createWorld()
    putSteady(world, -600, 0, 60)
    world.faults = { fails: 1, replyLost: 0, partFails: 0 }
    await world.pass(100)
    world.faults = noStoreFaults
    await world.pass(180)
    expect(world.logged('bounces')).toHaveLength(10)
  })
})

describe('a run', () => {
  it('ends when a newer one has taken its lease, and the newer one goes on without a gap', async () => {
    const world = createWorld({ processes: 'alternating' })
    for (let at = 3; at < 600; at += 20) world.put('bounces', { uuid: `b${at}`, at })
    for (let at = 3; at < 600; at += 20) {
      await world.pass(at + 11 - world.now())
      expect(world.sent('bounces', `b${at}`)).toBeGreaterThan(0)
    }
    // Were the older runs still polling, each minute would have two and a half times as many.
    const since = world.now()
    await world.pass(300)
    expect(requestsSince(world, since)).toBeLessThan(5 * 24 * 1.4)
  })

  it('regression: sends nothing of a page that the newer one reads in the same moment', async () => {
    const world = createWorld({ processes: 'alternating' })
    const records = Array.from({ length: 300 }, (_, at) => ({ uuid: `r${1_000 + at}`, at: at + 60 }))
    world.put('bounces', ...records)
    await world.pass(420)
    await world.stop()
    expect(world.logged('bounces')).toHaveLength(records.length)
    expect(world.ledger.duplicates).toBe(0)
  })

  it('of the same process ends the one before it first', async () => {
    const world = createWorld()
    await world.pass(130)
    const since = world.now()
    await world.pass(300)
    expect(requestsSince(world, since)).toBeLessThan(5 * 24 * 1.2)
  })

  it('ends at its time, even where a poll is put off beyond it', async () => {
    const world = createWorld()
    world.service.intervene = () => refused
    await world.pass(1)
    // No newer run comes; the next poll would be a minute after the last one.
    await world.clock.turnTo(world.clock.now() + 145_000)
    const asked = world.service.requests.length
    await world.clock.turnTo(world.clock.now() + 300_000)
    expect(world.service.requests.length).toBe(asked)
  })

  it('carries its spending to the next one: together they keep the limit', async () => {
    for (const processes of ['one', 'alternating'] as const) {
      const world = createWorld({ readings: { pageSize: 1, requestsPerMinute: 1_000 }, processes })
      putSteady(world, -6_000, 0, 10)
      await world.pass(400)
      expect(mostRequestsAMinute(world)).toBeLessThanOrEqual(processes === 'one' ? budgetOf(60) : 60)
      expect(mostRequestsAMinute(world)).toBeGreaterThanOrEqual(budgetOf(60))
    }
  })

  it('that dies hides no more of its spending than the share that is left to others', async () => {
    const world = createWorld({ readings: { pageSize: 1, requestsPerMinute: 1_000, latencyMsMax: 100 } })
    putSteady(world, -6_000, 0, 5)
    for (let second = 0; second < 400; second += 23) {
      await world.pass(23)
      world.kill()
    }
    expect(mostRequestsAMinute(world)).toBeLessThanOrEqual(60)
  })
})

describe('a stream that is up to date', () => {
  it('is asked once a poll, and shows only its newest second again', async () => {
    const world = createWorld({ readings: { rateLimitHeaders: false } })
    putSteady(world, -600, 0, 10)
    world.put('bounces', { uuid: 'tie', at: -10 })
    await world.pass(61)
    const since = world.now()
    await world.pass(50)
    const news = world.happenings.filter(
      one => one.kind === 'poll' && one.walk === 'news' && one.stream === 'bounces',
    )
    expect(news.at(-1)).toMatchObject({ read: 2, known: 2, enqueued: 0 })
    const asked = world.service.requests.filter(({ stream }) => stream === 'bounces')
    expect(asked.filter(({ atMs }) => atMs > world.clock.now() - 50_000)).toHaveLength(10)
    expect(requestsSince(world, since)).toBeGreaterThanOrEqual(20)
  })

  it('costs at most one cursor a minute', async () => {
    const world = createWorld({ sweeps: [] })
    putSteady(world, -600, 0, 10)
    await world.pass(300)
    const since = world.now()
    await world.pass(600)
    expect(commitsOf(world, since).length).toBeGreaterThanOrEqual(9)
    expect(commitsOf(world, since).length).toBeLessThanOrEqual(10)
  })

  it('costs no more where all of it lies within the overlap and is read from its start', async () => {
    const world = createWorld({ sweeps: [] })
    world.put('bounces', { uuid: 'only', at: -5 })
    await world.pass(300)
    const since = world.now()
    await world.pass(600)
    expect(commitsOf(world, since).length).toBeLessThanOrEqual(10)
    expect((await world.cursor('bounces')).anchor).toBeNull()
  })
})

describe('reading the overlap again', () => {
  it('regression: stops at the overlap where the budget does not reach for all: a record is read twice at most', async () => {
    const world = createWorld({ readings: { pageSize: 10 }, source: { requestsPerMinute: 60 }, sweeps: [] })
    const shown = new Map<string, number>()
    const listPage = world.service.api.listPage
    world.service.api.listPage = async (request, signal) => {
      const page = await listPage(request, signal)
      for (const { text } of page.records) shown.set(text, (shown.get(text) ?? 0) + 1)
      return page
    }
    // 60 records a minute are 6 pages, and what three minutes of the overlap hold 18: re-reading may ask for 12.
    putSteady(world, -600, 1_500, 1)
    await world.pass(1_500)
    const ofLastMinutes = world.service
      .records('bounces')
      .filter(
        ({ second }) => second > world.clock.now() / 1000 - 900 && second < world.clock.now() / 1000 - 400,
      )
    const times = ofLastMinutes.map(({ raw }) => shown.get(raw.text) ?? 0)
    expect(times.length).toBe(499)
    // Once as news; some again since a poll begins with the newest second or a page ends in it; once more by re-reading.
    const average = times.reduce((sum, count) => sum + count, 0) / times.length
    expect(average).toBeLessThan(2.6)
    expect(Math.min(...times)).toBeGreaterThanOrEqual(2)
    expect((await world.cursor('bounces')).anchor?.second).toBeGreaterThan(world.clock.now() / 1000 - 400)
  })

  it('goes on while news of many pages are read again at every poll', async () => {
    const world = createWorld({ readings: { pageSize: 2 }, sweeps: [] })
    putSteady(world, -600, 250, 10)
    // Newest seconds of twenty pages: each poll reads them whole.
    for (let tie = 0; tie < 40; tie++) {
      world.put('bounces', { uuid: `tie ${tie}`, at: 250 })
      world.put('complaints', { uuid: `tie ${tie}`, at: 200 }, { uuid: `other ${tie}`, at: 210 })
    }
    world.put('bounces', { uuid: 'late', at: 230, visibleAt: 340 })
    await world.pass(900)
    expect(world.sent('bounces', 'late')).toBe(1)
  })
})
