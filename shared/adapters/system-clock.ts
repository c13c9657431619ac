import type { Clock } from '../domain/clock.ts'

/**
 * The machine's clock. A sleep that is cut short ends, and is no exception: one of Node's own costs its stack, which was a
 * twentieth of what a dispatcher does for a delivery.
 */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise(resolve => {
      if (signal?.aborted === true) return resolve()
      const wake = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, Math.max(0, ms))
      signal?.addEventListener('abort', wake)
    }),
}
