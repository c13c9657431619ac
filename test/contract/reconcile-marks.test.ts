import { describe, expect, it } from 'vitest'
import { createReconcileMarks } from '../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createMemoryReconcileMarks } from '../../shared/adapters/memory/reconcile-marks.ts'
import type { ReconcileMark, ReconcileMarks } from '../../shared/domain/release/reconcile-marks.ts'
import { day, idAt } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const ofStream = { sourceId: 'main', stream: 'bounces' } as const
const mark = (hour: number, second: number, ofDay = day): ReconcileMark => ({
  ...ofStream,
  hour,
  day: ofDay,
  lowestId: idAt(second),
})
const all = { ...ofStream, fromHour: 0, limit: 100 }

const describeReconcileMarks = (name: string, create: () => Promise<ReconcileMarks>) =>
  describe(`reconcile marks: ${name}`, () => {
    it('keeps the lowest id of an hour and day', async () => {
      const marks = await create()
      for (const second of [50, 20, 80]) await marks.lower(mark(498_648, second))
      expect(await marks.list(all)).toEqual([mark(498_648, 20)])
    })

    it('lists marks in the order of hour and day, from an hour on, up to a limit', async () => {
      const marks = await create()
      const inOrder = [mark(9, 1), mark(498_648, 1, '2026-11-01'), mark(498_648, 1), mark(498_650, 1)]
      for (const each of inOrder.toReversed()) await marks.lower(each)
      await marks.lower({ ...mark(498_648, 1), stream: 'complaints' })
      expect(await marks.list(all)).toEqual(inOrder)
      expect(await marks.list({ ...all, fromHour: 498_648 })).toEqual(inOrder.slice(1))
      expect(await marks.list({ ...all, limit: 2 })).toEqual(inOrder.slice(0, 2))
    })

    it('removes a mark as it was read, and leaves one that was lowered since', async () => {
      const marks = await create()
      await marks.lower(mark(1, 50))
      await marks.lower(mark(2, 50))
      await marks.lower(mark(2, 40))
      for (const hour of [1, 2, 3]) await marks.remove(mark(hour, 50))
      expect(await marks.list(all)).toEqual([mark(2, 40)])
    })
  })

const tables = useTables()
describeReconcileMarks('twin in memory', async () => createMemoryReconcileMarks())
describeReconcileMarks('DynamoDB', async () => createReconcileMarks(await tables.fresh()))
