import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../shared/domain/clock.ts'

export type FastClock = Clock & {
  /** Turns it ahead at once. */
  turn(ms: number): void
}

/** A clock that runs so many times as fast as the machine's: a run of minutes takes seconds. */
export const createFastClock = (speed: number): FastClock => {
  const startedMs = Date.now()
  let aheadMs = 0
  return {
    now: () => Math.floor(startedMs + (Date.now() - startedMs) * speed + aheadMs),
    sleep: async (ms, signal) => {
      await wait(Math.max(0, ms) / speed, undefined, signal === undefined ? {} : { signal }).catch(() => {})
    },
    turn: ms => {
      aheadMs += ms
    },
  }
}
