import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EndpointLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import {
  freshPace,
  type PaceState,
  paceWaitMsMax,
  returnPace,
  takePace,
} from '../../../shared/domain/endpoint/pace-policy.ts'

const nowMs = 1_000_000
const lease = { id: 'batch', untilMs: nowMs + 90_000 }

const take = (state: PaceState, limits: Partial<EndpointLimits>, wanted: number, atMs = nowMs) =>
  takePace({
    state,
    limits: { maxPerSecond: null, maxInFlight: null, ...limits },
    wanted,
    nowMs: atMs,
    lease,
  })

describe('attempts a second', () => {
  test('are spaced evenly, over batches too, and what would wait for too long is not taken', () => {
    const first = take(freshPace, { maxPerSecond: 2 }, 3)
    expect(first.grant).toEqual({ startsAtMs: [nowMs, nowMs + 500, nowMs + 1_000], slots: null })
    const second = take(first.state, { maxPerSecond: 2 }, 9, nowMs + 100)
    expect(second.grant.startsAtMs).toEqual([nowMs + 1_500, nowMs + 2_000])
    expect(take(second.state, { maxPerSecond: 2 }, 1, nowMs + 100).grant.startsAtMs).toEqual([])
  })

  test('never come to more than the limit in any second, and to no less where there is always more to send', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 10 })), {
          minLength: 60,
          maxLength: 120,
        }),
        (maxPerSecond, batches) => {
          const starts: number[] = []
          let state = freshPace
          let atMs = nowMs
          for (const [waitMs, wanted] of batches) {
            atMs += waitMs
            const taken = take(state, { maxPerSecond }, wanted, atMs)
            state = taken.state
            starts.push(...taken.grant.startsAtMs)
          }
          for (const [at, start] of starts.entries()) {
            const inSecond = starts.slice(at).filter(other => other < start + 1_000 - 0.001).length
            expect(inSecond).toBeLessThanOrEqual(maxPerSecond)
          }
          expect(starts).toEqual(starts.toSorted((one, other) => one - other))
          expect(Math.max(...starts) - atMs).toBeLessThanOrEqual(paceWaitMsMax)
        },
      ),
    )
  })

  test('may be fewer than one', () => {
    const first = take(freshPace, { maxPerSecond: 0.1 }, 2)
    expect(first.grant.startsAtMs).toEqual([nowMs])
    expect(take(first.state, { maxPerSecond: 0.1 }, 1, nowMs + 7_999).grant.startsAtMs).toEqual([])
    expect(take(first.state, { maxPerSecond: 0.1 }, 1, nowMs + 8_000).grant.startsAtMs).toEqual([
      nowMs + 10_000,
    ])
  })
})

describe('attempts in flight', () => {
  test('share what is free, and get it back', () => {
    const first = take(freshPace, { maxInFlight: 3 }, 2)
    expect(first.grant).toEqual({ startsAtMs: [nowMs, nowMs], slots: 2 })
    const second = takePace({
      ...{ state: first.state, limits: { maxPerSecond: null, maxInFlight: 3 }, wanted: 5, nowMs },
      lease: { id: 'other', untilMs: nowMs + 90_000 },
    })
    expect([second.grant.slots, second.grant.startsAtMs.length]).toEqual([1, 5])
    expect(take(second.state, { maxInFlight: 3 }, 1).grant).toEqual({ startsAtMs: [], slots: 0 })
    const returned = returnPace(second.state, 'batch')
    expect(returned.version).toBe(second.state.version + 1)
    expect(take(returned, { maxInFlight: 3 }, 9).grant.slots).toBe(2)
  })

  test('of a batch that died are free again when its lease ends', () => {
    const { state } = take(freshPace, { maxInFlight: 1 }, 1)
    expect(take(state, { maxInFlight: 1 }, 1, lease.untilMs - 1).grant.slots).toBe(0)
    expect(take(state, { maxInFlight: 1 }, 1, lease.untilMs).grant.slots).toBe(1)
  })

  test('take no slot where the attempts a second leave no turn', () => {
    const full = { ...freshPace, nextAtMs: nowMs + paceWaitMsMax + 1 }
    const { state, grant } = take(full, { maxPerSecond: 1, maxInFlight: 5 }, 2)
    expect([grant.startsAtMs, state.leases]).toEqual([[], []])
  })
})
