import { setTimeout as timer } from 'node:timers/promises'
import type { Clock } from '../domain/clock.ts'

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    // A timer that is cut short rejects; for a sleeper that is the end of the sleep.
    await timer(Math.max(0, ms), undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  },
}
