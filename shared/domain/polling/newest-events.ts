import { dayOfSecond } from '../feedback/event-id.ts'
import { type Source, streamNames } from '../source.ts'
import { daySeconds } from '../time-units.ts'
import { type EventLog, type EventSummary, eventLifeDays } from './event-log.ts'

/**
 * The newest events of the log over all streams of these sources, at most `limit`, the newest first: a day at a time, back
 * as far as events live.
 */
export const newestEvents = async (
  log: EventLog,
  of: { sources: readonly Pick<Source, 'id'>[]; nowSecond: number; limit: number },
): Promise<EventSummary[]> => {
  const streams = of.sources.flatMap(({ id }) => streamNames.map(stream => ({ sourceId: id, stream })))
  const found: EventSummary[] = []
  // A service whose clock is ahead of ours has records of tomorrow.
  const untilSecond = of.nowSecond + daySeconds
  for (let back = 0; back <= eventLifeDays + 1 && found.length < of.limit; back += 1) {
    const second = untilSecond - back * daySeconds
    if (second < 0) break
    const ofDay = await Promise.all(
      streams.map(stream =>
        log.newestOfDay({ ...stream, day: dayOfSecond(second), untilSecond, limit: of.limit }),
      ),
    )
    found.push(...ofDay.flat().sort((one, other) => other.second - one.second))
  }
  return found.slice(0, of.limit)
}
