import { describe, expect, it } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { anchorBefore } from '../../../shared/domain/polling/anchors-in-log.ts'
import { eventLifeDays } from '../../../shared/domain/polling/event-log.ts'
import { dayStart, sampleEvent } from '../../contract/support/samples.ts'
import { of } from './start-harness.ts'

const day = 86_400

/** The anchor before a second of the day, in a log of these; and the days that are asked for it. */
const anchorOf = async (second: number, logged: readonly number[]) => {
  const log = createMemoryEventLog()
  await log.record(logged.map(one => sampleEvent(one, `record ${one}`)))
  const days: string[] = []
  const watched = {
    ...log,
    newestOfDay: (query: Parameters<typeof log.newestOfDay>[0]) => {
      days.push(query.day)
      return log.newestOfDay(query)
    },
  }
  return { anchor: await anchorBefore(watched, of, dayStart + second), days }
}
const anchorAt = (second: number) => ({ uuid: `record ${second}`, second: dayStart + second })

describe('the anchor before a second', () => {
  it('is the newest record of the log of an earlier second, by one read where that is of the same day', async () => {
    expect(await anchorOf(100, [10, 99, 100, 101])).toEqual({ anchor: anchorAt(99), days: ['2026-11-20'] })
  })

  it('is looked for a day at a time, from the day of the second before', async () => {
    expect(await anchorOf(0, [-1, 0])).toEqual({ anchor: anchorAt(-1), days: ['2026-11-19'] })
    const { anchor, days } = await anchorOf(1, [-2 * day])
    expect(anchor).toEqual(anchorAt(-2 * day))
    expect(days).toEqual(['2026-11-20', '2026-11-19', '2026-11-18'])
  })

  it('is looked for as far back as events live, and no further', async () => {
    const oldest = -eventLifeDays * day
    const { anchor, days } = await anchorOf(50, [oldest])
    expect(anchor).toEqual(anchorAt(oldest))
    expect([days.length, days.at(-1)]).toEqual([eventLifeDays + 1, '2026-10-16'])
    const older = await anchorOf(50, [oldest - day])
    expect([older.anchor, older.days.length]).toEqual([null, eventLifeDays + 1])
  })

  it('is looked for no further back than 1970, whose first second may have one', async () => {
    const first = -dayStart
    expect(await anchorOf(first + 1, [first])).toEqual({ anchor: anchorAt(first), days: ['1970-01-01'] })
    expect(await anchorOf(first + 1, [])).toEqual({ anchor: null, days: ['1970-01-01'] })
    expect(await anchorOf(first, [first])).toEqual({ anchor: null, days: [] })
    const { days } = await anchorOf(first + day + 1, [])
    expect(days).toEqual(['1970-01-02', '1970-01-01'])
  })
})
