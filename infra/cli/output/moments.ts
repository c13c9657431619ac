import { showDuration } from '../../local/durations.ts'

/** A moment for machines. */
export const isoOf = (ms: number): string => new Date(ms).toISOString()
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms))
export const isoOfSecond = (second: number | null): string | null =>
  second === null ? null : isoOf(second * 1_000)

/** A moment for people, in UTC: `2026-11-20 09:30:00Z`. */
export const showMoment = (ms: number): string => isoOf(ms).replace('T', ' ').replace(/\.\d+/, '')

/** A moment with how far off it is: `2026-11-20 09:30:00Z (3 min ago)`. */
export const showMomentAndAge = (ms: number, nowMs: number): string =>
  `${showMoment(ms)} (${showAge(ms, nowMs)})`

/** How far off a moment is: `3 min ago`, `in 2.0 h`. */
export const showAge = (ms: number, nowMs: number): string =>
  ms <= nowMs ? `${showDuration(nowMs - ms)} ago` : `in ${showDuration(ms - nowMs)}`
