import { describe, expect, test } from 'vitest'
import { createOutcomeTally, outcomesAfter } from '../../../shared/domain/delivery/batch-outcomes.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { BatchOutcomes } from '../../../shared/domain/endpoint/endpoint-health.ts'
import { answered } from './harness.ts'

const none: BatchOutcomes = {
  successes: 0,
  failures: 0,
  failuresSinceSuccess: 0,
  throttled: 0,
  lastSuccessAtMs: null,
  failingSinceMs: null,
  pauseUntilMs: null,
}
const refused: SendResult = { kind: 'failed', reason: 'connection_refused', tookMs: 3 }
const busy: SendResult = { kind: 'failed', reason: 'connections_busy', tookMs: 3 }

/** What a batch met whose attempts began at these times, and ended in this order. */
const met = (...attempts: [atMs: number, result: SendResult][]) =>
  attempts.reduce((before, [atMs, result]) => outcomesAfter(before, { atMs, result }), none)

describe('what a batch met', () => {
  test('counts failures since the last success apart, and from the first of these', () => {
    expect(met([10, refused], [20, answered(200)], [30, refused], [40, answered(500)])).toEqual({
      ...none,
      successes: 1,
      failures: 3,
      failuresSinceSuccess: 2,
      lastSuccessAtMs: 20,
      failingSinceMs: 30,
    })
  })

  test('has as last success the one that began last, however they ended', () => {
    expect(met([50, answered(200)], [40, answered(200)])).toMatchObject({
      successes: 2,
      lastSuccessAtMs: 50,
    })
    expect(met([40, answered(200)], [50, answered(200)])).toMatchObject({
      successes: 2,
      lastSuccessAtMs: 50,
    })
  })

  test('counts 429 apart: it is no failure, but no success either', () => {
    expect(met([10, answered(429)], [20, answered(429)])).toEqual({
      ...none,
      throttled: 2,
      failingSinceMs: 10,
    })
  })

  test('has as pause the latest that was asked for, and keeps it through what asks for none', () => {
    const later = answered(503, { retryAtMs: 5_000 })
    const sooner = answered(429, { retryAtMs: 3_000 })
    expect(met([10, sooner], [20, later]).pauseUntilMs).toBe(5_000)
    expect(met([10, later], [20, sooner]).pauseUntilMs).toBe(5_000)
    expect(met([10, later], [20, refused]).pauseUntilMs).toBe(5_000)
    expect(met([10, refused]).pauseUntilMs).toBeNull()
  })

  test('has nothing of an attempt that never got one of our connections', () => {
    expect(met([10, busy])).toEqual(none)
    expect(met([10, refused], [20, busy])).toEqual(met([10, refused]))
  })

  test('is kept for each endpoint apart', () => {
    const tally = createOutcomeTally()
    tally.add('one', { atMs: 10, result: refused })
    tally.add('other', { atMs: 20, result: answered(200) })
    tally.add('one', { atMs: 30, result: refused })
    expect([...tally.byEndpoint()]).toEqual([
      ['one', met([10, refused], [30, refused])],
      ['other', met([20, answered(200)])],
    ])
  })
})
