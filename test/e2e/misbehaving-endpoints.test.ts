import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { expectExactly } from './harness/checks.ts'
import {
  allDelivered,
  expectOnceMoreThanFailed,
  mostWithin,
  ofEndpoint,
  patienceMs,
  pollsSince,
  startWorld,
  timesOf,
  trickle,
} from './harness/misbehaving.ts'
import { idsOf, test } from './harness/world.ts'

// Each of these waits for times that are the bridge's own: a minute of failures, a run of the releaser. So all at once.
const timeout = 170_000

/** What the README says of the breaker and of what comes after it. */
const failingMs = 60_000
const firstProbeAfterMs = 24_000
const recoveryPerSecond = 2
/** What was under way when the breaker opened has arrived by then. */
const underWayMs = 1_000

describe.concurrent('endpoints that misbehave', () => {
  test('one that fails for a minute is left alone but for probes, and gets what waited by and by', {
    timeout,
  }, async ({ world }) => {
    const schedule = Array.from({ length: 60 }, () => '2s').join(',')
    const { simulator, first, other, bridge, happen } = await startWorld(world, { receivers: 2, schedule })
    first.setAnswer(() => 500)
    happen(3)
    const told = () => ofEndpoint(bridge, 'breaker', first)
    await world.change.until('the breaker opens', () => told().length === 1, patienceMs)
    first.setAnswer(() => 204)
    trickle(simulator, () => told().length === 1, happen)
    await world.change.until('it closes', () => told().length === 2, patienceMs)
    await world.change.until('all is delivered', allDelivered(bridge, first, simulator), patienceMs)
    expect(await bridge.stop()).toEqual({ code: 0, signal: null })

    const [opened, closed] = told()
    expect(told().map(({ state, reason }) => [state, reason])).toEqual([
      ['open', 'failures_in_row'],
      ['closed', null],
    ])
    const openedMs = Date.parse(opened?.at ?? '')
    const closedMs = Date.parse(closed?.at ?? '')
    const times = timesOf(first.posts)
    const failed = first.posts.filter(({ status }) => status === 500)
    expect(openedMs - Math.min(...times)).toBeGreaterThanOrEqual(failingMs)
    expect(failed.length).toBeGreaterThanOrEqual(10)
    // While it is open one POST is made, the probe, at its time; it is the first that is taken.
    const probes = first.posts.filter(({ atMs }) => atMs > openedMs + underWayMs && atMs < closedMs)
    expect(probes.map(({ status }) => status)).toEqual([204])
    expect(Math.max(...timesOf(failed))).toBeLessThan(openedMs + underWayMs)
    expect((probes[0]?.atMs ?? 0) - openedMs).toBeGreaterThanOrEqual(firstProbeAfterMs)
    const held = ofEndpoint(bridge, 'held', first)
    expect(new Set(held.map(({ reason }) => reason))).toEqual(new Set(['breaker_open']))
    expect(held.length).toBeGreaterThan(10)
    // What waited does not come all at once. The queue delays by whole seconds, and a busy machine lets some come together.
    // What is new since goes beside it, at once: the breaker is closed.
    const waited = new Set(held.map(({ event }) => event))
    const after = timesOf(first.posts.filter(({ id, atMs }) => atMs >= closedMs && waited.has(id)))
    expect(mostWithin(after, 15_000)).toBeLessThanOrEqual(15 * recoveryPerSecond + 2)
    expect(mostWithin(after, 2_000)).toBeLessThanOrEqual(2 * recoveryPerSecond * 2)
    expectOnceMoreThanFailed(bridge, first, idsOf(simulator))
    expectExactly(other, idsOf(simulator))
  })

  for (const status of [429, 503]) {
    test(`Retry-After of a ${status} leaves the whole endpoint alone, and nobody else`, { timeout }, async ({
      world,
    }) => {
      const pauseMs = 12_000
      const of = { receivers: 2, schedule: '1s,1s' }
      const { simulator, first, other, bridge, happen } = await startWorld(world, of)
      const askedFor = { status, headers: { 'retry-after': String(pauseMs / 1_000) } }
      first.setAnswer(() => (first.posts.length === 1 ? askedFor : 204))
      happen(1)
      await world.change.until('the first one waits', () => bridge.of('waiting').length === 1, patienceMs)
      const polls = bridge.polls().length
      await world.change.until('and is noted', () => pollsSince(bridge, polls) >= 2, patienceMs)
      happen(6)
      await world.change.until('the neighbour has all', () => other.posts.length === 7, patienceMs)
      const neighbourMs = Math.max(...timesOf(other.posts))
      await world.change.until('all is delivered', allDelivered(bridge, first, simulator), patienceMs)
      expect(await bridge.stop()).toEqual({ code: 0, signal: null })

      const [asked, ...later] = timesOf(first.posts)
      const untilMs = (asked ?? 0) + pauseMs
      expect(Math.min(...later)).toBeGreaterThanOrEqual(untilMs - 50)
      expect(neighbourMs).toBeLessThan(untilMs)
      const held = ofEndpoint(bridge, 'held', first)
      expect(held.map(({ reason }) => reason)).toEqual(Array.from({ length: 6 }, () => 'endpoint_paused'))
      expect(bridge.of('breaker')).toEqual([])
      expectOnceMoreThanFailed(bridge, first, idsOf(simulator))
      expectExactly(other, idsOf(simulator))
    })
  }

  test('limits are kept: so many a second, and so many at a time', { timeout }, async ({ world }) => {
    const [perSecond, atOnce, records] = [2, 2, 20]
    const { simulator, first, other, bridge, happen, operate } = await startWorld(world, {
      ...{ receivers: 2, schedule: '1s' },
    })
    let underWay = 0
    let mostUnderWay = 0
    other.setAnswer(async () => {
      underWay += 1
      mostUnderWay = Math.max(mostUnderWay, underWay)
      await wait(400)
      underWay -= 1
      return 204
    })
    const updates = await Promise.all([
      operate(`endpoint update ${first.id} --max-per-second ${perSecond}`),
      operate(`endpoint update ${other.id} --max-in-flight ${atOnce}`),
    ])
    expect(updates.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    happen(records)
    for (const receiver of [first, other]) {
      await world.change.until('all is delivered', allDelivered(bridge, receiver, simulator), patienceMs)
    }
    expect(await bridge.stop()).toEqual({ code: 0, signal: null })
    // Spaced evenly; a busy machine may be late with one, and in time with the next.
    expect(mostWithin(timesOf(first.posts), 1_000)).toBeLessThanOrEqual(perSecond + 1)
    expect(mostWithin(timesOf(first.posts), 5_000)).toBeLessThanOrEqual(5 * perSecond + 1)
    expect(mostUnderWay).toBe(atOnce)
    const held = [first, other].flatMap(receiver => ofEndpoint(bridge, 'held', receiver))
    expect(new Set(held.map(({ reason }) => reason))).toEqual(new Set(['paced']))
    for (const receiver of [first, other]) expectExactly(receiver, idsOf(simulator))
    expect(new Set(bridge.of('attempt').map(({ attempt }) => attempt))).toEqual(new Set([1]))
  })

  test('410 disables an endpoint at once and is told once; enabled again, it gets what was held', {
    timeout,
  }, async ({ world }) => {
    const of = { receivers: 2, schedule: '1s' }
    const { simulator, first, other, bridge, happen, operate } = await startWorld(world, of)
    first.setAnswer(() => 410)
    happen(8)
    await world.change.until('all is held', () => ofEndpoint(bridge, 'held', first).length === 8, patienceMs)
    const posted = first.posts.length
    happen(4)
    await world.change.until('this too', () => ofEndpoint(bridge, 'held', first).length === 12, patienceMs)
    expect(first.posts).toHaveLength(posted)
    first.setAnswer(() => 204)
    expect(await operate(`endpoint enable ${first.id} --release`)).toMatchObject({ code: 0 })
    await world.change.until('all is delivered', allDelivered(bridge, first, simulator), patienceMs)
    expect(await bridge.stop()).toEqual({ code: 0, signal: null })

    const disabled = bridge.of('endpoint_disabled').map(({ endpoint, reason }) => [endpoint, reason])
    expect(disabled).toEqual([[first.id, 'answered_410']])
    expect(bridge.stderr().match(/is disabled \(answered_410\)/g)).toHaveLength(1)
    const held = ofEndpoint(bridge, 'held', first)
    expect(new Set(held.map(({ reason }) => reason))).toEqual(new Set(['answered_410']))
    const taken = first.posts.filter(({ status }) => status === 204).map(({ id }) => id)
    expect(taken.toSorted()).toEqual(idsOf(simulator))
    expectExactly(other, idsOf(simulator))
  })
})
