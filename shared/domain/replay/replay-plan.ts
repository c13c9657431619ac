import { hourMs } from '../time-units.ts'

/** After so long the same words are a new command, and not the rest of an old one. */
export const planLifeMs = 24 * hourMs

/**
 * What one replay or recover set out to do, kept until it is done, so that the same command goes on with it after an
 * interruption: with the same range although `--since 1d` means another day by now, behind what is due already, and
 * without what it had delivered in the meantime.
 */
export type ReplayPlan = {
  /** The same for the same command. */
  name: string
  startedAtMs: number
  /** The events' seconds, both inclusive. */
  fromSecond: number
  toSecond: number
  /** When the next delivery that is set will be due. */
  nextDueMs: number
  /** Recover: everything up to this event id is done. */
  placeId: string | null
}

/** The plans that are under way, or were interrupted. */
export interface ReplayPlanStore {
  /** Consistent. */
  read(name: string): Promise<ReplayPlan | null>
  put(plan: ReplayPlan): Promise<void>
  remove(name: string): Promise<void>
}

/** The plan of a command: the one that it left unfinished, or a new one, which is not kept yet. */
export const openPlan = async (
  of: {
    name: string
    range: { fromSecond: number; toSecond: number }
    nowMs: number
    /** An unfinished one is not to be gone on with. */
    anew: boolean
  },
  plans: Pick<ReplayPlanStore, 'read'>,
): Promise<{ plan: ReplayPlan; goesOn: boolean }> => {
  const { name, range, nowMs } = of
  const left = of.anew ? null : await plans.read(name)
  if (left !== null && nowMs - left.startedAtMs < planLifeMs) {
    return { plan: { ...left, nextDueMs: Math.max(left.nextDueMs, nowMs) }, goesOn: true }
  }
  const { fromSecond, toSecond } = range
  const plan = { name, startedAtMs: nowMs, fromSecond, toSecond, nextDueMs: nowMs, placeId: null }
  return { plan, goesOn: false }
}
