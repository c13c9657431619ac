import { expect, test } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { newestEvents } from '../../../shared/domain/polling/newest-events.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'

test('as many events as are asked for are read of the days that have them, and of no further day', async () => {
  const log = createMemoryEventLog()
  await log.record([30, 20, -10].map(second => sampleEvent(second, `at ${second}`)))
  const days: string[] = []
  const watched: typeof log = {
    ...log,
    newestOfDay: query => {
      if (query.stream === 'bounces') days.push(query.day)
      return log.newestOfDay(query)
    },
  }
  const of = { sources: [{ id: 'main' }], nowSecond: dayStart + 60, limit: 2 }
  const found = await newestEvents(watched, of)
  expect(found.map(({ recordId }) => recordId)).toEqual(['at 30', 'at 20'])
  expect(days).toEqual(['2026-11-21', '2026-11-20'])
})
