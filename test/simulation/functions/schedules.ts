import type { RunLimits } from '../../../functions/poller/handler.ts'
import { roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { heldAllowance } from '../../../shared/domain/release/release-pace.ts'
import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import { pollerOf, releaserOf } from './compose.ts'
import { createEnvironments } from './environments.ts'
import type { World } from './world.ts'

/** As the stack sets them. */
const pollerTimeoutMs = 180_000
const finishMs = 25_000
const releaserTimeoutMs = 60_000

/** Poller and releaser, as EventBridge Scheduler runs them. */
export const createSchedules = (world: World) => {
  const { scheduler } = world
  const pollers = createEnvironments<RunLimits, void>(scheduler, {
    kind: 'poller',
    timeoutMs: pollerTimeoutMs,
    build: process => {
      const handler = pollerOf(world, process)
      return limits => handler(null, limits)
    },
  })
  const releasers = createEnvironments<unknown, unknown>(scheduler, {
    kind: 'releaser',
    timeoutMs: releaserTimeoutMs,
    build: process => releaserOf(world, process),
  })
  let lastReleaseMs = scheduler.now()

  /**
   * When a run of the releaser has something to do: each minute it would ask, and find nothing. Endpoints as they are now.
   */
  const nextReleaseMs = (endpoints: ReadonlyMap<string, Endpoint>): number => {
    const nowMs = scheduler.now()
    let dueMs = world.table.seen.marks.size > 0 ? lastReleaseMs + hourMs : Number.POSITIVE_INFINITY
    for (const { heartbeatEverySeconds } of endpoints.values()) {
      if (heartbeatEverySeconds !== null && world.wantsHeartbeats())
        dueMs = Math.min(dueMs, lastReleaseMs + hourMs)
    }
    for (const delivery of world.table.seen.deliveries.values()) {
      if (delivery.dueMs === null) continue
      const endpoint = endpoints.get(delivery.endpointId)
      if (endpoint === undefined) continue
      if (delivery.state === 'waiting') dueMs = Math.min(dueMs, delivery.dueMs)
      if (delivery.state === 'held') {
        dueMs = Math.min(dueMs, Math.max(delivery.dueMs, readyAtMs(endpoint, delivery.dueMs, nowMs)))
      }
    }
    return Math.max(lastReleaseMs + minuteMs, dueMs)
  }

  const readyAtMs = (endpoint: Endpoint, dueMs: number, nowMs: number): number => {
    if (endpoint.state === 'removed') return nowMs
    if (endpoint.state === 'disabled' || !world.hasSecrets(endpoint)) return Number.POSITIVE_INFINITY
    if (heldAllowance(endpoint, { nowMs, everyMs: minuteMs }).count > 0) return nowMs
    const { pausedUntilMs, open } = endpoint.health
    const readyMs = Math.max(pausedUntilMs ?? 0, open?.nextProbeAtMs ?? 0)
    return Math.min(readyMs, dueMs + roundMsMax(world.plan.schedule) + 1)
  }

  return {
    nextReleaseMs,
    poll: (): void => {
      scheduler.note('a run of the poller')
      const endsAtMs = scheduler.now() + pollerTimeoutMs - finishMs
      pollers.invoke(
        { endsAtMs },
        () => undefined,
        () => undefined,
      )
    },
    release: (): void => {
      lastReleaseMs = scheduler.now()
      scheduler.note('a run of the releaser')
      releasers.invoke(
        {},
        () => undefined,
        () => undefined,
      )
    },
    running: (): number => pollers.running() + releasers.running(),
    pollersRunning: (): number => pollers.running(),
    killAll: (): void => {
      pollers.killAll()
      releasers.killAll()
    },
  }
}

export type Schedules = ReturnType<typeof createSchedules>
