import type { Happening, PollHappening, Reporter } from '../../shared/domain/happenings.ts'
import { type StreamName, streamNames } from '../../shared/domain/source.ts'
import { createBell } from './bell.ts'

/** One that a start lacks is not there a minute later. */
const noToken = 'secret_missing'

/** A stream that only failed for this long counts as one that can't be read. */
export const failingMsMax = 60_000

type Reading =
  | { kind: 'reading'; failingSinceMs: number | null }
  /** Walked to its end since the start. */
  | { kind: 'complete' }
  /** Refused, or failing for too long. */
  | { kind: 'given_up'; reason: string }

type GivenUp = { source: string; stream: StreamName; reason: string }

export type CaughtUp = Reporter & {
  /** Resolves when each stream of these sources was walked to its end or given up; with the streams given up. */
  caughtUp(sources: readonly string[], signal: AbortSignal): Promise<GivenUp[]>
  /** Dead letters that this run made. */
  deadSeen(): number
}

/**
 * Walks that go to the end of what there is: not those that find the start or sweep the past. Nor one that an earlier
 * process began: where the order is ignored, what has come since stands before its place.
 */
const isWholeWalk = ({ walk, resumed }: PollHappening): boolean =>
  (walk === 'news' || walk === 'overlap') && !resumed

const unread: Reading = { kind: 'reading', failingSinceMs: null }
const nameOf = (source: string, stream: StreamName): string => `${source} ${stream}`

/** Watches for `--once` whether sources have been read, by what happens. */
export const createCaughtUp = (now: () => number): CaughtUp => {
  const readings = new Map<string, Reading>()
  const change = createBell()
  let dead = 0

  const failed = (name: string, reason: string, refused: boolean): void => {
    const before = readings.get(name) ?? unread
    if (before.kind === 'complete') return
    const since = before.kind === 'reading' ? (before.failingSinceMs ?? now()) : now()
    // A refused token is not right a minute later; the other stream may go on all the same.
    if (refused || now() - since >= failingMsMax) readings.set(name, { kind: 'given_up', reason })
    else if (before.kind !== 'given_up') readings.set(name, { kind: 'reading', failingSinceMs: since })
  }
  const see = (happening: Happening): void => {
    if (happening.kind === 'dead' || happening.kind === 'unreadable_message') dead += 1
    if (happening.kind !== 'poll' && happening.kind !== 'poll_fault') return
    const name = nameOf(happening.source, happening.stream)
    if (happening.kind === 'poll_fault') {
      failed(name, happening.reason, happening.reason === noToken)
      return
    }
    const { outcome, status, reason } = happening
    // A walk that fails half-way got on.
    const gotOn = outcome !== 'failed' || happening.read > 0
    if (!gotOn) failed(name, reason ?? 'failed', status === 401 || status === 403)
    else if (outcome === 'complete' && isWholeWalk(happening)) readings.set(name, { kind: 'complete' })
    else if (readings.get(name)?.kind === 'reading') {
      readings.set(name, unread)
    }
  }

  return {
    report: happening => {
      see(happening)
      if (happening.kind === 'poll' || happening.kind === 'poll_fault') change.ring()
    },
    caughtUp: async (sources, signal) => {
      signal.addEventListener('abort', change.ring, { once: true })
      const streams = sources.flatMap(source => streamNames.map(stream => ({ source, stream })))
      const readingOf = (of: (typeof streams)[number]): Reading =>
        readings.get(nameOf(of.source, of.stream)) ?? unread
      while (streams.some(of => readingOf(of).kind === 'reading') && !signal.aborted) await change.rung()
      return streams.flatMap(of => {
        const reading = readingOf(of)
        return reading.kind === 'given_up' ? [{ ...of, reason: reading.reason }] : []
      })
    },
    deadSeen: () => dead,
  }
}
