/** Beyond it, whole powers of ten alone. */
const ticksMax = 10

/** Round numbers, 1, 2 and 5 of each power of ten, from at most the lowest value to at least the highest. */
export const logTicks = (values: readonly number[]): number[] => {
  const low = Math.min(...values)
  const high = Math.max(...values)
  const fine = between(low, high, [1, 2, 5])
  return fine.length <= ticksMax ? fine : between(low, high, [1])
}

const between = (low: number, high: number, of: readonly number[]): number[] => {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  const powers = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const ticks = powers.flatMap(power => of.map(step => step * 10 ** power))
  const from = ticks.findLastIndex(tick => tick <= low)
  const to = ticks.findIndex(tick => tick >= high)
  return ticks.slice(Math.max(0, from), to === -1 ? ticks.length : to + 1)
}
