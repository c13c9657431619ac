import type { Happening, PollHappening, Reporter } from '../../shared/domain/happenings.ts'
import { type StreamName, streamNames } from '../../shared/domain/source.ts'
import { createBell } from './bell.ts'

/** A stream that only failed for this long counts as one that can't be read. */
export const failingMsMax = 60_000

type Reading =
  | { kind: 'reading'; failingSinceMs: number | null }
  /** Walked to its end since the start. */
  | { kind: 'complete' }
  /** Refused, or failing for too long. */
  | { kind: 'given_up'; reason: string }

export type CaughtUp = Reporter & {
  /** Resolves when each stream was walked to its end or given up; with the streams given up. */
  caughtUp(signal: AbortSignal): Promise<{ stream: StreamName; reason: string }[]>
  /** Dead letters that this run made. */
  deadSeen(): number
}

/**
 * Walks that go to the end of what there is: not those that find the start or sweep the past. Nor one that an earlier
 * process began: where the order is ignored, what has come since stands before its place.
 */
const isWholeWalk = ({ walk, resumed }: PollHappening): boolean =>
  (walk === 'news' || walk === 'overlap') && !resumed

/**
 * Watches for `--once` whether a source has been read, by what happens; others may be polled beside it that the operator's
 * command added.
 */
export const createCaughtUp = (now: () => number, sourceId: string): CaughtUp => {
  const readings = new Map<StreamName, Reading>(
    streamNames.map(stream => [stream, { kind: 'reading', failingSinceMs: null }]),
  )
  const change = createBell()
  let dead = 0

  const failed = (stream: StreamName, reason: string, refused: boolean): void => {
    const before = readings.get(stream)
    if (before?.kind === 'complete') return
    const since = before?.kind === 'reading' ? (before.failingSinceMs ?? now()) : now()
    // A refused token is not right a minute later; the other stream may go on all the same.
    if (refused || now() - since >= failingMsMax) readings.set(stream, { kind: 'given_up', reason })
    else if (before?.kind !== 'given_up') readings.set(stream, { kind: 'reading', failingSinceMs: since })
  }
  const see = (happening: Happening): void => {
    if (happening.kind === 'dead' || happening.kind === 'unreadable_message') dead += 1
    if ('source' in happening && happening.source !== sourceId) return
    if (happening.kind === 'poll_fault') failed(happening.stream, happening.reason, false)
    if (happening.kind !== 'poll') return
    const { stream, outcome, status, reason } = happening
    // A walk that fails half-way got on.
    const gotOn = outcome !== 'failed' || happening.read > 0
    if (!gotOn) failed(stream, reason ?? 'failed', status === 401 || status === 403)
    else if (outcome === 'complete' && isWholeWalk(happening)) readings.set(stream, { kind: 'complete' })
    else if (readings.get(stream)?.kind === 'reading') {
      readings.set(stream, { kind: 'reading', failingSinceMs: null })
    }
  }

  return {
    report: happening => {
      see(happening)
      if (happening.kind === 'poll' || happening.kind === 'poll_fault') change.ring()
    },
    caughtUp: async signal => {
      signal.addEventListener('abort', change.ring, { once: true })
      while ([...readings.values()].some(({ kind }) => kind === 'reading') && !signal.aborted)
        await change.rung()
      return [...readings].flatMap(([stream, reading]) =>
        reading.kind === 'given_up' ? [{ stream, reason: reading.reason }] : [],
      )
    },
    deadSeen: () => dead,
  }
}
