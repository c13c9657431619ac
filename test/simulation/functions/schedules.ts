import type { RunLimits } from '../../../functions/poller/handler.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { heldAllowance } from '../../../shared/domain/release/release-pace.ts'
import { hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import type { Process } from '../engine/process.ts'
import { pollerOf, releaserOf } from './compose.ts'
import { createEnvironments } from './environments.ts'
import { searchError } from './telemetry.ts'
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
    build: process => pollerOf(world, process),
    threw: (process, error) => searchError(world, process, error),
  })
  const releasers = createEnvironments<unknown, unknown>(scheduler, {
    kind: 'releaser',
    timeoutMs: releaserTimeoutMs,
    build: process => releaserOf(world, process),
    threw: (process, error) => searchError(world, process, error),
  })
  let lastReleaseMs = scheduler.now()
  let lastReleaserDied = false

  /**
   * When a run of the releaser has something to do: each minute it would ask, and find nothing. Endpoints as they are now.
   */
  const nextReleaseMs = (
    endpoints: ReadonlyMap<string, Endpoint>,
    { isRead }: { isRead: boolean },
  ): number => {
    const nowMs = scheduler.now()
    // What it had to do is as much there as before.
    if (lastReleaserDied) return lastReleaseMs + minuteMs
    let dueMs = world.table.seen.marks.size > 0 ? lastReleaseMs + hourMs : Number.POSITIVE_INFINITY
    for (const { heartbeatEverySeconds } of endpoints.values()) {
      if (heartbeatEverySeconds !== null && world.wantsHeartbeats())
        dueMs = Math.min(dueMs, lastReleaseMs + hourMs)
    }
    for (const delivery of world.table.seen.deliveries.values()) {
      if (delivery.dueMs === null) continue
      const endpoint = endpoints.get(delivery.endpointId)
      if (endpoint === undefined) continue
      const fromMs = isRead ? recordedDueMs(delivery, delivery.dueMs) : delivery.dueMs
      if (delivery.state === 'waiting') dueMs = Math.min(dueMs, fromMs)
      if (delivery.state === 'held') {
        dueMs = Math.min(dueMs, Math.max(fromMs, readyAtMs(endpoint, delivery.dueMs, nowMs)))
      }
    }
    return Math.max(lastReleaseMs + minuteMs, dueMs)
  }

  /**
   * Sent, never recorded, and by the next walk the service had dropped the record: each lease finds no body, until the
   * delivery expires (seed 16755: eight such ran the releaser 60,000 steps long).
   */
  const recordedDueMs = ({ eventId, expiresAtSeconds }: Delivery, dueMs: number): number =>
    world.table.seen.events.has(eventId) ? dueMs : Math.max(dueMs, expiresAtSeconds * 1_000)

  const readyAtMs = (endpoint: Endpoint, dueMs: number, nowMs: number): number => {
    if (endpoint.state === 'removed') return nowMs
    if (endpoint.state === 'disabled' || !world.hasSecrets(endpoint)) return Number.POSITIVE_INFINITY
    if (heldAllowance(endpoint, { nowMs, everyMs: minuteMs }).count > 0) return nowMs
    const { pausedUntilMs, open } = endpoint.health
    const readyMs = Math.max(pausedUntilMs ?? 0, open?.nextProbeAtMs ?? 0)
    return Math.min(readyMs, dueMs + roundMsMax(world.plan.schedule) + 1)
  }

  const poll = (): void => {
    scheduler.note('a run of the poller')
    const nowMs = scheduler.now()
    const { tickAfterDeathMs } = world.plan
    const prepare = (process: Process): void => {
      if (tickAfterDeathMs === null) return
      const nextMs = nowMs + tickAfterDeathMs
      if (world.plan.pollerTicksMs.some(atMs => atMs > nowMs && atMs <= nextMs)) return
      process.onDeath = () => void scheduler.at(nextMs, 'schedule', 'poller', poll)
    }
    pollers.invoke({ endsAtMs: nowMs + pollerTimeoutMs - finishMs }, prepare, () => undefined)
  }

  return {
    nextReleaseMs,
    poll,
    release: (): void => {
      lastReleaseMs = scheduler.now()
      lastReleaserDied = false
      scheduler.note('a run of the releaser')
      const prepare = (process: Process): void => {
        process.onDeath = () => {
          lastReleaserDied = true
        }
      }
      releasers.invoke({}, prepare, () => undefined)
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
