import { fraction } from './hash.ts'
import { firstIndex } from './search.ts'

/** When the records of a stream are logged and when they show: a function of seed and index alone. */
export type Schedule = {
  /** How many there will ever be; may be infinite. */
  total: number
  /** `timelogged`: Unix seconds, never falling with the index. */
  secondOf(index: number): number
  /** From when the list shows it: Unix milliseconds. */
  visibleAtMs(index: number): number
  /** The first index with a second at or after this one. */
  firstFromSecond(second: number): number
  /** Below it every record is visible, whether it was late or not. */
  firstUnsettled(nowMs: number): number
  /** From it on no record is visible. */
  firstInvisible(nowMs: number): number
}

export type ScheduleOptions = {
  /** Differs by stream, so that the streams are late independently. */
  seed: number
  startMs: number
  /** Records before the start, spread evenly over the span. */
  backlog: number
  backlogSpanMs: number
  /** Records from the start on; infinite where nothing stops them. */
  live: number
  ratePerSecond: number
  /** So many successive records share one `timelogged`. */
  ties: number
  lagMs: number
  lateMs: number
  lateShare: number
}

export const createSchedule = (options: ScheduleOptions): Schedule => {
  const { seed, startMs, backlog, backlogSpanMs, ratePerSecond, ties, lagMs, lateMs, lateShare } = options
  const live = ratePerSecond > 0 ? options.live : 0
  const total = backlog + live

  const backlogTickMs = (tick: number): number =>
    Math.min(startMs, startMs - backlogSpanMs + Math.floor((tick * ties * backlogSpanMs) / backlog))
  const liveTickMs = (tick: number): number => startMs + Math.floor((tick * ties * 1000) / ratePerSecond)
  const tickMs = (index: number): number =>
    index < backlog
      ? backlogTickMs(Math.floor(index / ties))
      : liveTickMs(Math.floor((index - backlog) / ties))

  // The records of a tick show one after the other while its second lasts, so that a poll can fall among them; never
  // after a record of the next tick, since a list without late records only grows at its end.
  const onTimeMs = (index: number): number => {
    const place = index < backlog ? index : index - backlog
    const offset = place % ties
    const from = tickMs(index)
    if (offset === 0) return from + lagMs
    const nextTick = Math.floor(place / ties) + 1
    const nextTickMs = index < backlog ? backlogTickMs(nextTick) : liveTickMs(nextTick)
    const until = Math.min(nextTickMs, (Math.floor(from / 1000) + 1) * 1000)
    return from + Math.floor(((until - from) * offset) / ties) + lagMs
  }

  const lateByMs = (index: number): number =>
    lateMs > 0 && fraction(seed, 'isLate', index) < lateShare
      ? Math.ceil(fraction(seed, 'lateness', index) * lateMs)
      : 0

  /** No record from here on has a tick at or before `ms` (a tick is rounded down to it); bounds the searches. */
  const boundAt = (ms: number): number => {
    const sinceStart = Math.max(0, Math.ceil(((ms + 1 - startMs) / 1000) * ratePerSecond))
    return Math.min(total, backlog + ties + 1 + sinceStart)
  }

  return {
    total,
    secondOf: index => Math.floor(tickMs(index) / 1000),
    visibleAtMs: index => onTimeMs(index) + lateByMs(index),
    firstFromSecond: second => firstIndex(0, boundAt(second * 1000), index => tickMs(index) >= second * 1000),
    firstUnsettled: nowMs => firstIndex(0, boundAt(nowMs), index => onTimeMs(index) + lateMs > nowMs),
    firstInvisible: nowMs => firstIndex(0, boundAt(nowMs), index => onTimeMs(index) > nowMs),
  }
}
