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
} from '../../../shared/domain/endpoint/endpoint-health.ts'
import { freshPace, takePace } from '../../../shared/domain/endpoint/pace-policy.ts'
import { rotateKeys } from '../../../shared/domain/endpoint/rotate-keys.ts'

const nowMs = Date.UTC(2026, 10, 20, 9)
const failure: BatchOutcomes = { ...none, failures: 1, failuresSinceSuccess: 1, failingSinceMs: nowMs }
const success: BatchOutcomes = { ...none, successes: 1, lastSuccessAtMs: nowMs }
const changed = (health: Partial<EndpointHealth>, outcomes: Partial<BatchOutcomes>) =>
  healthAfter({
    health: { ...goodHealth, ...health },
    outcomes: { ...none, ...outcomes },
    successesBefore: 0,
    nowMs,
    random: 0.5,
    disableAfterMs: disableAfterMsDefault,
  })
const longAgoMs = nowMs - disableAfterMsDefault

describe('an endpoint that failed for five days', () => {
  test.each<[string, Partial<BatchOutcomes>, boolean]>([
    ['fails once more', failure, true],
    ['asks for fewer requests once more', { throttled: 1, failingSinceMs: nowMs }, true],
    ['answers', success, false],
    ['answers, and fails after that', { ...failure, successes: 1, lastSuccessAtMs: nowMs - 1 }, false],
    ['was not asked', none, false],
  ])('and %s', (_, outcomes, isDisabling) => {
    expect(changed({ failingSinceMs: longAgoMs }, outcomes).isDisabling).toBe(isDisabling)
  })

  test('less a millisecond stays', () => {
    expect(changed({ failingSinceMs: longAgoMs + 1 }, failure).isDisabling).toBe(false)
  })

  test('is not told from one that failed in this batch for the first time', () => {
    expect(changed({}, failure)).toMatchObject({ isDisabling: false, breaker: null })
  })
})

describe('a breaker', () => {
  const open = { sinceMs: nowMs - 1_000, because: 'failing_share', probes: 1, nextProbeAtMs: nowMs } as const

  test.each([
    [open.sinceMs - 1, null],
    [open.sinceMs, 'closed'],
    [open.sinceMs + 1, 'closed'],
  ])('that is open closes by a success that began no earlier than it did: %i', (lastSuccessAtMs, breaker) => {
    expect(changed({ open }, { ...success, lastSuccessAtMs }).breaker).toBe(breaker)
  })

  test('that is open stays so without any success', () => {
    expect(changed({ open: { ...open, sinceMs: 0 } }, failure).breaker).toBeNull()
  })

  const inRow = { failuresInRow: failuresInRowToOpen - 1, failingSinceMs: nowMs - failingMsToOpen }
  test('opens by failures on end, and not by a batch that ends with them but had a success', () => {
    expect(changed(inRow, failure).breaker).toBe('opened')
    const mixed = {
      ...failure,
      failuresSinceSuccess: 20,
      successes: 1,
      failingSinceMs: nowMs - failingMsToOpen,
    }
    expect(changed(inRow, mixed).breaker).toBeNull()
  })

  test('does not open by failures on end whose begin is not known', () => {
    const outcomes = { ...failure, failuresSinceSuccess: failuresInRowToOpen, failingSinceMs: null }
    expect(changed({ failingSinceMs: null }, outcomes).breaker).toBeNull()
  })

  const half = attemptsToJudge / 2
  const share = (of: { sinceMs?: number; failures?: number; successes?: number } = {}) =>
    changed(
      { window: { sinceMs: nowMs - failingMsToOpen, failures: half - 1, successes: half, ...of } },
      failure,
    )
  test('opens where half of enough attempts failed over a minute, each to the point', () => {
    expect(share().health.open).toMatchObject({ because: 'failing_share', sinceMs: nowMs })
    expect(share({ successes: half + 1 }).breaker).toBeNull()
    expect(share({ successes: half - 1 }).breaker).toBeNull()
    expect(share({ sinceMs: nowMs - failingMsToOpen + 1 }).breaker).toBeNull()
  })
})

describe('a pause', () => {
  const paused = { pausedUntilMs: nowMs + 5_000, readySinceMs: 77 }
  test.each([null, nowMs + 4_999, nowMs + 5_000])('stays as it is where %s is asked for', pauseUntilMs => {
    expect(changed(paused, { ...failure, pauseUntilMs }).health).toMatchObject(paused)
  })

  test('is the later one that is asked for', () => {
    expect(changed(paused, { ...failure, pauseUntilMs: nowMs + 5_001 }).health.pausedUntilMs).toBe(
      nowMs + 5_001,
    )
  })
})

describe('what a batch takes of limits', () => {
  const take = (maxPerSecond: number | null, maxInFlight: number | null, leases = freshPace.leases) =>
    takePace({
      state: { ...freshPace, leases },
      limits: { maxPerSecond, maxInFlight },
      wanted: 3,
      nowMs,
      lease: { id: 'mine', untilMs: nowMs + 1 },
    })

  test('is a lease of slots where these are limited, and none else', () => {
    expect(take(null, 2).state.leases).toEqual([{ id: 'mine', untilMs: nowMs + 1, slots: 2 }])
    expect(take(5, null).state.leases).toEqual([])
  })

  test('is nothing where others have every slot', () => {
    const theirs = { id: 'theirs', untilMs: nowMs + 1, slots: 2 }
    expect(take(null, 2, [theirs])).toMatchObject({
      state: { leases: [theirs] },
      grant: { startsAtMs: [], slots: 0 },
    })
  })
})

test('a rotation names no secret as unneeded where a key had none of its own', () => {
  const keys = [{ version: 1, secret: null, signsUntilMs: nowMs - 1 }]
  const of = { secretOf: (version: number) => `own ${version}`, overlapMs: 1_000, nowMs }
  expect(rotateKeys(keys, of)).toMatchObject({ kind: 'rotated', unneeded: [] })
})
