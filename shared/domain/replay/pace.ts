/** Due times spread by a rate: each a step after the one before. Unix milliseconds, perhaps with a fraction. */
export interface Pace {
  /** The due time of the next delivery. */
  take(): number
  /** What `take` would return, without taking it. */
  nextMs(): number
  /** The one that was taken last; null where none was. */
  lastMs(): number | null
}

export const createPace = (of: { fromMs: number; ratePerSecond: number }): Pace => {
  const stepMs = 1_000 / of.ratePerSecond
  let taken = 0
  // Multiplied, not added up: a million of fractions would drift.
  const at = (index: number): number => of.fromMs + index * stepMs
  return {
    take: () => {
      taken += 1
      return at(taken - 1)
    },
    nextMs: () => at(taken),
    lastMs: () => (taken === 0 ? null : at(taken - 1)),
  }
}
