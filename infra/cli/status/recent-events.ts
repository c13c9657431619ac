import { dayOfSecond } from '../../../shared/domain/feedback/event-id.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import type { StreamName } from '../../../shared/domain/source.ts'

/** Events looked at of a stream: enough for a look, and some cents a year. */
export const recentEventsMax = 500
export const recentHours = 24
const hourSeconds = 3_600

export type RecentEvents = {
  count: number
  /** There are more than were looked at. */
  atLeast: boolean
  /** Of each hour, the oldest first, by the records' time; null where it was not looked at to its end. */
  byHour: readonly (number | null)[]
}

/** The events of the last day by hour, newest first as far as is looked at. */
export const recentEvents = async (
  log: Pick<EventLog, 'newestOfDay'>,
  of: { sourceId: string; stream: StreamName; nowMs: number },
): Promise<RecentEvents> => {
  const { sourceId, stream, nowMs } = of
  const untilSecond = Math.floor(nowMs / 1_000)
  const fromSecond = untilSecond - recentHours * hourSeconds
  const seconds: number[] = []
  for (const second of [untilSecond, fromSecond]) {
    const limit = recentEventsMax - seconds.length
    if (limit <= 0) break
    const query = { sourceId, stream, day: dayOfSecond(second), untilSecond, limit }
    seconds.push(...(await log.newestOfDay(query)).map(event => event.second))
  }
  const recent = seconds.filter(second => second > fromSecond)
  const atLeast = recent.length >= recentEventsMax
  return { count: recent.length, atLeast, byHour: byHourOf(recent, { fromSecond, atLeast }) }
}

const byHourOf = (
  seconds: readonly number[],
  { fromSecond, atLeast }: { fromSecond: number; atLeast: boolean },
): (number | null)[] => {
  const hourOf = (second: number): number =>
    Math.min(recentHours - 1, Math.floor((second - fromSecond - 1) / hourSeconds))
  const counts = Array.from({ length: recentHours }, () => 0)
  for (const second of seconds) counts[hourOf(second)] = (counts[hourOf(second)] ?? 0) + 1
  const oldest = seconds.at(-1)
  const firstKnown = atLeast && oldest !== undefined ? hourOf(oldest) + 1 : 0
  return counts.map((count, hour) => (hour < firstKnown ? null : count))
}
