import { describe, expect, test } from 'vitest'
import { noOutcomes as none } from '../../../shared/domain/delivery/batch-outcomes.ts'
import {
  attemptsToJudge,
  type BatchOutcomes,
  disableAfterMsDefault,
  type EndpointHealth,
  failingMsToOpen,
  failuresInRowToOpen,
  goodHealth,
  healthAfter,
  healthOnEnabling,
  healthWithProbe,
  isTroubled,
  probeAfterMsFirst,
  probeAfterMsMax,
  shortPauseHeadStartMs,
  windowMs,
} from '../../../shared/domain/endpoint/endpoint-health.ts'

const startMs = Date.UTC(2026, 10, 20, 9)

const failed = (failures: number, atMs: number): BatchOutcomes => ({
  ...none,
  failures,
  failuresSinceSuccess: failures,
  failingSinceMs: atMs,
})
const succeeded = (successes: number, atMs: number): BatchOutcomes => ({
  ...none,
  successes,
  lastSuccessAtMs: atMs,
})

const changed = (
  health: EndpointHealth,
  outcomes: BatchOutcomes,
  nowMs: number,
  of: { successesBefore?: number; random?: number } = {},
) =>
  healthAfter({
    health,
    outcomes,
    nowMs,
    successesBefore: of.successesBefore ?? 0,
    random: of.random ?? 0.5,
    disableAfterMs: disableAfterMsDefault,
  })

/** The health after batches, each at its time. */
const through = (batches: readonly [BatchOutcomes, number][], from = goodHealth) => {
  let health = from
  const breakers: (string | null)[] = []
  for (const [outcomes, nowMs] of batches) {
    const change = changed(health, outcomes, nowMs)
    health = change.health
    breakers.push(change.breaker)
  }
  return { health, breakers }
}

const openHealth: EndpointHealth = {
  ...goodHealth,
  version: 7,
  failuresInRow: 12,
  failingSinceMs: startMs - 120_000,
  open: { sinceMs: startMs, because: 'failures_in_row', probes: 0, nextProbeAtMs: startMs + 30_000 },
}

describe('the breaker opens', () => {
  test('on ten failures on end that are spread over a minute, and not before', () => {
    const lastMs = startMs + failingMsToOpen
    const early = through([
      [failed(failuresInRowToOpen - 1, startMs), startMs],
      [failed(failuresInRowToOpen, startMs + 30_000), lastMs - 1],
    ])
    expect(early.breakers).toEqual([null, null])
    const few = through([
      [failed(failuresInRowToOpen - 2, startMs), startMs],
      [failed(1, lastMs), lastMs],
    ])
    expect(few.breakers).toEqual([null, null])
    const { health, breakers } = through([
      [failed(failuresInRowToOpen - 1, startMs), startMs],
      [failed(1, lastMs), lastMs],
    ])
    expect(breakers).toEqual([null, 'opened'])
    expect(health).toEqual({
      ...goodHealth,
      version: 2,
      failuresInRow: failuresInRowToOpen,
      failingSinceMs: startMs,
      window: { sinceMs: startMs, failures: failuresInRowToOpen, successes: 0 },
      open: {
        sinceMs: lastMs,
        because: 'failures_in_row',
        probes: 0,
        nextProbeAtMs: lastMs + probeAfterMsFirst,
      },
    })
  })

  test('not on failures that a success parts', () => {
    const { health, breakers } = through([
      [failed(9, startMs), startMs],
      [succeeded(1, startMs + 50_000), startMs + 50_000],
      [failed(9, startMs + 70_000), startMs + 70_000],
      [failed(0, startMs + 90_000), startMs + 90_000],
    ])
    expect(breakers).toEqual([null, null, null, null])
    expect(health).toMatchObject({ failuresInRow: 9, failingSinceMs: startMs + 70_000 })
  })

  test('on a failing share over a window, for an endpoint that fails by turns', () => {
    const half = attemptsToJudge / 2
    const mixed = (atMs: number): BatchOutcomes => ({
      ...none,
      successes: half / 2,
      failures: half / 2,
      failuresSinceSuccess: 1,
      lastSuccessAtMs: atMs,
      failingSinceMs: atMs,
    })
    const { health, breakers } = through([
      [mixed(startMs), startMs],
      [mixed(startMs + 40_000), startMs + 40_000],
      [failed(1, startMs + 61_000), startMs + 61_000],
    ])
    expect(breakers).toEqual([null, null, 'opened'])
    expect(health.open).toMatchObject({ because: 'failing_share' })
  })

  test('not where most succeed, counting successes that were kept until now', () => {
    const change = changed(
      { ...goodHealth, window: { sinceMs: startMs, failures: 15, successes: 0 } },
      { ...failed(1, startMs), successes: 0 },
      startMs + 70_000,
      { successesBefore: 17 },
    )
    expect([change.breaker, change.health.window.successes]).toEqual([null, 17])
  })

  test('not for what an earlier window counted', () => {
    const change = changed(
      { ...goodHealth, window: { sinceMs: startMs, failures: 30, successes: 0 } },
      failed(2, startMs + windowMs),
      startMs + windowMs,
    )
    expect(change.breaker).toBeNull()
    expect(change.health.window).toEqual({ sinceMs: startMs + windowMs, failures: 2, successes: 0 })
  })

  test('not for 429: the endpoint is there', () => {
    const throttled = (atMs: number): BatchOutcomes => ({ ...none, throttled: 10, failingSinceMs: atMs })
    const { health, breakers } = through([
      [throttled(startMs), startMs],
      [throttled(startMs + 90_000), startMs + 90_000],
    ])
    expect(breakers).toEqual([null, null])
    expect(health).toMatchObject({ failuresInRow: 0, failingSinceMs: startMs })
  })
})

describe('an open breaker', () => {
  test('is closed by a success of an attempt that began since, and counts anew', () => {
    const change = changed(openHealth, succeeded(1, startMs + 31_000), startMs + 31_500)
    expect(change).toEqual({
      health: {
        ...goodHealth,
        version: 8,
        window: { sinceMs: startMs + 31_500, failures: 0, successes: 0 },
        readySinceMs: startMs + 31_500,
      },
      breaker: 'closed',
      isDisabling: false,
    })
  })

  test('is not closed by an attempt that was under way when it opened', () => {
    const change = changed(openHealth, succeeded(1, startMs - 1), startMs + 500)
    expect([change.breaker, change.health.open]).toEqual([null, openHealth.open])
  })

  test('has one probe at a time, at intervals that double up to five minutes', () => {
    let health = openHealth
    let nowMs = openHealth.open?.nextProbeAtMs ?? 0
    const waits: number[] = []
    expect(healthWithProbe(health, { nowMs: nowMs - 1, random: 0.5 })).toBeNull()
    for (let probe = 1; probe <= 6; probe += 1) {
      const next = healthWithProbe(health, { nowMs, random: 0.5 })
      if (next?.open == null) throw new Error(`no probe ${probe}`)
      expect([next.version, next.open.probes]).toEqual([health.version + 1, probe])
      expect(healthWithProbe(next, { nowMs, random: 0.5 })).toBeNull()
      waits.push(next.open.nextProbeAtMs - nowMs)
      health = next
      nowMs = next.open.nextProbeAtMs
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, probeAfterMsMax, probeAfterMsMax, probeAfterMsMax])
  })

  test('waits a fifth longer or shorter, so that endpoints are not probed together', () => {
    const waitOf = (random: number) => {
      const nowMs = startMs + 30_000
      return (healthWithProbe(openHealth, { nowMs, random })?.open?.nextProbeAtMs ?? 0) - nowMs
    }
    expect([waitOf(0), waitOf(0.5), waitOf(0.999_999)].map(Math.round)).toEqual([48_000, 60_000, 72_000])
  })

  test('is none for a closed breaker', () => {
    expect(healthWithProbe(goodHealth, { nowMs: startMs, random: 0 })).toBeNull()
  })
})

describe('an endpoint', () => {
  test('is to be disabled after five days without a success, by its next failure', () => {
    const failing = { ...goodHealth, failingSinceMs: startMs }
    const lastMs = startMs + disableAfterMsDefault
    expect(changed(failing, failed(1, lastMs - 1), lastMs - 1).isDisabling).toBe(false)
    expect(changed(failing, failed(1, lastMs), lastMs).isDisabling).toBe(true)
    expect(changed(failing, { ...none, throttled: 1, failingSinceMs: lastMs }, lastMs).isDisabling).toBe(true)
    expect(changed({ ...openHealth, failingSinceMs: startMs }, failed(1, lastMs), lastMs).isDisabling).toBe(
      true,
    )
    const both = { ...failed(1, lastMs), successes: 1, lastSuccessAtMs: lastMs - 5 }
    expect(changed(failing, both, lastMs).isDisabling).toBe(false)
  })

  test('that asks for patience is paused until the latest time it asked for', () => {
    const asks = (untilMs: number): BatchOutcomes => ({ ...none, throttled: 1, pauseUntilMs: untilMs })
    const { health } = through([
      [asks(startMs + 60_000), startMs],
      [asks(startMs + 30_000), startMs + 1],
    ])
    expect([health.pausedUntilMs, health.readySinceMs]).toEqual([startMs + 60_000, startMs + 60_000])
    const short = through([[asks(startMs + 59_999), startMs]]).health
    expect([short.pausedUntilMs, short.readySinceMs]).toEqual([
      startMs + 59_999,
      startMs + 59_999 - shortPauseHeadStartMs,
    ])
    expect(changed(health, asks(startMs + 90_000), startMs + 2).health.pausedUntilMs).toBe(startMs + 90_000)
  })

  test('that an operator enables begins anew, and is released by and by', () => {
    expect(healthOnEnabling(openHealth, startMs)).toEqual({
      ...goodHealth,
      version: 8,
      readySinceMs: startMs,
    })
  })

  test.each([
    [goodHealth, false],
    [{ ...goodHealth, window: { sinceMs: 1, failures: 3, successes: 1 } }, false],
    [{ ...goodHealth, failuresInRow: 1 }, true],
    [{ ...goodHealth, failingSinceMs: 1 }, true],
    [openHealth, true],
  ])('%# is troubled as long as a success has something to clear', (health, isIt) => {
    expect(isTroubled(health)).toBe(isIt)
  })
})
