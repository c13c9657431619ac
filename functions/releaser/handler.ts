import * as z from 'zod'
import { lostQueueHorizonMs } from '../../shared/domain/release/due-entries.ts'
import { type BacklogDeps, measureBacklog } from '../../shared/domain/release/measure-backlog.ts'
import { type ReconcileDeps, reconcile } from '../../shared/domain/release/reconcile.ts'
import { type ReleaseDeps, release } from '../../shared/domain/release/release.ts'
import { hourMs, minuteMs } from '../../shared/domain/time-units.ts'

/** How long a run may take: less than the minute between runs. */
export const runMsDefault = 50_000

/** Between two counts of what waits and is held. */
export const measureEveryMs = 5 * minuteMs

export type HandlerDeps = ReleaseDeps &
  ReconcileDeps &
  BacklogDeps & {
    runMs?: number
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
 * the table, as marks; the hour is only counted to spare the asking. None waits for the other or fails by it; throws
 * what they threw when all have ended.
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
    const [released, reconciled, measured] = await Promise.allSettled([
      release({ endsAtMs, horizonMs: start ? lostQueueHorizonMs : 0 }, deps),
      reconciles ? reconcile({ endsAtMs, atStart: start }, deps) : { sent: 0, complete: true },
      measures ? measureBacklog({ endsAtMs }, deps) : null,
    ])
    if (released.status === 'rejected') throw released.reason
    if (reconciled.status === 'rejected') throw reconciled.reason
    if (measured.status === 'rejected') throw measured.reason
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
