import type { StreamName } from '../source.ts'
import { hourMs } from '../time-units.ts'
import type { ReconcileMark, ReconcileMarks } from './reconcile-marks.ts'

/** An event is compared when it was logged longer ago than this: the queue had its time. */
export const reconciledAfterMs = hourMs
/** How long after its hour a mark may still be set for: between marking and logging a poller may be held up. */
export const markSettledAfterMs = 15 * 60_000
/** Marks in memory at once. */
export const marksAtOnceMax = 1_000

/** The marks of one day of events: they are compared in one pass, from the lowest of their ids. */
export type DayToReconcile = {
  sourceId: string
  stream: StreamName
  day: string
  lowestId: string
  marks: readonly ReconcileMark[]
}

export const hourOf = (atMs: number): number => Math.floor(atMs / hourMs)
const endOfHourMs = (hour: number): number => (hour + 1) * hourMs

/** Whether no poller can still be writing under a mark. */
export const isSettled = (mark: ReconcileMark, nowMs: number): boolean =>
  endOfHourMs(mark.hour) + markSettledAfterMs <= nowMs

/** The days that one stream's marks name, earliest mark first: those whose events are old enough, or all. */
export const daysToReconcile = async (
  of: { sourceId: string; stream: StreamName; nowMs: number; all: boolean },
  marks: ReconcileMarks,
): Promise<DayToReconcile[]> => {
  const { sourceId, stream, nowMs } = of
  const lastHour = of.all ? hourOf(nowMs) : hourOf(nowMs - reconciledAfterMs - markSettledAfterMs) - 1
  const days = new Map<string, DayToReconcile>()
  let fromHour = 0
  for (;;) {
    const page = await marks.list({ sourceId, stream, fromHour, limit: marksAtOnceMax })
    for (const mark of page) {
      if (mark.hour <= lastHour) days.set(mark.day, withMark(days.get(mark.day), mark))
    }
    const last = page.at(-1)
    if (last === undefined || page.length < marksAtOnceMax || last.hour > lastHour) return [...days.values()]
    // The last hour may be cut off: asked for again, unless it fills a page alone.
    fromHour = last.hour > fromHour ? last.hour : last.hour + 1
  }
}

const withMark = (known: DayToReconcile | undefined, mark: ReconcileMark): DayToReconcile => {
  if (known === undefined) return { ...mark, marks: [mark] }
  // A page that overlaps the one before shows a mark twice.
  if (known.marks.some(({ hour }) => hour === mark.hour)) return known
  const marks = [...known.marks, mark]
  return mark.lowestId < known.lowestId ? { ...known, lowestId: mark.lowestId, marks } : { ...known, marks }
}
