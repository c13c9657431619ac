import type { Clock } from '../../shared/domain/clock.ts'

/** Finer than on AWS: nothing is paid for it here, and a retry schedule of seconds is worth it. */
export const releaseEveryMs = 15_000
/** Between two looks whose heartbeat is due. */
export const heartbeatsEveryMsDefault = 15_000

export type Schedule = {
  /** Begins no further run, tells those under way to end, and waits for them. */
  stop(): Promise<void>
}

/**
 * The local stand-in for EventBridge Scheduler: `run` every `everyMs`, at once for the first time. Where runs overlap, a
 * new one begins although the last one has not ended; else it waits for it. A run that fails is told to `onError`, and
 * the next one comes at its time.
 */
export const startSchedule = (of: {
  everyMs: number
  overlaps: boolean
  run: (signal: AbortSignal) => Promise<unknown>
  onError: (error: unknown) => void
  clock: Clock
}): Schedule => {
  const { clock, everyMs } = of
  const stopping = new AbortController()
  const { signal } = stopping
  const running = new Set<Promise<void>>()

  const runOnce = async (): Promise<void> => {
    try {
      await of.run(signal)
    } catch (error) {
      of.onError(error)
    }
  }
  const tick = async (): Promise<void> => {
    const startedMs = clock.now()
    const one = runOnce().finally(() => running.delete(one))
    running.add(one)
    if (!of.overlaps) await one
    await clock.sleep(Math.max(0, startedMs + everyMs - clock.now()), signal)
  }
  const loop = async (): Promise<void> => {
    while (!signal.aborted) await tick()
  }
  const looping = loop()

  return {
    stop: async () => {
      stopping.abort()
      await looping
      await Promise.all(running)
    },
  }
}
