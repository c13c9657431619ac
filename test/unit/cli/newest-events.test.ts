import { expect, test } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { newestEvents } from '../../../shared/domain/polling/newest-events.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'

const day = 86_400

test('the newest events come over all streams and days, newest first, and no more than asked for', async () => {
  const log = createMemoryEventLog()
  const seconds = [60, 7_200, -10, -3 * day, -20 * day]
  await log.record(seconds.map(second => sampleEvent(second, `b${second}`)))
  await log.record([
    sampleEvent(3_600, 'c', { stream: 'complaints', type: 'email.complaint' }),
    sampleEvent(5_000, 'o', { sourceId: 'other' }),
  ])
  const newest = async (limit: number, ids = ['main']) => {
    const of = { sources: ids.map(id => ({ id })), nowSecond: dayStart + 10_000, limit }
    return (await newestEvents(log, of)).map(({ second }) => second - dayStart)
  }
  expect(await newest(100)).toEqual([7_200, 3_600, 60, -10, -3 * day, -20 * day])
  expect(await newest(3)).toEqual([7_200, 3_600, 60])
  expect(await newest(2, ['main', 'other'])).toEqual([7_200, 5_000])
  expect(await newest(100, [])).toEqual([])
})
