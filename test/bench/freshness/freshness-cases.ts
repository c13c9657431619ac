import type { FreshnessCase } from './freshness-run.ts'

export const rates = [1, 50, 500] as const
export const pageSizes = [100, 1_000] as const
export const pollsEverySeconds = [1, 5, 60] as const

const cases = (of: {
  rate: number
  polls?: readonly number[]
  sizes?: readonly number[]
  measuredMs: number
}): FreshnessCase[] => {
  const { rate, polls = pollsEverySeconds, sizes = pageSizes, measuredMs } = of
  return sizes.flatMap(pageSize =>
    polls.map(pollEverySeconds => ({ rate, pollEverySeconds, pageSize, measuredMs })),
  )
}

/** Which the target is about: p50 ≤ 3 s and p99 ≤ 6.5 s with at most 36 requests a minute. */
const target = cases({ rate: 50, polls: [5], sizes: [1_000], measuredMs: 60_000 })

/**
 * What runs side by side, one group after the other: what leaves the machine idle together, what fills it alone. At 60 s
 * the polls at the start, after one minute and after two are in the run.
 */
export const freshnessGroups: readonly (readonly FreshnessCase[])[] = [
  [...cases({ rate: 1, measuredMs: 60_000 }), ...cases({ rate: 50, polls: [60], measuredMs: 60_000 })],
  target,
  [
    ...cases({ rate: 50, polls: [1], measuredMs: 60_000 }),
    ...cases({ rate: 50, polls: [5], sizes: [100], measuredMs: 60_000 }),
  ],
  // The budget allows 80 a second, in 61 s.
  cases({ rate: 500, sizes: [100], measuredMs: 61_000 }),
  ...cases({ rate: 500, sizes: [1_000], measuredMs: 60_000 }).map(one => [one]),
]

export const allCases = rates.flatMap(rate => cases({ rate, measuredMs: 0 }))

export const nameOf = ({ rate, pollEverySeconds, pageSize }: FreshnessCase): string =>
  `${rate} a second, every ${pollEverySeconds} s, pages of ${pageSize.toLocaleString('en')}`
