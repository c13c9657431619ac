import type { Clock } from '../../../../shared/domain/clock.ts'

/** A clock that a test turns: time stands while anything is left to do, and then goes on to the next timer. */
export type VirtualClock = Clock & {
  /** Turns the clock up to `untilMs`, timer by timer, everything that they set off included. */
  turnTo(untilMs: number): Promise<void>
}

type Timer = { atMs: number; wake: () => void }

export const createVirtualClock = (startMs: number): VirtualClock => {
  let nowMs = startMs
  let timers: Timer[] = []
  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        if (signal?.aborted === true) return resolve()
        const timer: Timer = {
          atMs: nowMs + Math.max(0, ms),
          wake: () => {
            signal?.removeEventListener('abort', timer.wake)
            timers = timers.filter(other => other !== timer)
            resolve()
          },
        }
        timers.push(timer)
        signal?.addEventListener('abort', timer.wake, { once: true })
      }),
    turnTo: async untilMs => {
      for (;;) {
        await idle()
        const nextMs = Math.min(...timers.map(({ atMs }) => atMs))
        if (nextMs > untilMs) break
        nowMs = nextMs
        for (const timer of timers.filter(({ atMs }) => atMs === nextMs)) timer.wake()
      }
      nowMs = untilMs
    },
  }
}

/** All microtasks are done: nothing here waits for anything but them and the clock. */
const idle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
