import type { CountedBridge } from './counted-bridge.ts'
import { startPoller } from './counted-functions.ts'
import { shortRunGbSeconds } from './lambda-model.ts'
import { minus, type Usage } from './usage.ts'

export type Pollers = {
  /** What the schedule does, every minute. */
  tick(): Promise<void>
  /** Ends what still runs. */
  stop(): Promise<void>
  /** Seconds of Lambda's that runs took which last on until the next one begins, whether there is anything to read or not. */
  lastingSeconds(): number
}

/**
 * Polling within the minute: a run goes on until the next one has taken its lease. So two instances take turns, and
 * each is billed for all of its time; what one has read, the other does not know.
 */
export const startOverlappingPollers = (bridge: CountedBridge, pollEverySeconds: number): Pollers => {
  const instances = [1, 2].map(() => startPoller({ ...bridge.functions, pollEverySeconds }))
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  let next = 0
  let seconds = 0
  return {
    tick: async () => {
      const instance = instances[next % instances.length]
      next += 1
      const startedMs = bridge.clock.now()
      const run = instance?.(stopping.signal).finally(() => {
        seconds += (bridge.clock.now() - startedMs) / 1_000
      })
      if (run !== undefined) running.add(run)
      bridge.invoked(0, 1)
    },
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
    lastingSeconds: () => seconds,
  }
}

/** Polling every minute or less often: a run ends after its poll, and one instance does them all. */
export const startShortPollers = (bridge: CountedBridge, pollEverySeconds: number): Pollers => {
  const instance = startPoller({ ...bridge.functions, pollEverySeconds })
  return {
    tick: () => shortRun(bridge, () => instance(new AbortController().signal)),
    stop: async () => {},
    lastingSeconds: () => 0,
  }
}

/** An invocation by the schedule that ends by itself: billed by the calls that it made, taken as one after the other. */
export const shortRun = async (bridge: CountedBridge, run: () => Promise<unknown>): Promise<void> => {
  const before = { usage: await bridge.usage(), requests: bridge.requestsToService() }
  await run()
  const { calls } = minus(await bridge.usage(), before.usage)
  const serviceCalls = bridge.requestsToService() - before.requests
  bridge.invoked(shortRunGbSeconds({ awsCalls: calls, serviceCalls }), 1)
}

/** What was used while something was done. */
export const usageOf = async (bridge: CountedBridge, act: () => Promise<unknown>): Promise<Usage> => {
  const before = await bridge.usage()
  await act()
  return minus(await bridge.usage(), before)
}
