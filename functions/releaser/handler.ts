import { z } from 'zod'
import { lostQueueHorizonMs } from '../../shared/domain/release/due-entries.ts'
import { type ReconcileDeps, reconcile } from '../../shared/domain/release/reconcile.ts'
import { type ReleaseDeps, release } from '../../shared/domain/release/release.ts'
import { hourMs } from '../../shared/domain/time-units.ts'

/** How long a run may take: less than the minute between runs. */
export const runMsDefault = 50_000

export type HandlerDeps = ReleaseDeps & ReconcileDeps & { runMs?: number }

/**
 * `start` says that the process starts anew and its queues are empty: what waited in them is sent again, and
 * everything logged is compared. A schedule's own payload says nothing of it.
 */
const triggerSchema = z.object({ start: z.boolean().default(false) }).catch({ start: false })

export type ReleaserResult = { released: number; reconciled: number; complete: boolean }

/**
 * The releaser's entry, every minute. Reconcile joins in at the start and then hourly: what it has still to do is in
 * the table, as marks; the hour is only counted to spare the asking. Neither waits for the other or fails by it;
 * throws what they threw when both have ended.
 */
export const createHandler = (deps: HandlerDeps) => {
  let reconcileAtMs = 0
  return async (event: unknown): Promise<ReleaserResult> => {
    const { start } = triggerSchema.parse(event)
    const nowMs = deps.clock.now()
    const endsAtMs = nowMs + (deps.runMs ?? runMsDefault)
    const reconciles = start || nowMs >= reconcileAtMs
    const [released, reconciled] = await Promise.allSettled([
      release({ endsAtMs, horizonMs: start ? lostQueueHorizonMs : 0 }, deps),
      reconciles ? reconcile({ endsAtMs, atStart: start }, deps) : { sent: 0, complete: true },
    ])
    if (released.status === 'rejected') throw released.reason
    if (reconciled.status === 'rejected') throw reconciled.reason
    // What the run had no time for, or what failed, is taken up by the next one.
    if (reconciles && reconciled.value.complete) reconcileAtMs = nowMs + hourMs
    return {
      released: released.value.sent,
      reconciled: reconciled.value.sent,
      complete: released.value.complete && reconciled.value.complete,
    }
  }
}
