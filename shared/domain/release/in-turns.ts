import type { Endpoint } from '../endpoint/endpoint.ts'

/** The golden ratio's fraction: places of its multiples are spread evenly, however many there are. */
const evenSpread = 0.618_033_988_749_895

/**
 * The same in another order for each run: where there are more endpoints than a run has time for (some thousands), those
 * that are passed over by one run are reached by one of the next. Pure.
 */
export const inTurns = (endpoints: readonly Endpoint[], runNumber: number): Endpoint[] => {
  const first = Math.floor(((runNumber * evenSpread) % 1) * endpoints.length)
  return [...endpoints.slice(first), ...endpoints.slice(0, first)]
}
