import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BudgetState,
  budgetOf,
  budgetSnapshotSchema,
  emptyBudget,
  ended,
  observe,
  permission,
  type RequestKind,
  remaining,
  restore,
  snapshot,
  spend,
  waitMsMax,
  windowMs,
  windowSlackMs,
} from '../../../shared/domain/polling/budget.ts'

const t0 = 1_763_631_000_000

function spendTimes(state: BudgetState, times: number, nowMs = t0, kind: RequestKind = 'news'): BudgetState {
  let spent = state
  for (let time = 0; time < times; time++) spent = spend(spent, nowMs, kind)
  return spent
}
const limits = (limit: number | null, left: number | null, resetAtMs: number | null) => ({
  rateLimit: { limit, remaining: left, resetAtMs },
  retryAtMs: null,
  nowMs: t0,
})

describe('the request budget of a source', () => {
  it.each([
    [60, 48],
    [100_000, 80_000],
    [10, 8],
    [9, 7],
    [2, 1],
    [1, 1],
  ])('under a limit of %i is %i requests in a window', (limit, most) => {
    expect(budgetOf(limit)).toBe(most)
    expect(permission(emptyBudget(limit), t0)).toEqual({ allowed: true, remaining: most })
  })

  it('may be spent at once, and is whole again when the window has passed', () => {
    const spent = spendTimes(emptyBudget(60), 48)
    expect(remaining(spendTimes(emptyBudget(60), 47), t0)).toBe(1)
    const untilMs = t0 + windowMs + windowSlackMs
    expect(permission(spent, t0)).toEqual({ allowed: false, untilMs })
    expect(permission(spent, untilMs - 1).allowed).toBe(false)
    expect(permission(spent, untilMs)).toEqual({ allowed: true, remaining: 48 })
  })

  it('comes back as it was spent', () => {
    const spent = spendTimes(spendTimes(emptyBudget(60), 40, t0), 8, t0 + 10_000)
    const firstFreeMs = t0 + windowMs + windowSlackMs
    expect(permission(spent, t0 + 10_000)).toEqual({ allowed: false, untilMs: firstFreeMs })
    expect(remaining(spent, firstFreeMs)).toBe(40)
    expect(remaining(spent, firstFreeMs + 10_000)).toBe(48)
  })

  it('is lowered by the limit that the service states, and raised by it to the configured one at most', () => {
    const lowered = observe(emptyBudget(60), limits(20, 19, null))
    expect(remaining(lowered, t0)).toBe(16)
    expect(remaining(observe(lowered, limits(null, null, null)), t0)).toBe(16)
    expect(remaining(observe(lowered, limits(1000, 999, null)), t0)).toBe(48)
    expect(remaining(observe(lowered, limits(0, null, null)), t0)).toBe(1)
  })

  it('waits for enough to come back where the limit was lowered below what is spent', () => {
    let state = spendTimes(emptyBudget(60), 20, t0)
    state = spendTimes(state, 20, t0 + 5000)
    state = observe(state, { ...limits(10, 5, null), nowMs: t0 + 6000 })
    expect(permission(state, t0 + 6000)).toEqual({
      allowed: false,
      untilMs: t0 + 5000 + windowMs + windowSlackMs,
    })
  })

  it('asks nothing before the reset once others left no more than the reserve', () => {
    const resetAtMs = t0 + 17_000
    expect(remaining(observe(emptyBudget(60), limits(60, 13, resetAtMs)), t0)).toBe(48)
    const state = observe(emptyBudget(60), limits(60, 12, resetAtMs))
    expect(permission(state, t0)).toEqual({ allowed: false, untilMs: resetAtMs })
    expect(permission(state, resetAtMs)).toEqual({ allowed: true, remaining: 48 })
  })

  it('waits a window where little is left and no reset is named', () => {
    expect(permission(observe(emptyBudget(60), limits(null, 0, null)), t0)).toEqual({
      allowed: false,
      untilMs: t0 + windowMs,
    })
  })

  it('obeys Retry-After, and no later answer shortens it', () => {
    const retryAtMs = t0 + 30_000
    let state = observe(emptyBudget(60), { rateLimit: null, retryAtMs, nowMs: t0 })
    state = observe(state, { rateLimit: null, retryAtMs: t0 + 1000, nowMs: t0 })
    state = observe(state, limits(60, 59, t0 + 2000))
    expect(permission(state, retryAtMs - 1)).toEqual({ allowed: false, untilMs: retryAtMs })
    expect(permission(state, retryAtMs).allowed).toBe(true)
  })

  it('waits an hour at most, whatever the service says or the clock does', () => {
    const state = observe(emptyBudget(60), { rateLimit: null, retryAtMs: t0 + 9e9, nowMs: t0 })
    expect(permission(state, t0)).toEqual({ allowed: false, untilMs: t0 + waitMsMax })
    expect(permission(state, t0 - 9e9)).toEqual({ allowed: false, untilMs: t0 - 9e9 + waitMsMax })
  })

  it('does not wait for a future that a wrong clock spent', () => {
    const spent = spendTimes(emptyBudget(60), 48, t0 + 3_600_000)
    expect(remaining(spent, t0)).toBe(48)
    expect(remaining(spendTimes(emptyBudget(60), 48, t0 + 5000), t0)).toBe(0)
  })
})

describe('the share of what is no news', () => {
  it.each(['reread', 'sweep'] as const)('is a quarter of the budget for each: %s', kind => {
    const state = spendTimes(emptyBudget(60), 12, t0, kind)
    expect(permission(emptyBudget(60), t0, kind)).toEqual({ allowed: true, remaining: 12 })
    expect(permission(state, t0, kind)).toEqual({ allowed: false, untilMs: t0 + windowMs + windowSlackMs })
    expect(remaining(state, t0, kind === 'reread' ? 'sweep' : 'reread')).toBe(12)
    expect(remaining(state, t0)).toBe(36)
  })

  it('is one request at least', () => {
    expect(permission(emptyBudget(1), t0, 'reread')).toEqual({ allowed: true, remaining: 1 })
  })

  it('ends with the budget: news may take all of it', () => {
    expect(remaining(spendTimes(emptyBudget(60), 45), t0, 'sweep')).toBe(3)
    expect(permission(spendTimes(emptyBudget(60), 48), t0, 'sweep').allowed).toBe(false)
  })
})

describe('a budget that goes from one run to the next', () => {
  it('comes back from JSON as it was', () => {
    let state = spendTimes(emptyBudget(60), 3, t0 - 90_000)
    state = spendTimes(state, 20, t0 - 5000, 'sweep')
    state = spend(observe(state, limits(30, 29, null)), t0, 'reread')
    const left = budgetSnapshotSchema.parse(JSON.parse(JSON.stringify(snapshot(state, t0))))
    expect(left.spent).toEqual([
      [t0 - 5000, 0, 0, 20],
      [t0, 0, 1, 0],
    ])
    const restored = restore(60, left)
    expect(restored).toEqual(state)
    expect(remaining(restored, t0)).toBe(3)
  })

  it('takes a lower limit that was configured since', () => {
    expect(restore(10, snapshot(emptyBudget(60), t0))).toEqual(emptyBudget(10))
  })

  it('stays small however much is spent', () => {
    let state = emptyBudget(100_000)
    for (let request = 0; request < 100_000; request++) state = spend(state, t0 + request * 2)
    expect(state.spent.length).toBe(61)
    expect(JSON.stringify(snapshot(state, t0 + 200_000)).length).toBeLessThan(2000)
  })
})

describe('whatever happens', () => {
  const kind = fc.constantFrom<RequestKind>('news', 'reread', 'sweep')
  const when = fc.oneof(fc.nat(50), fc.nat(5000), fc.nat(90_000))
  const step = fc.record({ waitMs: when, kind, restart: fc.boolean() })

  it('no window of 60 s holds more than 80 % of the limit, nor more than a quarter of that for the rest', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 300 }), (limit, steps) => {
        let state = emptyBudget(limit)
        let nowMs = t0
        const sent: { atMs: number; kind: RequestKind }[] = []
        for (const { waitMs, kind, restart } of steps) {
          nowMs += waitMs
          if (restart) state = restore(limit, snapshot(state, nowMs))
          if (!permission(state, nowMs, kind).allowed) continue
          state = spend(state, nowMs, kind)
          sent.push({ atMs: nowMs, kind })
        }
        const most = Math.max(1, Math.floor(0.8 * limit))
        const quarter = Math.max(1, Math.floor(most / 4))
        for (const { atMs } of sent) {
          const inWindow = sent.filter(other => other.atMs >= atMs && other.atMs < atMs + windowMs)
          expect(inWindow.length).toBeLessThanOrEqual(most)
          for (const side of ['reread', 'sweep'])
            expect(inWindow.filter(other => other.kind === side).length).toBeLessThanOrEqual(quarter)
        }
      }),
    )
  })

  it('whoever waits as told is allowed, and never before Retry-After or a reset that was asked for', () => {
    const answer = fc.record({
      limit: fc.option(fc.nat(100)),
      remaining: fc.option(fc.nat(100)),
      resetInMs: fc.option(fc.nat(100_000)),
      retryInMs: fc.option(fc.nat(2 * waitMsMax)),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(step, answer), { minLength: 1, maxLength: 60 }), steps => {
        let state = emptyBudget(60)
        let nowMs = t0
        let retryAtMs = 0
        for (const [{ waitMs, kind }, said] of steps) {
          nowMs += waitMs
          for (let tries = 0; ; tries++) {
            const answered = permission(state, nowMs, kind)
            if (answered.allowed) break
            expect(answered.untilMs).toBeGreaterThan(nowMs)
            expect(answered.untilMs).toBeLessThanOrEqual(nowMs + waitMsMax)
            expect(tries).toBeLessThan(130)
            nowMs = answered.untilMs
          }
          expect(nowMs).toBeGreaterThanOrEqual(retryAtMs)
          state = spend(state, nowMs, kind)
          const named = said.retryInMs === null ? null : nowMs + said.retryInMs
          retryAtMs = Math.max(retryAtMs, Math.min(named ?? 0, nowMs + waitMsMax))
          const resetAtMs = said.resetInMs === null ? null : nowMs + said.resetInMs
          const rateLimit = { limit: said.limit, remaining: said.remaining, resetAtMs }
          state = observe(state, { rateLimit, retryAtMs: named, nowMs })
        }
      }),
    )
  })
})

describe('a limit that is used up, with no reset named', () => {
  const usedUp = { limit: 60, remaining: 0, resetAtMs: null }

  it('regression: is waited out as `Retry-After` says', () => {
    const state = observe(emptyBudget(60), { rateLimit: usedUp, retryAtMs: t0 + 1_000, nowMs: t0 })
    expect(permission(state, t0)).toEqual({ allowed: false, untilMs: t0 + 1_000 })
    expect(permission(state, t0 + 1_000).allowed).toBe(true)
  })

  it('is waited out for a whole window where nothing says when', () => {
    const state = observe(emptyBudget(60), { rateLimit: usedUp, retryAtMs: null, nowMs: t0 })
    expect(permission(state, t0)).toEqual({ allowed: false, untilMs: t0 + windowMs })
  })
})

describe('regression: a request that was slow to arrive', () => {
  const atLimit = (): BudgetState => spendTimes(emptyBudget(60), 48)

  it('holds its slot until a minute after its answer, since the service may have received it then', () => {
    let state = atLimit()
    for (let time = 0; time < 48; time++) state = ended(state, t0, t0 + 7_000, 'news')
    expect(remaining(state, t0 + windowMs + 7_000 + windowSlackMs - 1)).toBe(0)
    expect(remaining(state, t0 + windowMs + 7_000 + windowSlackMs)).toBe(48)
  })
  it('is counted once, and as what it was', () => {
    const state = ended(spend(emptyBudget(60), t0, 'sweep'), t0, t0 + 3_000, 'sweep')
    expect(state.spent).toEqual([{ lastMs: t0 + 3_000, news: 0, reread: 0, sweep: 1 }])
  })
  it('holds it so within its second too', () => {
    const state = ended(atLimit(), t0, t0 + 999, 'news')
    expect(state.spent).toEqual([{ lastMs: t0 + 999, news: 48, reread: 0, sweep: 0 }])
  })
  it('changes nothing where the budget does not know it', () => {
    const state = atLimit()
    expect(ended(state, t0, t0 + 5_000, 'sweep')).toBe(state)
    expect(ended(state, t0 - 5_000, t0 + 5_000, 'news')).toBe(state)
  })

  it('leaves no minute of the service with more than the budget, wherever between question and answer it arrives', () => {
    const request = fc.record({ lateMs: fc.nat(9_000), backMs: fc.nat(9_000), pauseMs: fc.nat(2_000) })
    fc.assert(
      fc.property(fc.array(request, { minLength: 60, maxLength: 200 }), requests => {
        let state = emptyBudget(60)
        let nowMs = t0
        const arrivals: number[] = []
        let underWay: { spentMs: number; endMs: number }[] = []
        const goOnTo = (atMs: number): void => {
          for (const { spentMs, endMs } of underWay)
            if (endMs <= atMs) state = ended(state, spentMs, endMs, 'news')
          underWay = underWay.filter(({ endMs }) => endMs > atMs)
          nowMs = atMs
        }
        for (const { lateMs, backMs, pauseMs } of requests) {
          goOnTo(nowMs + pauseMs)
          for (let answer = permission(state, nowMs); !answer.allowed; answer = permission(state, nowMs))
            goOnTo(answer.untilMs)
          state = spend(state, nowMs)
          arrivals.push(nowMs + lateMs)
          underWay.push({ spentMs: nowMs, endMs: nowMs + lateMs + backMs })
        }
        const inMinute = arrivals.map(
          from => arrivals.filter(at => at >= from && at < from + windowMs).length,
        )
        expect(Math.max(...inMinute)).toBeLessThanOrEqual(48)
      }),
    )
  })
})
