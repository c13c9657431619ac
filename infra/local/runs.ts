import { runMsMax } from '../../functions/poller/handler.ts'
import type { ComposedBridge } from './compose-bridge.ts'
import type { LaneDepth } from './lane-depth.ts'
import { heartbeatsEveryMsDefault, releaseEveryMs, type Schedule, startSchedule } from './schedule.ts'

/** As EventBridge Scheduler does it on AWS. */
const pollEveryMs = 60_000
/** Between two looks whether the queues are empty, and after a start that failed. */
const lookAgainMs = 250
/** What could not be sent again by then is left to the releaser's schedule and to the hourly reconcile. */
const sendAgainTriesMax = 5

export type Runs = {
  /** What earlier starts left is in the queues, and the schedules run. */
  hasStarted(): boolean
  stopPolling(): Promise<void>
  /** Waits at most `withinMs` for what is under way. */
  stop(withinMs: number): Promise<void>
}

/**
 * Sends again what was in the queues of the process before this one, since they died with it; then runs poller and
 * releaser on their schedules. Nothing is polled before: reconcile would take what was enqueued just now for lost.
 */
export const startRuns = (of: {
  bridge: Pick<ComposedBridge, 'poller' | 'releaser' | 'heartbeats' | 'release' | 'clock'>
  depth: () => Promise<LaneDepth>
  onFault: (of: 'poller' | 'releaser', error: unknown) => void
  heartbeatsEveryMs?: number
}): Runs => {
  const { bridge, onFault } = of
  const { clock } = bridge
  const stopping = new AbortController()
  const { signal } = stopping
  const heartbeatsEveryMs = of.heartbeatsEveryMs ?? heartbeatsEveryMsDefault
  let schedules: { poller: Schedule; releaser: Schedule; heartbeats: Schedule } | null = null
  let polls = true

  const sendAgain = async (): Promise<boolean> => {
    try {
      return (await bridge.releaser({ start: true })).complete
    } catch (error) {
      if (!signal.aborted) onFault('releaser', error)
      return false
    }
  }
  const isBusy = async (): Promise<boolean> => {
    const depth = await of.depth().catch(() => null)
    return depth === null || depth.ready > 0
  }
  const sendAllAgain = async (): Promise<void> => {
    for (let tries = 1; !(await sendAgain()) && tries < sendAgainTriesMax && !signal.aborted; tries += 1) {
      // Once more only when what was sent is through: else it would be sent twice.
      do await clock.sleep(lookAgainMs, signal)
      while (!signal.aborted && (await isBusy()))
    }
  }
  const begin = async (): Promise<void> => {
    await sendAllAgain()
    if (signal.aborted) return
    const poll = async (ended: AbortSignal): Promise<void> => {
      if (polls) await bridge.poller({}, { endsAtMs: clock.now() + runMsMax, signal: ended })
    }
    schedules = {
      poller: startSchedule({
        everyMs: pollEveryMs,
        overlaps: true,
        run: poll,
        onError: error => onFault('poller', error),
        clock,
      }),
      releaser: startSchedule({
        everyMs: releaseEveryMs,
        overlaps: false,
        run: () => bridge.releaser({}),
        onError: error => onFault('releaser', error),
        clock,
      }),
      heartbeats: startSchedule({
        everyMs: heartbeatsEveryMs,
        overlaps: false,
        run: () => bridge.heartbeats(heartbeatsEveryMs),
        onError: error => onFault('releaser', error),
        clock,
      }),
    }
  }
  const beginning = begin()

  return {
    hasStarted: () => schedules !== null,
    stopPolling: async () => {
      polls = false
      await schedules?.poller.stop()
    },
    stop: async withinMs => {
      stopping.abort()
      bridge.release()
      const inTime = new AbortController()
      const ended = async (): Promise<void> => {
        await beginning
        await Promise.all(Object.values(schedules ?? {}).map(schedule => schedule.stop()))
      }
      await Promise.race([ended(), clock.sleep(withinMs, inTime.signal)])
      inTime.abort()
    },
  }
}
