import type { Delivery } from '../delivery/delivery.ts'
import { type BeginDeps, beginNextRound } from './next-round.ts'
import { createPace } from './pace.ts'
import type { ReplayPlan, ReplayPlanStore } from './replay-plan.ts'

/** Dead letters a page at a time, as they were read, consistently, just before. A page is bounded by whoever makes it. */
export type DeadLetterPages = AsyncIterable<readonly Delivery[]>

type Run = {
  pages: DeadLetterPages
  /** Aborted: the page under way is finished, and no other begun. */
  signal: AbortSignal
  /** After each page. */
  onProgress: (done: { changed: number }) => void
}

/** Why a dead letter was not replayed. */
export type LeftDead = {
  /** Changed since it was read. */
  movedOn: number
  /** Its event is past its life: there is nothing to send any more. */
  expired: number
  /** Its endpoint was removed: the dispatcher would cancel it. */
  endpointRemoved: number
  /** It died since the replay began, perhaps again. */
  diedSince: number
}

export type Replayed = {
  replayed: number
  left: LeftDead
  /** The last due time that was given; null where none was. */
  lastDueMs: number | null
  complete: boolean
}

/**
 * Sets dead letters to waiting in their next round, with due times spread by the rate (DESIGN.md, section 6.5): it sends
 * nothing itself. What was set is dead no more, so that the same call goes on after an interruption; the plan, kept after
 * every page, keeps the pace across it.
 */
export const replayDead = async (
  of: Run & { plan: ReplayPlan; ratePerSecond: number; isRemoved: (endpointId: string) => boolean },
  deps: BeginDeps & { plans: Pick<ReplayPlanStore, 'put' | 'remove'> },
): Promise<Replayed> => {
  const { plan } = of
  const pace = createPace({ fromMs: plan.nextDueMs, ratePerSecond: of.ratePerSecond })
  const left: LeftDead = { movedOn: 0, expired: 0, endpointRemoved: 0, diedSince: 0 }
  let replayed = 0
  await deps.plans.put(plan)
  for await (const page of of.pages) {
    if (of.signal.aborted) return { replayed, left, lastDueMs: pace.lastMs(), complete: false }
    const ready = page.filter(delivery => {
      const why = reasonToLeave(delivery, of, deps)
      if (why !== null) left[why] += 1
      return why === null
    })
    const results = await Promise.all(
      ready.map(delivery =>
        beginNextRound(delivery, { dueMs: pace.take(), reason: 'replayed_by_operator' }, deps),
      ),
    )
    const begun = results.filter(result => result === 'begun').length
    replayed += begun
    left.movedOn += results.length - begun
    await deps.plans.put({ ...plan, nextDueMs: Math.round(pace.nextMs()) })
    of.onProgress({ changed: replayed })
  }
  if (of.signal.aborted) return { replayed, left, lastDueMs: pace.lastMs(), complete: false }
  await deps.plans.remove(plan.name)
  return { replayed, left, lastDueMs: pace.lastMs(), complete: true }
}

const reasonToLeave = (
  { endpointId, expiresAtSeconds, updatedAtMs }: Delivery,
  of: { plan: ReplayPlan; isRemoved: (endpointId: string) => boolean },
  { clock }: BeginDeps,
): keyof LeftDead | null => {
  if (of.isRemoved(endpointId)) return 'endpointRemoved'
  if (expiresAtSeconds * 1_000 <= clock.now()) return 'expired'
  return updatedAtMs >= of.plan.startedAtMs ? 'diedSince' : null
}

/** Cancels dead letters: they are never delivered. What was cancelled is dead no more, so that the same call goes on. */
export const purgeDead = async (
  of: Run,
  deps: BeginDeps,
): Promise<{ purged: number; movedOn: number; complete: boolean }> => {
  let purged = 0
  let movedOn = 0
  for await (const page of of.pages) {
    if (of.signal.aborted) return { purged, movedOn, complete: false }
    const results = await Promise.all(page.map(delivery => purge(delivery, deps)))
    const written = results.filter(result => result === 'written').length
    purged += written
    movedOn += results.length - written
    of.onProgress({ changed: purged })
  }
  return { purged, movedOn, complete: !of.signal.aborted }
}

const purge = (delivery: Delivery, { store, clock, newId }: BeginDeps) =>
  store.write(
    {
      ...delivery,
      state: 'cancelled',
      reason: 'purged_by_operator',
      retryAtMs: null,
      dueMs: null,
      writeId: newId(),
      updatedAtMs: clock.now(),
    },
    { kind: 'unchanged', writeId: delivery.writeId },
  )
