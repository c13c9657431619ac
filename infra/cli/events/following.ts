import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { EventPages, OfStream } from '../../../shared/adapters/dynamodb/event-pages.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { eventIdRange, eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { hourOf, markSettledAfterMs } from '../../../shared/domain/release/due-marks.ts'
import type { ReconcileMarks } from '../../../shared/domain/release/reconcile-marks.ts'
import { daySeconds, minuteMs } from '../../../shared/domain/time-units.ts'

const streamsAtOnce = 8
/** Two hours of marks: a mark an hour and day, and the log knows some seventy days. */
const marksMax = 1_000
/** What a quick pass reads again: most records become visible in their order, and late by this at most. */
const lookBackSeconds = 120
/** Whole passes take a twentieth of the time at most. */
const wholePassShare = 20
const wholePassEveryMs = minuteMs
const wholePassEveryMsMax = 10 * minuteMs
/** How much later than its stamp an event may be in the log. */
const loggedLateMsMax = markSettledAfterMs

export type FollowingDeps = {
  /** Asked in each pass: sources come and go. */
  streams: () => Promise<readonly OfStream[]>
  marks: Pick<ReconcileMarks, 'list'>
  pages: Pick<EventPages, 'summaries'>
  clock: Pick<Clock, 'now'>
}

export interface Following {
  /** The events that were logged since the pass before, in the order of logging; the first pass returns what is known. */
  pass(): Promise<EventSummary[]>
  /** Not to be returned any more. */
  know(event: EventSummary): void
}

/** A day that is being written into: from which id on, and up to where it was read. */
type WrittenDay = { lowestId: string; readToSecond: number }

/**
 * What is new in a log that is sorted by the records' time, not by that of the writing. The poller's marks name the days
 * that are written into, and the lowest id: a whole pass reads all of that, so that late records are found too. Quick
 * passes between read the newest part of each day alone, unless a mark says that something lower was written.
 */
export const createFollowing = (deps: FollowingDeps): Following => {
  const { clock } = deps
  /** When each known event was logged, as far back as a pass may meet it. */
  const known = new Map<string, number>()
  const days = new Map<string, WrittenDay>()
  let wholePassAtMs = clock.now()
  let nextWholePassAtMs = wholePassAtMs

  const readStream = async (stream: OfStream, of: Pass): Promise<EventSummary[]> => {
    const found: EventSummary[] = []
    const fromHour = hourOf(of.loggedSinceMs)
    const lowest = new Map<string, string>()
    for (const { day, lowestId } of await deps.marks.list({ ...stream, fromHour, limit: marksMax })) {
      const before = lowest.get(day)
      if (before === undefined || lowestId < before) lowest.set(day, lowestId)
    }
    for (const [day, lowestId] of lowest) found.push(...(await readDay({ ...stream, day, lowestId }, of)))
    return found
  }

  const readDay = async (
    of: OfStream & { day: string; lowestId: string },
    pass: Pass,
  ): Promise<EventSummary[]> => {
    const { sourceId, stream, day, lowestId } = of
    const name = `${sourceId} ${stream} ${day}`
    const before = days.get(name)
    const isQuick = !pass.isWhole && before !== undefined && before.lowestId <= lowestId
    const fromId = isQuick ? laterId(lowestId, before.readToSecond - lookBackSeconds) : lowestId
    const found: EventSummary[] = []
    let readToSecond = before?.readToSecond ?? 0
    for (let after: string | null = null; ; ) {
      const query = {
        sourceId,
        stream,
        day,
        fromId,
        toId: lastIdOfDay(lowestId),
        order: 'oldest',
        after,
      } as const
      const page = await deps.pages.summaries(query)
      for (const event of page.items) {
        // A record of the future must not hide those of now.
        readToSecond = Math.max(readToSecond, Math.min(event.second, Math.floor(event.loggedAtMs / 1_000)))
        if (event.loggedAtMs >= pass.loggedSinceMs && !known.has(event.id)) found.push(event)
      }
      if (page.after === null) break
      after = page.after
    }
    days.set(name, { lowestId, readToSecond })
    return found
  }

  const endWholePass = (startedAtMs: number): void => {
    const nowMs = clock.now()
    const pauseMs = Math.max(wholePassEveryMs, (nowMs - startedAtMs) * wholePassShare)
    nextWholePassAtMs = nowMs + Math.min(pauseMs, wholePassEveryMsMax)
    wholePassAtMs = startedAtMs
    for (const [id, loggedAtMs] of known) if (loggedAtMs < startedAtMs - loggedLateMsMax) known.delete(id)
  }

  const know = (event: EventSummary): void => {
    // What was logged longer ago no pass returns.
    if (event.loggedAtMs >= wholePassAtMs - loggedLateMsMax) known.set(event.id, event.loggedAtMs)
  }

  return {
    know,
    pass: async () => {
      const startedAtMs = clock.now()
      const isWhole = startedAtMs >= nextWholePassAtMs
      const of = { isWhole, loggedSinceMs: wholePassAtMs - loggedLateMsMax }
      const found = await mapBounded(await deps.streams(), streamsAtOnce, stream => readStream(stream, of))
      const events = found.flat().sort(byLogging)
      for (const event of events) know(event)
      if (isWhole) endWholePass(startedAtMs)
      return events
    },
  }
}

type Pass = { isWhole: boolean; loggedSinceMs: number }

const byLogging = (one: EventSummary, other: EventSummary): number =>
  one.loggedAtMs - other.loggedAtMs || (one.id < other.id ? -1 : 1)

const laterId = (id: string, second: number): string => {
  const { first } = eventIdRange(second, second)
  return first > id ? first : id
}

const lastIdOfDay = (id: string): string => {
  const dayStart = Math.floor(eventSecond(id) / daySeconds) * daySeconds
  return eventIdRange(dayStart, dayStart + daySeconds - 1).last
}
