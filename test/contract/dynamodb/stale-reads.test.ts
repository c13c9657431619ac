import { expect, it } from 'vitest'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { idAt } from '../support/samples.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()
const stream = { sourceId: 'main', stream: 'bounces' } as const
const range = { ...stream, firstId: idAt(0), lastId: idAt(9) }
const byKey = { ...stream, ids: [idAt(0)] }

/** Whether what is asked of the table is asked for consistently, one after the other. */
const consistencyOf = async (read: (table: Awaited<ReturnType<typeof tables.fresh>>) => Promise<unknown>) => {
  const table = await tables.fresh()
  const asked: boolean[] = []
  table.client.middlewareStack.add(
    next => args => {
      asked.push(/"ConsistentRead":true/.test(JSON.stringify(args.input)))
      return next(args)
    },
    { step: 'initialize' },
  )
  await read(table)
  return asked
}

it('the log is read without consistency where a stale answer will do, and nowhere else', async () => {
  expect(await consistencyOf(table => createEventLog(table).idsInRange(range))).toEqual([true])
  expect(await consistencyOf(table => createEventLog(table).existing(byKey))).toEqual([true])
  expect(
    await consistencyOf(table => createEventLog(table).idsInRange({ ...range, staleWillDo: true })),
  ).toEqual([false])
  expect(
    await consistencyOf(table => createEventLog(table).existing({ ...byKey, staleWillDo: true })),
  ).toEqual([false])
})

it('what reconcile goes through, it reads of the log with consistency, and of the deliveries without', async () => {
  const page = { ...stream, day: '2026-11-20', fromId: idAt(0), limit: 10 }
  expect(await consistencyOf(table => createEventLog(table).pageOfDay(page))).toEqual([true])
  const ids = { endpointId: 'shop', firstEventId: idAt(0), lastEventId: idAt(9) }
  expect(await consistencyOf(table => createDeliveryStore(table).eventIds(ids))).toEqual([false])
})

it('what the dispatcher reads before it sends, it reads with consistency', async () => {
  const key = { endpointId: 'shop', eventId: idAt(0) }
  expect(await consistencyOf(table => createDeliveryStore(table).readMany([key]))).toEqual([true])
  expect(await consistencyOf(table => createDeliveryStore(table).read(key))).toEqual([true])
})
