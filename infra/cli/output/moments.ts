import { showDuration } from '../../local/durations.ts'
import type { Look } from './look.ts'

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

/** On a terminal of fewer columns the rest of a row needs the place of a moment. */
const momentColumnsMin = 100
const momentWidth = 20
const ageWidth = 11
const yearWidth = 5

/** Whether rows are short of room. */
export const isNarrow = ({ columns }: Pick<Look, 'columns'>): boolean =>
  columns !== null && columns < momentColumnsMin

/** The moment of a row that stays on the screen while time goes on: on a narrow terminal without its year. */
export const rowMoments = (look: Pick<Look, 'columns'>): { width: number; show: (ms: number) => string } =>
  isNarrow(look)
    ? { width: momentWidth - yearWidth, show: ms => showMoment(ms).slice(yearWidth) }
    : { width: momentWidth, show: showMoment }

/** How a list of rows tells when: the moment; on a narrow terminal how long ago it was, which no row is broken for. */
export const listedMoments = (
  look: Pick<Look, 'columns'>,
  nowMs: number,
): { width: number; show: (ms: number) => string } =>
  isNarrow(look)
    ? { width: ageWidth, show: ms => showAge(ms, nowMs) }
    : { width: momentWidth, show: showMoment }
