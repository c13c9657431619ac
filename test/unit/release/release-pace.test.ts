import { describe, expect, test } from 'vitest'
import { noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { type EndpointHealth, goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { heldAllowance } from '../../../shared/domain/release/release-pace.ts'

const nowMs = Date.UTC(2026, 10, 20, 9)
const everyMs = 60_000
const all = { count: Number.POSITIVE_INFINITY, spreadMs: 0 }

const allowance = (health: Partial<EndpointHealth>, limits = noLimits) =>
  heldAllowance({ health: { ...goodHealth, ...health }, limits }, { nowMs, everyMs })

describe('of what is held, a run may send', () => {
  test('everything to an endpoint that was always well', () => {
    expect(allowance({})).toEqual(all)
  })

  test('nothing to one that asked for patience, until it is over', () => {
    expect(allowance({ pausedUntilMs: nowMs + 1 }).count).toBe(0)
    expect(allowance({ pausedUntilMs: nowMs })).toEqual(all)
  })

  test('one to an open breaker whose probe is due before the next run is half-way, else none', () => {
    const open = (inMs: number) =>
      allowance({
        open: { sinceMs: 0, because: 'failures_in_row', probes: 3, nextProbeAtMs: nowMs + inMs },
      }).count
    expect([open(-1), open(29_999), open(30_000)]).toEqual([1, 1, 0])
  })

  test('more and more to one that is ready again, spread over the time to the next run', () => {
    const minutesLater = (minutes: number) => allowance({ readySinceMs: nowMs - minutes * 60_000 })
    expect([0, 1, 2, 8].map(minutes => minutesLater(minutes).count)).toEqual([120, 240, 480, 30_720])
    expect(minutesLater(0).spreadMs).toBe(everyMs)
    expect(minutesLater(9)).toEqual(all)
  })

  test('never more than its own limits take', () => {
    expect(allowance({}, { maxPerSecond: 5, maxInFlight: null }).count).toBe(300)
    expect(allowance({}, { maxPerSecond: null, maxInFlight: 2 }).count).toBe(240)
    expect(allowance({}, { maxPerSecond: 0.001, maxInFlight: null }).count).toBe(1)
    expect(allowance({ readySinceMs: nowMs }, { maxPerSecond: 50, maxInFlight: null }).count).toBe(120)
  })
})
