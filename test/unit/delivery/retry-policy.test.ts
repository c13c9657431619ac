import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attemptsPerRoundMax } from '../../../shared/domain/delivery/position.ts'
import {
  defaultRetrySchedule,
  nextStep,
  retryAfterMsMax,
  scheduleSlackMs,
} from '../../../shared/domain/delivery/retry-policy.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import { answered, nowMs } from './harness.ts'

const hourMs = 3_600_000
const refused: SendResult = { kind: 'failed', reason: 'connection_refused', tookMs: 3 }

const step = (result: SendResult, of: Partial<Parameters<typeof nextStep>[0]> = {}) =>
  nextStep({
    result,
    position: { round: 1, attempt: 1 },
    firstFailureAtMs: null,
    nowMs,
    random: 0.5,
    schedule: defaultRetrySchedule,
    ...of,
  })

test('the default schedule is ten attempts within 75.6 hours', () => {
  expect(defaultRetrySchedule).toEqual([
    5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 50_400_000, 72_000_000, 86_400_000,
  ])
  const totalMs = defaultRetrySchedule.reduce((sum, delayMs) => sum + delayMs, 0)
  expect(totalMs / hourMs).toBeCloseTo(75.6, 1)
})

test.each([200, 201, 202, 204, 299])('%i is delivered', status => {
  expect(step(answered(status))).toEqual({ kind: 'delivered' })
})

test.each([
  [answered(301), 'http_301'],
  [answered(400), 'http_400'],
  [answered(404), 'http_404'],
  [answered(429), 'http_429'],
  [answered(500), 'http_500'],
  [answered(503), 'http_503'],
  [refused, 'connection_refused'],
  [{ kind: 'failed', reason: 'timeout', tookMs: 15_000 } as const, 'timeout'],
])('any other answer, and none, is tried again', (result, reason) => {
  expect(step(result)).toEqual({ kind: 'retry', atMs: nowMs + 5_000, reason })
})

test('410 says that the endpoint is gone', () => {
  expect(step(answered(410))).toEqual({ kind: 'gone', reason: 'answered_410' })
})

test('each failed attempt waits as long as the schedule says, and the last one is the end', () => {
  const waits = [...defaultRetrySchedule, null].map((_, index) => {
    const next = step(refused, { position: { round: 2, attempt: index + 1 } })
    return next.kind === 'retry' ? next.atMs - nowMs : next.kind
  })
  expect(waits).toEqual([...defaultRetrySchedule, 'dead'])
})

test('jitter makes a delay longer or shorter by a fifth at most', () => {
  const at = (random: number) => step(refused, { random, position: { round: 1, attempt: 2 } })
  expect(at(0)).toMatchObject({ atMs: nowMs + 240_000 })
  expect(at(0.5)).toMatchObject({ atMs: nowMs + 300_000 })
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), random => {
      const next = at(random)
      if (next.kind !== 'retry') throw new Error(next.kind)
      expect(next.atMs - nowMs).toBeGreaterThanOrEqual(240_000)
      expect(next.atMs - nowMs).toBeLessThanOrEqual(360_000)
    }),
  )
})

describe('Retry-After', () => {
  test.each([429, 502, 503, 504])('of %i is obeyed where it is later than the schedule', status => {
    const later = step(answered(status, { retryAtMs: nowMs + 60_000 }))
    expect(later).toMatchObject({ kind: 'retry', atMs: nowMs + 60_000 })
    const sooner = step(answered(status, { retryAtMs: nowMs + 1_000 }))
    expect(sooner).toMatchObject({ kind: 'retry', atMs: nowMs + 5_000 })
  })

  test('is obeyed for an hour at most, and without jitter', () => {
    for (const random of [0, 0.99]) {
      const next = step(answered(503, { retryAtMs: nowMs + 5 * hourMs }), { random })
      expect(next).toMatchObject({ atMs: nowMs + retryAfterMsMax })
    }
  })

  test.each([400, 404, 500, 301])('of %i means nothing', status => {
    expect(step(answered(status, { retryAtMs: nowMs + 60_000 }))).toMatchObject({ atMs: nowMs + 5_000 })
  })
})

describe("the schedule's time", () => {
  const schedule = [1_000, 1_000]
  const limitMs = 2_000 * 1.2 + scheduleSlackMs

  test('is over once the first failure is further back than the schedule lasts with its jitter', () => {
    const at = (agoMs: number) => step(refused, { schedule, firstFailureAtMs: nowMs - agoMs }).kind
    expect(at(limitMs)).toBe('retry')
    expect(at(limitMs + 1)).toBe('dead')
  })

  test('never ends a success, a 410, or a hold for an endpoint', () => {
    const firstFailureAtMs = nowMs - 1_000 * hourMs
    expect(step(answered(200), { schedule, firstFailureAtMs }).kind).toBe('delivered')
    expect(step(answered(410), { schedule, firstFailureAtMs }).kind).toBe('gone')
    const hold = { kind: 'hold', reason: 'endpoint_disabled', isTimed: false } as const
    const position = { round: 1, attempt: 1 }
    expect(nextStep({ result: hold, position, firstFailureAtMs, nowMs, random: 0, schedule })).toEqual(hold)
  })

  test('leaves every attempt of the default schedule its turn, however long each one takes', () => {
    const slowMs = 15_000
    let atMs = nowMs
    let firstFailureAtMs: number | null = null
    const kinds: string[] = []
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      atMs += slowMs
      const position = { round: 1, attempt }
      const next = step(refused, { position, nowMs: atMs, firstFailureAtMs, random: 0.999 })
      kinds.push(next.kind)
      firstFailureAtMs ??= atMs
      // The releaser comes by every minute.
      if (next.kind === 'retry') atMs = next.atMs + 60_000
    }
    expect(kinds).toEqual([...Array.from({ length: 9 }, () => 'retry'), 'dead'])
  })
})

test('an attempt that has no number after it is the last one, even after a 410', () => {
  const position = { round: 1, attempt: attemptsPerRoundMax }
  const schedule = Array.from({ length: 2_000 }, () => 1_000)
  expect(step(answered(410), { position, schedule })).toEqual({ kind: 'dead', reason: 'http_410' })
})
