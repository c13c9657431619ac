import { describe, expect, test } from 'vitest'
import { createAuditGate } from '../../../shared/domain/audit/audit-gate.ts'
import { type BudgetSnapshot, windowMs, windowSlackMs } from '../../../shared/domain/polling/budget.ts'
import { FeedbackApiError, type Page } from '../../../shared/domain/polling/feedback-api.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const t0 = 1_763_631_000_000
const request = { stream: 'bounces', order: 'asc', lastId: null, nextQuery: null } as const
const empty: Page = { records: [], next: null, bytes: 0, serverDateMs: null, rateLimit: null }

const create = (
  of: {
    spent?: BudgetSnapshot
    listPage?: (clock: ReturnType<typeof createVirtualClock>, stop: () => void) => Promise<Page>
  } = {},
) => {
  const clock = createVirtualClock(t0)
  const ended = new AbortController()
  const looksMs: number[] = []
  const askedMs: number[] = []
  const gate = createAuditGate(
    { sourceId: 'main', requestsPerMinute: 60, share: 1 },
    {
      clock,
      signal: ended.signal,
      spending: {
        read: async () => {
          looksMs.push(clock.now() - t0)
          return of.spent ?? null
        },
      },
      api: {
        listPage: async () => {
          askedMs.push(clock.now() - t0)
          return of.listPage?.(clock, () => ended.abort()) ?? empty
        },
      },
    },
  )
  return { gate, clock, ended, looksMs, askedMs }
}
/** What a poller left: its spending in this second, and what the service told it. */
const left = (of: Partial<BudgetSnapshot> = {}): BudgetSnapshot => ({
  limit: 60,
  notBeforeMs: 0,
  spent: [],
  ...of,
})
const second = t0 / 1_000
const freeMs = windowMs + windowSlackMs

describe('a request of an audit', () => {
  test('is counted, and tells by the service’s clock when it was asked and answered', async () => {
    const serverDateMs = t0 + 60_500
    const { gate, clock } = create({
      listPage: async world => {
        await world.sleep(1_001)
        return { ...empty, serverDateMs }
      },
    })
    const asked = gate.fetch(request)
    await clock.turnTo(t0 + 2_000)
    expect(await asked).toEqual({
      kind: 'page',
      page: { ...empty, serverDateMs },
      askedSecond: second + 60 - 2,
      answeredSecond: second + 60,
    })
    expect(gate.requests()).toBe(1)
  })

  test('goes by our clock where the service tells no time', async () => {
    const { gate } = create()
    expect(await gate.fetch(request)).toMatchObject({ askedSecond: second, answeredSecond: second })
  })

  test('that meets a fault of ours fails with it', async () => {
    const { gate } = create({ listPage: async () => Promise.reject(new TypeError('ours')) })
    await expect(gate.fetch(request)).rejects.toThrow('ours')
  })

  test('that fails once it was interrupted was stopped', async () => {
    const error = new FeedbackApiError({
      code: 'c',
      message: 'm',
      hint: 'h',
      failure: 'unreachable',
      status: null,
    })
    const failing = create({ listPage: async () => Promise.reject(error) })
    expect(await failing.gate.fetch(request)).toEqual({ kind: 'failed', error })
    const stopped = create({
      listPage: async (_, stop) => {
        stop()
        throw error
      },
    })
    expect(await stopped.gate.fetch(request)).toEqual({ kind: 'stopped', why: 'run_over' })
  })
})

describe('what the poller spends', () => {
  test('is looked at every five seconds, and not for each request', async () => {
    const { gate, clock, looksMs } = create()
    for (const atMs of [0, 1, 4_999, 5_000, 5_001, 10_000]) {
      await clock.turnTo(t0 + atMs)
      await gate.fetch(request)
    }
    expect(looksMs).toEqual([0, 5_000, 10_000])
  })

  test.each<[string, BudgetSnapshot, number]>([
    ['nothing', left(), 0],
    ['news', left({ spent: [[t0, 48, 0, 0]] }), freeMs],
    ['re-reading', left({ spent: [[t0, 0, 48, 0]] }), freeMs],
    ['sweeps', left({ spent: [[t0, 0, 0, 48]] }), freeMs],
    [
      'all of them, in several seconds',
      left({
        spent: [
          [t0 - 30_000, 16, 0, 0],
          [t0 - 20_000, 0, 16, 0],
          [t0, 0, 0, 16],
        ],
      }),
      freeMs - 30_000,
    ],
    ['all of a lower limit', left({ limit: 10, spent: [[t0, 8, 0, 0]] }), freeMs],
    ['what the service refused until later', left({ notBeforeMs: t0 + 7_000 }), 7_000],
  ])('makes the audit wait: %s', async (_, spent, waitMs) => {
    const { gate, clock, askedMs } = create({ spent })
    const asked = gate.fetch(request)
    await clock.turnTo(t0 + 2 * windowMs)
    expect((await asked).kind).toBe('page')
    expect(askedMs).toEqual([waitMs])
  })

  test('is noticed within a second while the audit waits, as is an interruption', async () => {
    const { gate, clock, ended, looksMs } = create({ spent: left({ spent: [[t0, 48, 0, 0]] }) })
    const asked = gate.fetch(request)
    await clock.turnTo(t0 + 12_000)
    expect(looksMs).toEqual([0, 5_000, 10_000])
    ended.abort()
    expect(await asked).toEqual({ kind: 'stopped', why: 'run_over' })
    expect(gate.requests()).toBe(0)
  })
})
