import * as z from 'zod'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'
import { lostQueueHorizonMs } from '../../shared/domain/release/due-entries.ts'
import { type BacklogDeps, measureBacklog } from '../../shared/domain/release/measure-backlog.ts'
import { type ReconcileDeps, reconcile } from '../../shared/domain/release/reconcile.ts'
import { type ReleaseDeps, release } from '../../shared/domain/release/release.ts'
import { type HeartbeatDeps, sendHeartbeats } from '../../shared/domain/release/send-heartbeats.ts'
import { type TellDisabledDeps, tellDisabled } from '../../shared/domain/release/tell-disabled.ts'
import { hourMs, minuteMs } from '../../shared/domain/time-units.ts'

/** How long a run may take: less than the minute between runs. */
export const runMsDefault = 50_000

/** Between two counts of what waits and is held. */
export const measureEveryMs = 5 * minuteMs

export type HandlerDeps = ReleaseDeps &
  ReconcileDeps &
  BacklogDeps &
  TellDisabledDeps & {
    runMs?: number
    /** What heartbeats take; null where they are sent by another schedule. */
    heartbeat: Pick<HeartbeatDeps, 'cursors' | 'heartbeats'> | null
    /** Whether to count what waits and is held: for metrics and alarms. */
    measures?: boolean
  }

/**
 * `start` says that the process starts anew and its queues are empty: what waited in them is sent again, and
 * everything logged is compared. A schedule's own payload says nothing of it.
 */
const triggerSchema = z.object({ start: z.boolean().default(false) }).catch({ start: false })

export type ReleaserResult = { released: number; reconciled: number; complete: boolean }

/**
 * The releaser's entry, every minute. Reconcile joins in at the start and then hourly: what it has still to do is in
 * the table, as marks; the hour is only counted to spare the asking. Every run tells the operator what is to be told and
 * sends the heartbeats that are due. None waits for the other or fails by it; throws what they threw when all have ended.
 */
export const createHandler = (deps: HandlerDeps) => {
  let reconcileAtMs = 0
  let measureAtMs = deps.measures === true ? 0 : Number.POSITIVE_INFINITY
  return async (event: unknown): Promise<ReleaserResult> => {
    const { start } = triggerSchema.parse(event)
    const nowMs = deps.clock.now()
    const endsAtMs = nowMs + (deps.runMs ?? runMsDefault)
    const reconciles = start || nowMs >= reconcileAtMs
    const measures = nowMs >= measureAtMs
    const { heartbeat } = deps
    const ofRun = { ...deps, endpoints: listedOnce(deps.endpoints) }
    const [released, reconciled, ...others] = await Promise.allSettled([
      release({ endsAtMs, horizonMs: start ? lostQueueHorizonMs : 0 }, ofRun),
      reconciles ? reconcile({ endsAtMs, atStart: start }, ofRun) : { sent: 0, complete: true },
      measures ? measureBacklog({ endsAtMs }, ofRun) : null,
      tellDisabled(deps),
      heartbeat === null ? null : sendHeartbeats({ endsAtMs }, { ...ofRun, ...heartbeat }),
    ])
    if (released.status === 'rejected') throw released.reason
    if (reconciled.status === 'rejected') throw reconciled.reason
    for (const other of others) if (other.status === 'rejected') throw other.reason
    if (measures) measureAtMs = nowMs + measureEveryMs
    // What the run had no time for, or what failed, is taken up by the next one.
    if (reconciles && reconciled.value.complete) reconcileAtMs = nowMs + hourMs
    return {
      released: released.value.sent,
      reconciled: reconciled.value.sent,
      complete: released.value.complete && reconciled.value.complete,
    }
  }
}

/** The parts of a run begin together and go by one list: each listing reads every endpoint. */
const listedOnce = (endpoints: EndpointStore): EndpointStore => {
  let listing: ReturnType<EndpointStore['list']> | null = null
  return {
    ...endpoints,
    list: () => {
      listing ??= endpoints.list()
      return listing
    },
  }
}
