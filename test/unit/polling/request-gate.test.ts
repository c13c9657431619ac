import { describe, expect, it } from 'vitest'
import { budgetOf, type RequestKind, windowMs, windowSlackMs } from '../../../shared/domain/polling/budget.ts'
import { FeedbackApiError, type Page } from '../../../shared/domain/polling/feedback-api.ts'
import {
  adoptSpending,
  createRequestGate,
  type FetchResult,
  type GateState,
  newGateState,
  spendingOf,
} from '../../../shared/domain/polling/request-gate.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { createVirtualClock } from './world/virtual-clock.ts'

const t0 = 1_763_631_000_000
const empty: Page = { records: [], next: null, bytes: 0, serverDateMs: null, rateLimit: null }

/** A gate over a service that answers `page()`, with a clock to turn. */
const gateOf = (
  over: { page?: () => Promise<Page>; requestsPerMinute?: number; state?: GateState; nowMs?: number } = {},
) => {
  const clock = createVirtualClock(over.nowMs ?? t0)
  const requestsPerMinute = over.requestsPerMinute ?? 60
  const state = over.state ?? newGateState(requestsPerMinute)
  const ended = new AbortController()
  const asked: { stream: StreamName; atMs: number }[] = []
  let spent = 0
  const gate = createRequestGate(
    {
      clock,
      requestsPerMinute,
      api: {
        listPage: async ({ stream }) => {
          asked.push({ stream, atMs: clock.now() - t0 })
          return (await over.page?.()) ?? empty
        },
      },
    },
    state,
    {
      isOver: () => ended.signal.aborted,
      signal: ended.signal,
      isOurs: async () => !ended.signal.aborted,
      onSpent: () => {
        spent += 1
      },
    },
  )
  const results: FetchResult[] = []
  /** Asks, and notes the answer when it comes. */
  const ask = (stream: StreamName, kind: RequestKind = 'news', backlog = false): void => {
    const request = { stream, order: 'asc', lastId: null, nextQuery: null } as const
    void gate.fetch(request, { kind, backlog }).then(result => results.push(result))
  }
  const turn = (ms: number) => clock.turnTo(clock.now() + ms)
  const streams = () => asked.map(({ stream }) => stream)
  return { gate, state, clock, ended, asked, streams, results, ask, turn, spent: () => spent }
}
const times = (count: number, step: () => void): void => {
  for (let time = 0; time < count; time++) step()
}

describe('the budget of two streams', () => {
  it('is one: what the one spends the other has not', async () => {
    const { ask, turn, asked } = gateOf()
    times(30, () => ask('bounces'))
    times(30, () => ask('complaints'))
    await turn(0)
    expect(asked).toHaveLength(budgetOf(60))
  })

  it('is given in the order of asking once it is free again, and not a moment later', async () => {
    const { ask, turn, asked, streams } = gateOf()
    times(48, () => ask('bounces'))
    ask('complaints')
    ask('bounces')
    await turn(windowMs + windowSlackMs - 1)
    expect(asked).toHaveLength(48)
    await turn(1)
    expect(streams().slice(48)).toEqual(['complaints', 'bounces'])
  })

  /** Four requests a minute, spent at these seconds of it; a poll of complaints waits, and then a backlog of bounces. */
  const bothWait = async (of: { complaintsAt: number; bouncesAt: readonly number[] }) => {
    const world = gateOf({ requestsPerMinute: 5 })
    for (let second = 0; second < 40; second += 1) {
      if (second === of.complaintsAt) world.ask('complaints')
      for (const at of of.bouncesAt) if (at === second) world.ask('bounces', 'news', true)
      await world.turn(1_000)
    }
    expect(world.asked).toHaveLength(budgetOf(5))
    world.ask('complaints')
    times(2, () => world.ask('bounces', 'news', true))
    await world.turn(60_000)
    return world.streams().slice(budgetOf(5))
  }

  it('goes to a backlog first, though the other stream was asked for news earlier', async () => {
    const order = await bothWait({ complaintsAt: 29, bouncesAt: [0, 1, 30] })
    expect(order).toEqual(['bounces', 'bounces', 'complaints'])
  })

  it('but not beyond the patience of the other stream, which goes before any backlog then', async () => {
    const order = await bothWait({ complaintsAt: 10, bouncesAt: [0, 1, 30] })
    expect(order).toEqual(['complaints', 'bounces', 'bounces'])
  })

  it('counts the requests of each stream, and tells the run of each', async () => {
    const { gate, ask, turn, spent } = gateOf()
    ask('bounces')
    ask('bounces', 'reread')
    ask('complaints', 'sweep')
    await turn(0)
    expect([gate.takeRequests('bounces'), gate.takeRequests('complaints')]).toEqual([2, 1])
    expect([gate.takeRequests('bounces'), gate.takeRequests('complaints')]).toEqual([0, 0])
    expect(spent()).toBe(3)
    expect(gate.budgetLeft()).toBe(45)
  })
})

describe('re-reading and sweeps', () => {
  it('have a quarter of the budget each, and do not wait for more', async () => {
    const { ask, turn, asked, results } = gateOf()
    times(20, () => ask('bounces', 'reread'))
    times(20, () => ask('bounces', 'sweep'))
    await turn(0)
    expect(asked).toHaveLength(24)
    const stopped = results.filter(({ kind }) => kind === 'stopped')
    expect(stopped).toEqual(Array.from({ length: 16 }, () => ({ kind: 'stopped', why: 'no_budget' })))
  })

  it('come after whoever waits for news', async () => {
    const { ask, turn, results } = gateOf()
    times(49, () => ask('bounces'))
    await turn(60_050)
    ask('complaints', 'reread')
    await turn(0)
    expect(results.at(-1)).toEqual({ kind: 'stopped', why: 'no_budget' })
  })

  it('leave a budget of one request a minute to news', async () => {
    const { ask, turn, streams, results } = gateOf({ requestsPerMinute: 2 })
    ask('bounces')
    await turn(0)
    ask('bounces', 'reread')
    await turn(0)
    expect(results.at(-1)).toEqual({ kind: 'stopped', why: 'no_budget' })
    ask('complaints')
    await turn(windowMs + windowSlackMs)
    expect(streams()).toEqual(['bounces', 'complaints'])
  })

  it('regression: are not starved by news that would fill every window', async () => {
    const { ask, turn, streams } = gateOf()
    // More news than the budget holds, for ever; and once in five seconds a page to read again.
    for (let second = 0; second < 600; second += 5) {
      times(8, () => ask('bounces'))
      ask('complaints', 'reread')
      await turn(5_000)
    }
    const reread = streams().filter(stream => stream === 'complaints').length
    expect(reread).toBeGreaterThan(90)
    expect(streams().length - reread).toBeGreaterThan(340)
  })

  it('regression: keep one request free for one page that was refused, not their whole share', async () => {
    const { ask, turn, asked } = gateOf()
    times(60, () => ask('bounces'))
    await turn(0)
    ask('complaints', 'reread')
    times(60, () => ask('bounces'))
    await turn(windowMs + windowSlackMs)
    expect(asked).toHaveLength(2 * budgetOf(60) - 1)
  })

  it('regression: are not starved where each run ends before they come again', async () => {
    const first = gateOf()
    times(60, () => first.ask('bounces'))
    await first.turn(0)
    first.ask('complaints', 'reread')
    first.ended.abort()
    await first.turn(windowMs + windowSlackMs)
    const second = gateOf({ state: first.state, nowMs: first.clock.now() })
    times(60, () => second.ask('bounces'))
    await second.turn(0)
    second.ask('complaints', 'reread')
    await second.turn(0)
    expect(second.streams().filter(stream => stream === 'complaints')).toHaveLength(1)
    expect(second.streams()).toHaveLength(budgetOf(60))
  })

  it('keep nothing free where their own share is used up', async () => {
    const { ask, turn, asked } = gateOf()
    times(13, () => ask('bounces', 'reread'))
    times(60, () => ask('bounces'))
    await turn(0)
    expect(asked).toHaveLength(budgetOf(60))
    await turn(windowMs + windowSlackMs)
    expect(asked).toHaveLength(12 + 60)
  })
})

describe('a run that is over', () => {
  it('asks nothing more', async () => {
    const { ask, turn, ended, asked, results } = gateOf()
    ended.abort()
    ask('bounces')
    ask('bounces', 'sweep')
    await turn(0)
    expect(asked).toEqual([])
    expect(results).toEqual([
      { kind: 'stopped', why: 'run_over' },
      { kind: 'stopped', why: 'run_over' },
    ])
  })

  it('sends away whoever waits', async () => {
    const { ask, turn, ended, results } = gateOf()
    times(50, () => ask('bounces'))
    await turn(10_000)
    ended.abort()
    await turn(0)
    expect(results.slice(48)).toEqual([
      { kind: 'stopped', why: 'run_over' },
      { kind: 'stopped', why: 'run_over' },
    ])
  })
})

describe('who waits for the budget', () => {
  it('is woken even where it comes in the moment in which the last one before it is', async () => {
    const { gate, clock, ask, turn, asked } = gateOf({ requestsPerMinute: 1 })
    ask('bounces')
    const request = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const
    let done = 0
    const chain = async (): Promise<void> => {
      await gate.fetch(request, { kind: 'news', backlog: false })
      done += 1
    }
    // Each microtask after the wake is a moment at which somebody may come.
    void chain().then(async () => {
      times(12, () => void Promise.resolve().then(chain))
    })
    await turn(20 * 61_000)
    expect(clock.now()).toBe(t0 + 20 * 61_000)
    expect({ done, asked: asked.length }).toEqual({ done: 13, asked: 14 })
  })
})

describe('the time of the service', () => {
  const dated = (serverDateMs: number | null): Page => ({ ...empty, serverDateMs })

  it('is its `Date`, and a page was asked for no later than that less the time it took', async () => {
    const { ask, turn, results, gate, clock } = gateOf({
      page: async () => {
        await clock.sleep(1_500)
        return dated(t0 + 600_000)
      },
    })
    ask('bounces')
    await turn(1_500)
    expect(results[0]).toMatchObject({
      askedSecond: t0 / 1000 + 598,
      answeredSecond: t0 / 1000 + 600,
    })
    expect(gate.serviceSecond()).toBe(t0 / 1000 + 600)
    await turn(10_000)
    expect(gate.serviceSecond()).toBe(t0 / 1000 + 610)
  })

  it('is our own before the first `Date`', async () => {
    const { ask, turn, results } = gateOf()
    ask('bounces')
    await turn(0)
    expect(results[0]).toMatchObject({ askedSecond: t0 / 1000 })
  })

  it('is told by the last `Date` where an answer has none', async () => {
    let page = dated(t0 - 600_000)
    const { ask, turn, results } = gateOf({ page: async () => page })
    ask('bounces')
    await turn(5_000)
    page = dated(null)
    ask('bounces')
    await turn(0)
    expect(results[1]).toMatchObject({ askedSecond: t0 / 1000 - 595 })
  })
})

describe('what the service says', () => {
  it('of its limit is obeyed at once', async () => {
    const { ask, turn, asked } = gateOf({
      page: async () => ({ ...empty, rateLimit: { limit: 10, remaining: 9, resetAtMs: null } }),
    })
    ask('bounces')
    await turn(0)
    times(20, () => ask('bounces'))
    await turn(0)
    expect(asked).toHaveLength(budgetOf(10))
  })

  it('by a 429 is obeyed by both streams', async () => {
    let refuses = true
    const { ask, turn, asked, results } = gateOf({
      page: async () => {
        if (!refuses) return empty
        refuses = false
        const fault = { code: 'x', message: 'x', hint: 'x', failure: 'rate_limited', status: 429 } as const
        throw new FeedbackApiError({ ...fault, retryAtMs: t0 + 20_000 })
      },
    })
    ask('bounces')
    await turn(0)
    expect(results[0]).toMatchObject({ kind: 'failed' })
    ask('complaints')
    await turn(19_999)
    expect(asked).toHaveLength(1)
    await turn(1)
    expect(asked[1]).toEqual({ stream: 'complaints', atMs: 20_000 })
  })

  it('is never an exception, but a fault of ours is', async () => {
    const { gate } = gateOf({ page: () => Promise.reject(new TypeError('ours')) })
    const request = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const
    await expect(gate.fetch(request, { kind: 'news', backlog: false })).rejects.toThrow('ours')
  })
})

describe('the spending of an earlier run', () => {
  it('is taken over: both together keep one budget', async () => {
    const first = gateOf()
    times(30, () => first.ask('bounces'))
    await first.turn(0)
    const second = gateOf()
    adoptSpending(second.state, 60, JSON.parse(JSON.stringify(spendingOf(first.state, t0))))
    times(30, () => second.ask('bounces'))
    await second.turn(0)
    expect(second.asked).toHaveLength(18)
  })

  it('that is older than what this process knows of itself takes nothing back', async () => {
    const { state, ask, turn, asked } = gateOf()
    times(10, () => ask('bounces'))
    await turn(0)
    const stale = spendingOf(state, t0)
    times(30, () => ask('bounces'))
    await turn(0)
    adoptSpending(state, 60, stale)
    times(30, () => ask('bounces'))
    await turn(0)
    expect(asked).toHaveLength(48)
  })

  it('that can not be read counts as none', async () => {
    const { state, ask, turn, asked } = gateOf()
    adoptSpending(state, 60, { spent: 'much' })
    adoptSpending(state, 60, undefined)
    times(60, () => ask('bounces'))
    await turn(0)
    expect(asked).toHaveLength(48)
  })
})

describe('regression: a service that takes its time', () => {
  it('is asked again a minute after its answers came, not after they were asked for', async () => {
    const answers: (() => void)[] = []
    const page = () => new Promise<Page>(resolve => answers.push(() => resolve(empty)))
    const world = gateOf({ page })
    times(49, () => world.ask('bounces'))
    await world.turn(5_000)
    for (const answer of answers.splice(0)) answer()
    await world.turn(windowMs - 1)
    expect(world.asked).toHaveLength(48)
    await world.turn(2_000)
    expect(world.asked).toHaveLength(49)
    expect(world.asked[48]?.atMs).toBeGreaterThanOrEqual(windowMs + 5_000)
  })
})
