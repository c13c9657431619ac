import type { Clock } from '../clock.ts'
import type { Reporter } from '../happenings.ts'
import type { Source, StreamName } from '../source.ts'
import type { Cursor, CursorKey, CursorName, CursorStore } from './cursor.ts'
import type { Enqueue } from './enqueue.ts'
import type { EventLog } from './event-log.ts'
import { type Intake, type IntakeResult, memoryFrom, type ReadPage } from './intake.ts'
import type { KnownRecords } from './known-records.ts'
import type { FetchResult, Purpose, RequestGate } from './request-gate.ts'
import type { Ask } from './walk-state.ts'

/** What the walks of one stream share, for the life of a process. */
export type StreamContext = {
  source: Source
  stream: StreamName
  cursors: CursorStore
  log: EventLog
  known: KnownRecords
  intake: Intake
  /** Writes events to the log with no endpoints, and tells nobody: what `latest` finds at its start. */
  logAsSeen: Enqueue
  reporter: Reporter
  clock: Clock
}

export const streamOf = (context: StreamContext): { sourceId: string; stream: StreamName } => ({
  sourceId: context.source.id,
  stream: context.stream,
})

export const cursorKey = (context: StreamContext, name: CursorName): CursorKey => ({
  ...streamOf(context),
  name,
})

/**
 * Which records may be sent, by the main cursor. What the log remembers is a matter of our clock; the service's counts
 * only where it is behind: one that is far ahead would declare every record too old.
 */
export const intakeRules = (
  context: Pick<StreamContext, 'clock'>,
  cursor: Cursor,
  serviceSecond: number,
) => ({
  // A start that is not yet found out sends nothing: nobody knows where it begins.
  floorSecond: cursor.floorSecond ?? Number.POSITIVE_INFINITY,
  memoryFromSecond: cursor.firstWalkComplete
    ? memoryFrom(Math.min(serviceSecond, Math.floor(context.clock.now() / 1000)))
    : null,
})

/** Takes in a page of a walk, by what the main cursor is at that moment. */
export const takePage = (
  context: StreamContext,
  gate: RequestGate,
  cursor: Cursor,
  page: ReadPage,
): Promise<IntakeResult> =>
  context.intake(page, intakeRules(context, cursor, gate.serviceSecond()), gate.isOurs)

export const fetchAsk = (
  gate: RequestGate,
  stream: StreamName,
  ask: Ask,
  purpose: Purpose,
): Promise<FetchResult> =>
  gate.fetch(
    ask.kind === 'next'
      ? { stream, order: 'asc', lastId: null, nextQuery: ask.query }
      : { stream, order: 'asc', lastId: ask.anchor?.uuid ?? null, nextQuery: null },
    purpose,
  )
