import { describe, expect, it } from 'vitest'
import {
  type BudgetState,
  budgetOf,
  emptyBudget,
  newsAhead,
  type RequestKind,
  spend,
} from '../../../shared/domain/polling/budget.ts'
import {
  createNewsPace,
  evenPaceMs,
  type NewsPace,
  usualRequestsMax,
} from '../../../shared/domain/polling/news-pace.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { mostRequestsAMinute } from './world/checks.ts'
import { createWorld, type World } from './world/world.ts'

const poll = (pace: NewsPace, stream: StreamName, requests: number): void => {
  for (let time = 0; time < requests; time += 1) pace.spent(stream)
  pace.ended(stream)
}

describe('what a poll of both streams takes', () => {
  it('is the lesser of the last two polls of each: one that caught up says nothing of the next', () => {
    const pace = createNewsPace()
    poll(pace, 'bounces', 40)
    expect(pace.requests()).toBe(0)
    poll(pace, 'bounces', 3)
    poll(pace, 'complaints', 1)
    poll(pace, 'complaints', 2)
    expect(pace.requests()).toBe(4)
    poll(pace, 'bounces', 40)
    expect(pace.requests()).toBe(4)
  })

  it('counts a walk that more than one poll goes on with as a whole', () => {
    const pace = createNewsPace()
    for (let walk = 0; walk < 2; walk += 1) {
      pace.spent('bounces')
      poll(pace, 'bounces', 1)
    }
    expect(pace.requests()).toBe(2)
  })
})

describe('the pace at which a budget lasts', () => {
  const t0 = 1_763_631_000_000
  const spentAt = (...times: readonly (readonly [second: number, kind: RequestKind, count: number])[]) =>
    times
      .flatMap(([second, kind, count]) => Array.from({ length: count }, () => ({ second, kind })))
      .reduce((state, { second, kind }) => spend(state, t0 + second * 1_000, kind), emptyBudget(60))
  const paceOf = (requests: number, state: BudgetState, second: number): number =>
    evenPaceMs(requests, newsAhead(state, t0 + second * 1_000)) / 1_000

  it('is none while nothing was spent, and for a poll that takes nothing', () => {
    expect(paceOf(2, emptyBudget(60), 0)).toBe(0)
    expect(paceOf(0, spentAt([0, 'news', 48]), 0)).toBe(0)
  })

  it('spreads what is left until more is free: 36 of the 48 are for news, 12 for reading again', () => {
    // 34 are left for 61 s: 17 polls of two, and the next one after that.
    expect(paceOf(2, spentAt([0, 'news', 2]), 0)).toBeCloseTo(60.1 / 18)
    expect(paceOf(2, spentAt([0, 'news', 2], [0, 'reread', 12]), 0)).toBeCloseTo(60.1 / 18)
  })

  it('waits where nothing is left', () => {
    expect(paceOf(2, spentAt([0, 'news', 48]), 20)).toBeCloseTo(40.1)
    expect(paceOf(2, spentAt([0, 'sweep', 36]), 20)).toBeCloseTo(40.1)
  })

  it('counts on what is free again before the time is over', () => {
    // One poll now, and 20 requests more after 11 s: ten polls in the 50 s that follow.
    const state = spentAt([0, 'news', 20], [50, 'news', 14])
    expect(paceOf(2, state, 50)).toBeCloseTo(Math.max(10.1 / 2, 60.1 / 12))
    // Whether news or sweeps have spent it.
    const swept = spentAt([0, 'news', 8], [0, 'sweep', 12], [50, 'news', 14])
    expect(paceOf(2, swept, 50)).toBeCloseTo(Math.max(10.1 / 2, 60.1 / 12))
  })
})

/** The longest time, in seconds, in which a stream was not asked. */
const longestGap = (world: World, stream: StreamName, sinceMs: number): number => {
  const times = world.service.requests
    .filter(request => request.stream === stream && request.atMs >= sinceMs)
    .map(({ atMs }) => atMs)
  return Math.max(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? atMs))) / 1_000
}

describe('a list that is read to its end while the other one catches up', () => {
  it('is asked less often than once in 45 s, so that the backlog has nearly all of the budget', async () => {
    const world = createWorld({ readings: { pageSize: 10 } })
    world.put('complaints', { uuid: 'c', at: -900 })
    for (let at = 0; at < 2_000; at += 1) world.put('bounces', { uuid: `b${at}`, at: -3_000 + at })
    const startMs = world.clock.now()
    await world.pass(240)
    const requests = world.service.requests.filter(({ atMs }) => atMs - startMs < 240_000)
    const ofOther = requests.filter(({ stream }) => stream === 'complaints')
    // Four windows of 48; in the first seconds nobody knows yet.
    expect(requests).toHaveLength(4 * budgetOf(60))
    expect(ofOther.length).toBeLessThanOrEqual(9)
    expect(longestGap(world, 'complaints', startMs)).toBeLessThan(62)
  })
})

describe('a list that fails again and again', () => {
  it('has no backlog for that: the other one is polled as ever', () => {
    const pace = createNewsPace()
    for (let request = 0; request < 2 * usualRequestsMax; request += 1) {
      pace.spent('bounces')
      pace.failed('bounces')
    }
    expect(pace.isOtherBehind('complaints')).toBe(false)
  })

  it('has one once a poll takes more requests than usual, until it has read everything', () => {
    const pace = createNewsPace()
    for (let request = 0; request < usualRequestsMax; request += 1) pace.spent('bounces')
    expect(pace.isOtherBehind('complaints')).toBe(false)
    pace.spent('bounces')
    expect([pace.isOtherBehind('complaints'), pace.isOtherBehind('bounces')]).toEqual([true, false])
    poll(pace, 'complaints', 1)
    expect([pace.isOtherBehind('complaints'), pace.isOtherBehind('bounces')]).toEqual([true, false])
    pace.ended('bounces')
    expect(pace.isOtherBehind('complaints')).toBe(false)
  })
})

describe('a source that wants more polls than its budget has', () => {
  it('is polled all the time, and not in bursts with half a minute between them', async () => {
    const world = createWorld({ source: { pollEverySeconds: 1 } })
    for (let at = -600; at < 600; at += 5) world.put('bounces', { uuid: `b${at}`, at })
    await world.pass(600)
    const sinceMs = world.clock.now() - 480_000
    for (const stream of ['bounces', 'complaints'] as const) {
      expect(longestGap(world, stream, sinceMs)).toBeLessThan(6)
    }
    expect(mostRequestsAMinute(world)).toBeLessThanOrEqual(budgetOf(60))
  })

  it('is so where a poll takes many pages', async () => {
    const world = createWorld({ source: { pollEverySeconds: 1 }, readings: { pageSize: 10 } })
    for (let at = -30; at < 360; at += 1 / 3) {
      world.put('bounces', { uuid: `b${at}`, at: Math.floor(at) })
    }
    await world.pass(360)
    expect(longestGap(world, 'bounces', world.clock.now() - 180_000)).toBeLessThan(8)
    expect(mostRequestsAMinute(world)).toBeLessThanOrEqual(budgetOf(60))
  })
})
