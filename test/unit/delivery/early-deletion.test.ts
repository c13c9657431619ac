import { expect, test } from 'vitest'
import { deletedEarlyAfterMs } from '../../../shared/domain/delivery/early-deletion.ts'
import { answered, createHarness, idOf, receivedOf, settled } from './harness.ts'

const quick = { eventId: idOf('quick') }
const slow = { eventId: idOf('slow') }

const withSlowNeighbour = async () => {
  let answer = (): void => {}
  const waiting = new Promise<void>(resolve => {
    answer = resolve
  })
  const harness = await createHarness({
    answer: async ({ headers }) => {
      if (headers['webhook-id'] === slow.eventId) await waiting
      return answered(200)
    },
  })
  return { ...harness, answer: () => answer() }
}

test('what is settled is deleted once a neighbour has kept it waiting for a second, and only then', async () => {
  const harness = await withSlowNeighbour()
  const batch = [receivedOf(quick), receivedOf(slow)]
  const dispatched = harness.dispatch(batch)
  await settled()
  await harness.turn(deletedEarlyAfterMs - 1)
  expect(harness.deleted).toEqual([])
  await harness.turn(1)
  expect(harness.deleted).toEqual([batch[0]?.messageId])
  await harness.turn(deletedEarlyAfterMs)
  harness.answer()
  expect(await dispatched).toEqual({ failedMessageIds: [] })
  expect(harness.deleted).toEqual([batch[0]?.messageId])
})

test('a batch that ends within a second deletes nothing itself', async () => {
  const harness = await createHarness()
  await harness.dispatch([receivedOf(quick), receivedOf(slow)])
  await harness.turn(10 * deletedEarlyAfterMs)
  expect(harness.deleted).toEqual([])
})

test('a deletion that fails is told, and the batch goes on', async () => {
  const harness = await withSlowNeighbour()
  const deleteMessages = async () => {
    throw new Error('no answer')
  }
  const dispatched = harness.dispatch([receivedOf(quick), receivedOf(slow)], { deleter: { deleteMessages } })
  await settled()
  await harness.turn(deletedEarlyAfterMs)
  harness.answer()
  expect(await dispatched).toEqual({ failedMessageIds: [] })
  expect(harness.happenings.filter(({ kind }) => kind === 'fault')).toMatchObject([{ reason: 'unexpected' }])
  expect(harness.posts).toHaveLength(2)
})
