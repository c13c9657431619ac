/** The time, and waiting for it. Everything that waits does so here, so that a test can turn the clock. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A source of randomness: a number of at least 0 and below 1. */
export type Random = () => number
