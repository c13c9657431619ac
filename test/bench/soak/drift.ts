import type { Figures } from '../bench.ts'

/** A value at a time of the run. */
export type Reading = { atMs: number; value: number }

const hourMs = 3_600_000
/** Of a normal distribution: within so many standard errors lies the truth in 19 of 20 cases. */
const errorsOf95Percent = 1.96

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * How a quantity drifts: its mean in the first and in the last third of the run, and the slope of a straight line through
 * all of it, an hour, give or take. What one sample has of the one before (a swing that lasts) makes the truth less sure than
 * independent samples would: so the error is that of so many fewer (the first autocorrelation of what the line leaves).
 */
export const driftOf = (readings: readonly Reading[]): Figures => {
  const third = Math.floor(readings.length / 3)
  if (third < 1) throw new RangeError(`${readings.length} readings are too few for thirds`)
  const values = readings.map(({ value }) => value)
  const firstThird = mean(values.slice(0, third))
  const lastThird = mean(values.slice(-third))
  const { slope, standardError } = lineThrough(readings)
  return {
    firstThird,
    lastThird,
    change: lastThird - firstThird,
    perHour: slope * hourMs,
    giveOrTake: errorsOf95Percent * standardError * hourMs,
  }
}

/** By least squares. */
const lineThrough = (readings: readonly Reading[]): { slope: number; standardError: number } => {
  const middleMs = mean(readings.map(({ atMs }) => atMs))
  const middle = mean(readings.map(({ value }) => value))
  const spread = readings.reduce((sum, { atMs }) => sum + (atMs - middleMs) ** 2, 0)
  const slope =
    readings.reduce((sum, { atMs, value }) => sum + (atMs - middleMs) * (value - middle), 0) / spread
  const left = readings.map(({ atMs, value }) => value - middle - slope * (atMs - middleMs))
  const squares = left.reduce((sum, one) => sum + one ** 2, 0)
  const worth = readings.length * independentShare(left, squares)
  // Fewer than three say nothing of how sure they are.
  const freedom = Math.max(1, worth - 2)
  return { slope, standardError: Math.sqrt(squares / freedom / spread) * Math.sqrt(readings.length / worth) }
}

/** Of samples each of which has so much of the one before, the share that is news: (1 − r) ÷ (1 + r). */
const independentShare = (left: readonly number[], squares: number): number => {
  if (squares === 0) return 1
  const products = left.slice(1).reduce((sum, one, at) => sum + one * (left[at] ?? 0), 0)
  const correlation = Math.min(0.99, Math.max(0, products / squares))
  return (1 - correlation) / (1 + correlation)
}
