import { describe, expect, it } from 'vitest'
import { valuesPerBlobMax } from '../../../shared/adapters/telemetry/metric-blobs.ts'
import { valuesMax } from '../../../shared/adapters/telemetry/metric-sums.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { metricsOfTelling } from './harness.ts'
import { samples } from './samples.ts'

describe('a thousand attempts', () => {
  const attempts = (count: number) =>
    Array.from({ length: count }, (_, tookMs): Happening[] => [
      { ...samples.attempt, reason: null, tookMs },
      { ...samples.delivered, ageMs: tookMs * 10 },
    ]).flat()
  const values = (target: unknown) => [target].flat()

  it('keep every value, in no more blobs than their number asks for, and are counted once', async () => {
    const blobs = await metricsOfTelling(attempts(valuesMax))
    expect(blobs).toHaveLength(Math.ceil(valuesMax / valuesPerBlobMax))
    const wanted = Array.from({ length: valuesMax }, (_, n) => n)
    expect(blobs.flatMap(({ metrics }) => values(metrics['AttemptMs']))).toEqual(wanted)
    expect(blobs.flatMap(({ metrics }) => values(metrics['EventAgeMs']))).toEqual(wanted.map(n => n * 10))
    expect(blobs.map(({ metrics }) => metrics['Delivered'])).toEqual([
      valuesMax,
      ...blobs.slice(1).map(() => undefined),
    ])
  })

  it('and more of them are counted, with no more values kept', async () => {
    const blobs = await metricsOfTelling(attempts(valuesMax + 5))
    expect(blobs.flatMap(({ metrics }) => values(metrics['AttemptMs']))).toHaveLength(valuesMax)
    expect(blobs[0]?.metrics['Delivered']).toBe(valuesMax + 5)
  })

  it.each([
    { count: 10, blobs: 1 },
    { count: 99, blobs: 1 },
    { count: 100, blobs: 2 },
  ])('or $count of them are $blobs blobs', async ({ count, blobs }) => {
    expect(await metricsOfTelling(attempts(count))).toHaveLength(blobs)
  })
})
