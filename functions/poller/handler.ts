import type { Clock } from '../../shared/domain/clock.ts'
import { createPoller, type PollerDeps } from '../../shared/domain/polling/poller.ts'

/** A run polls for this long at the most: longer than the schedule's minute, so that no gap opens between runs. */
export const runMsMax = 150_000

export type PollerHandlerDeps = PollerDeps & {
  clock: Clock
  newRunId: () => string
  /** How often the schedule ticks, where a run that has nothing to do until then is to end: its time is paid for. */
  tickEveryMs?: number
}

/** What tells a run when to end: the host's own limit, and a signal that ends it at once. */
export type RunLimits = { endsAtMs?: number; signal?: AbortSignal }

/** Handles the schedule's tick: one run over all sources. */
export const createHandler = (deps: PollerHandlerDeps) => {
  const poller = createPoller(deps)
  return async (_tick: unknown, limits: RunLimits = {}): Promise<void> => {
    const nowMs = deps.clock.now()
    const endsAtMs = Math.min(limits.endsAtMs ?? Number.POSITIVE_INFINITY, nowMs + runMsMax)
    const next = deps.tickEveryMs === undefined ? {} : { nextRunAtMs: nowMs + deps.tickEveryMs }
    const signal = limits.signal ?? new AbortController().signal
    await poller.run({ runId: deps.newRunId(), endsAtMs, ...next, signal })
  }
}
