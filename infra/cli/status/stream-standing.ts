import type { LastRun } from '../../../shared/adapters/dynamodb/last-runs.ts'
import {
  budgetOf,
  budgetSnapshotSchema,
  emptyBudget,
  remaining,
  restore,
} from '../../../shared/domain/polling/budget.ts'
import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import type { Source } from '../../../shared/domain/source.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'

/** Runs begin every minute: one that is missing is no accident any more. */
export const runMissedAfterMs = 3 * minuteMs
/** A complete walk is written at the latest so long after it, where nothing else is to be written. */
const walkToldWithinMs = 2 * minuteMs
/** Failures on the way that the next polls make good. */
const pollsForgiven = 3

export type StreamState =
  | 'ok'
  /** A walk goes on over several runs: a backlog is being read. */
  | 'behind'
  /** It is polled, and no walk gets to its end. */
  | 'failing'
  /** Nobody polls it, though somebody should. */
  | 'stopped'
  /** Never polled yet. */
  | 'new'
  | 'paused'

export type StreamStanding = {
  state: StreamState
  lastCompleteWalkAtMs: number | null
  /** How long ago the moment is up to which everything has been read; null where nobody knows. */
  lagMs: number | null
  /** Since when no walk was complete, where it fails or is stopped. */
  failingSinceMs: number | null
}

/** How the reading of a stream gets on, as far as the table tells. Pure. */
export const streamStanding = (of: {
  source: Pick<Source, 'state' | 'overlapSeconds' | 'pollEverySeconds'>
  cursor: Cursor | null
  run: LastRun | null
  nowMs: number
}): StreamStanding => {
  const { source, cursor, run, nowMs } = of
  const lastCompleteWalkAtMs = cursor?.lastCompleteWalkAtMs ?? null
  const lagMs = lagOf(cursor, nowMs)
  const known = { lastCompleteWalkAtMs, lagMs, failingSinceMs: null }
  if (source.state === 'paused') return { state: 'paused', ...known }
  if (run === null) return { state: 'new', ...known }
  const sinceMs = lastCompleteWalkAtMs ?? run.firstTakenAtMs
  if (nowMs - run.takenAtMs > runMissedAfterMs) {
    return { state: 'stopped', ...known, failingSinceMs: Math.max(sinceMs, run.takenAtMs) }
  }
  if (nowMs - sinceMs <= patienceMs(source)) return { state: 'ok', ...known }
  const isUnderWay = cursor !== null && (cursor.place !== null || cursor.start !== null)
  return isUnderWay ? { state: 'behind', ...known } : { state: 'failing', ...known, failingSinceMs: sinceMs }
}

const patienceMs = ({
  overlapSeconds,
  pollEverySeconds,
}: Pick<Source, 'overlapSeconds' | 'pollEverySeconds'>) =>
  (overlapSeconds / 2 + pollsForgiven * pollEverySeconds) * 1_000 + walkToldWithinMs

const lagOf = (cursor: Cursor | null, nowMs: number): number | null => {
  if (cursor === null) return null
  const { place, anchor, lastCompleteWalkAtMs } = cursor
  if (place === null) return lastCompleteWalkAtMs === null ? null : Math.max(0, nowMs - lastCompleteWalkAtMs)
  // Where the order is ignored, the newest record comes first and says nothing of what is older.
  const reached = place.orderIgnored ? anchor : (place.newest ?? anchor)
  return reached === null ? null : Math.max(0, nowMs - reached.second * 1_000)
}

export type BudgetStanding = { left: number; of: number; notBeforeMs: number | null }

/** The request budget of a source as its last run left it, seconds ago; null before the first run. Pure. */
export const budgetStanding = (
  { requestsPerMinute }: Pick<Source, 'requestsPerMinute'>,
  run: LastRun | null,
  nowMs: number,
): BudgetStanding | null => {
  if (run === null) return null
  const read = budgetSnapshotSchema.safeParse(run.spending)
  const budget = read.success ? restore(requestsPerMinute, read.data) : emptyBudget(requestsPerMinute)
  return {
    left: remaining(budget, nowMs),
    of: budgetOf(budget.limit),
    notBeforeMs: budget.notBeforeMs > nowMs ? budget.notBeforeMs : null,
  }
}
