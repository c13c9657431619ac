const levels = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
/** Stands where nothing is known: a low bar would say that little was there. */
const unknownMark = '·'

/**
 * Values as a row of bars, of which `max` is the highest (default: the greatest of them); null is not known. Only 0 has the
 * lowest bar, so that what is rare can be told from what is not there.
 */
export const sparkline = (values: readonly (number | null)[], max?: number): string => {
  const top = max ?? Math.max(0, ...values.map(value => value ?? 0))
  return values.map(value => barOf(value, top)).join('')
}

const barOf = (value: number | null, top: number): string => {
  if (value === null) return unknownMark
  const share = top > 0 ? Math.min(1, Math.max(0, value / top)) : 0
  return levels[Math.ceil(share * (levels.length - 1))] ?? unknownMark
}

/** Sums of `size` values each; null where one of them is not known. */
export const summedBy = (values: readonly (number | null)[], size: number): (number | null)[] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, at) =>
    values
      .slice(at * size, (at + 1) * size)
      .reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0),
  )
