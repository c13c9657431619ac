import { describe, expect, it } from 'vitest'
import { createAuditGate } from '../../../shared/domain/audit/audit-gate.ts'
import { emptyBudget, snapshot, spend } from '../../../shared/domain/polling/budget.ts'
import { FeedbackApiError, type Page, type RateLimit } from '../../../shared/domain/polling/feedback-api.ts'
import type { FetchResult } from '../../../shared/domain/polling/request-gate.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const t0 = 1_763_631_000_000
const minuteMs = 60_000
const request = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const

const gateOf = (
  over: { share?: number; rateLimit?: RateLimit; fails?: FeedbackApiError; spending?: () => unknown } = {},
) => {
  const clock = createVirtualClock(t0)
  const ended = new AbortController()
  const askedMs: number[] = []
  const gate = createAuditGate(
    { sourceId: 'main', requestsPerMinute: 60, share: over.share ?? 0.25 },
    {
      clock,
      signal: ended.signal,
      spending: { read: async () => over.spending?.() ?? null },
      api: {
        listPage: async () => {
          askedMs.push(clock.now() - t0)
          if (over.fails !== undefined) throw over.fails
          const page: Page = {
            records: [],
            next: null,
            bytes: 0,
            serverDateMs: null,
            rateLimit: over.rateLimit ?? null,
          }
          return page
        },
      },
    },
  )
  const results: FetchResult[] = []
  /** Asks again and again, as a walk of many pages does. */
  const walk = async (): Promise<void> => {
    for (;;) {
      const result = await gate.fetch(request)
      results.push(result)
      if (result.kind === 'stopped') return
    }
  }
  const inWindow = (fromMs: number) => askedMs.filter(ms => ms >= fromMs && ms < fromMs + minuteMs).length
  const turn = (ms: number) => clock.turnTo(clock.now() + ms)
  return { gate, clock, ended, askedMs, results, walk, inWindow, turn }
}

/** What a poller left that has spent so many in this very second. */
const spentBy = (count: number, atMs: number): unknown => {
  let state = emptyBudget(60)
  for (let at = 0; at < count; at += 1) state = spend(state, atMs)
  return snapshot(state, atMs)
}

describe('the audit at the service', () => {
  it('spends its share of the budget in any minute, and no more', async () => {
    const { walk, turn, askedMs, ended, inWindow } = gateOf()
    const walking = walk()
    await turn(10 * minuteMs)
    ended.abort()
    await walking
    // A quarter of 80 % of 60.
    for (const fromMs of askedMs) expect(inWindow(fromMs)).toBeLessThanOrEqual(12)
    expect(inWindow(0)).toBe(12)
    expect(askedMs.length).toBeGreaterThan(9 * 12)
  })

  it('spends with the poller no more than the whole budget', async () => {
    const { walk, turn, ended, inWindow } = gateOf({ share: 1, spending: () => spentBy(40, t0) })
    const walking = walk()
    await turn(minuteMs - 1)
    ended.abort()
    await walking
    expect(inWindow(0)).toBe(48 - 40)
  })

  it('takes up what the poller spends meanwhile', async () => {
    let spending: unknown = null
    const { walk, turn, ended, askedMs, clock } = gateOf({ share: 0.1, spending: () => spending })
    const walking = walk()
    await turn(30_000)
    expect(askedMs).toHaveLength(4)
    spending = spentBy(48, clock.now())
    await turn(60_000)
    expect(askedMs).toHaveLength(4)
    await turn(10_000)
    expect(askedMs).toHaveLength(8)
    ended.abort()
    await walking
  })

  it('takes a share of a lower limit where the service states one', async () => {
    const rateLimit = { limit: 20, remaining: 19, resetAtMs: null }
    const { walk, turn, ended, inWindow } = gateOf({ share: 0.5, rateLimit })
    const walking = walk()
    await turn(minuteMs - 1)
    ended.abort()
    await walking
    expect(inWindow(0)).toBe(8)
  })

  it('obeys a Retry-After, and hands the failure on', async () => {
    const fails = new FeedbackApiError({
      code: 'rate_limited',
      message: 'x',
      hint: 'x',
      failure: 'rate_limited',
      status: 429,
      retryAtMs: t0 + 45_000,
    })
    const { walk, turn, ended, askedMs, results } = gateOf({ fails })
    const walking = walk()
    await turn(44_000)
    expect([askedMs, results]).toEqual([[0], [{ kind: 'failed', error: fails }]])
    await turn(2_000)
    expect(askedMs[1]).toBe(45_000)
    ended.abort()
    await walking
  })

  it('sends who waits away when it is interrupted', async () => {
    const { walk, turn, ended, results } = gateOf()
    const walking = walk()
    await turn(1_000)
    ended.abort()
    await walking
    expect(results.at(-1)).toEqual({ kind: 'stopped', why: 'run_over' })
  })

  it('takes a spending that it can not read for none', async () => {
    const { walk, turn, ended, askedMs } = gateOf({ spending: () => ({ spent: 'much' }) })
    const walking = walk()
    await turn(1_000)
    ended.abort()
    await walking
    expect(askedMs).toHaveLength(12)
  })
})
