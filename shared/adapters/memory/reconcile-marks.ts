import type { ReconcileMark, ReconcileMarks } from '../../domain/release/reconcile-marks.ts'
import { byText } from './order.ts'

const hourDigits = 8

const textOf = ({ sourceId, stream, hour, day }: Omit<ReconcileMark, 'lowestId'>): string =>
  `${sourceId}#${stream}#${String(hour).padStart(hourDigits, '0')}#${day}`

/** Marks in memory. */
export const createMemoryReconcileMarks = (): ReconcileMarks => {
  const marks = new Map<string, ReconcileMark>()
  return {
    lower: async mark => {
      const known = marks.get(textOf(mark))
      if (!known || known.lowestId > mark.lowestId) marks.set(textOf(mark), structuredClone(mark))
    },
    list: async ({ sourceId, stream, fromHour, limit }) =>
      structuredClone(
        [...marks.values()]
          .filter(mark => mark.sourceId === sourceId && mark.stream === stream && mark.hour >= fromHour)
          .sort(byText(textOf))
          .slice(0, limit),
      ),
    remove: async mark => {
      if (marks.get(textOf(mark))?.lowestId === mark.lowestId) marks.delete(textOf(mark))
    },
  }
}
