import { describe, expect, it } from 'vitest'
import { budgetShare, wholeMinutesShare } from '../../bench/catch-up/budget-share.ts'

describe('the share of the budget that was used', () => {
  it('is 1 where each minute brings its 48 pages at once', () => {
    expect(budgetShare({ pages: 49, tookMs: 60_000 })).toBe(1)
    expect(budgetShare({ pages: 96, tookMs: 60_000 })).toBe(1)
    expect(budgetShare({ pages: 97, tookMs: 120_000 })).toBe(1)
  })

  it('is less where it takes longer', () => {
    expect(budgetShare({ pages: 96, tookMs: 80_000 })).toBe(0.75)
  })

  it('is 1 where all may be asked for in one minute', () => {
    expect(budgetShare({ pages: 48, tookMs: 10_000 })).toBe(1)
    expect(budgetShare({ pages: 0, tookMs: 0 })).toBe(1)
  })
})

describe('the share of what the whole minutes allow', () => {
  const records = (count: number, atMs: number): number[] => Array.from({ length: count }, () => atMs)

  it('is what was read in them of 48 pages each', () => {
    const atMs = [...records(400, 1_000), ...records(480, 61_000), ...records(10, 121_000)]
    expect(wholeMinutesShare(atMs, { firstAtMs: 0, pageSize: 10 })).toBeCloseTo(88 / 96)
  })

  it('is none where no minute is whole', () => {
    expect(wholeMinutesShare(records(10, 59_999), { firstAtMs: 0, pageSize: 10 })).toBeNaN()
    expect(wholeMinutesShare([], { firstAtMs: 0, pageSize: 10 })).toBeNaN()
  })
})
