/** Of numbers in any order; NaN of none. `share` is from 0 to 1. */
export const percentile = (numbers: readonly number[], share: number): number => {
  const sorted = Float64Array.from(numbers).sort()
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}
