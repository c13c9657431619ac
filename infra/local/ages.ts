/** The newest ages that are kept: older ones say nothing of now. */
export const agesKeptMax = 500

export type Ages = {
  add(ms: number): void
  /** The middle and the largest of the newest ages; null before the first. */
  summary(): { halfMs: number; maxMs: number; count: number } | null
}

export const createAges = (): Ages => {
  const ages: number[] = []
  let next = 0
  return {
    add: ms => {
      ages[next] = ms
      next = (next + 1) % agesKeptMax
    },
    summary: () => {
      const sorted = [...ages].sort((one, other) => one - other)
      const halfMs = sorted[Math.floor((sorted.length - 1) / 2)]
      const maxMs = sorted.at(-1)
      return halfMs === undefined || maxMs === undefined ? null : { halfMs, maxMs, count: sorted.length }
    },
  }
}
