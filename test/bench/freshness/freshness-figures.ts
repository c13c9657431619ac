import { percentile } from '../isolation/percentiles.ts'
import type { RecordTimes, WorldReport } from './world-messages.ts'
import { worstMinute } from './worst-minute.ts'

/** Of a run: records that became visible in it count, from `fromMs` on and before `untilMs`. */
export type Span = { fromMs: number; untilMs: number }

export type FreshnessFigures = {
  p50: number
  p99: number
  max: number
  /** Counted records that had not arrived when the run ended: where there are any, ages are lower bounds. */
  'not arrived': number
  'arrived a second': number
  /** Seconds that the oldest record without arrival was old when the measured time ended: grows where the bridge does not keep up. */
  behind: number
  'requests a minute': number
  /** Requests in the worst 60 s of the whole run. */
  'worst minute': number
}

/** `endedMs`: when the report was made. A record that has not arrived by then is at least as old as it is then. */
export const freshnessFigures = (report: WorldReport, span: Span, endedMs: number): FreshnessFigures => {
  const { fromMs, untilMs } = span
  const isIn = (atMs: number): boolean => atMs >= fromMs && atMs < untilMs
  const counted = report.records.filter(({ visibleAtMs }) => isIn(visibleAtMs))
  const ages = counted.map(({ visibleAtMs, arrivedAtMs }) => ((arrivedAtMs ?? endedMs) - visibleAtMs) / 1_000)
  const seconds = (untilMs - fromMs) / 1_000
  const within = (times: readonly number[]): number => times.filter(isIn).length / seconds
  return {
    p50: percentile(ages, 0.5),
    p99: percentile(ages, 0.99),
    max: percentile(ages, 1),
    'not arrived': counted.filter(({ arrivedAtMs }) => arrivedAtMs === null).length,
    'arrived a second': within(report.records.map(({ arrivedAtMs }) => arrivedAtMs ?? endedMs)),
    behind: behindMs(report.records, untilMs) / 1_000,
    'requests a minute': within(report.requestedAtMs) * 60,
    'worst minute': worstMinute(report.requestedAtMs),
  }
}

const behindMs = (records: readonly RecordTimes[], atMs: number): number =>
  records.reduce((most, { visibleAtMs, arrivedAtMs }) => {
    const isMissing = arrivedAtMs === null || arrivedAtMs > atMs
    return isMissing ? Math.max(most, atMs - visibleAtMs) : most
  }, 0)
