import { describe, expect, test } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { newestEvents } from '../../../shared/domain/polling/newest-events.ts'
import { reportStreamState } from '../../../shared/domain/polling/stream-state.ts'
import { createTestClock, nowMs } from '../delivery/harness.ts'
import { eventOf } from '../release/harness.ts'

const daySeconds = 86_400
const nowSecond = nowMs / 1_000

describe('how long ago a walk was last complete', () => {
  /** What is told; `inTable`: the last complete walk that the cursor knows, undefined where there is no cursor. */
  const told = async (of: { here: number | null; inTable?: number | null; isDown?: boolean }) => {
    const cursors = createMemoryCursorStore()
    const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
    if (of.inTable !== undefined) {
      await cursors.commit(key, { ...emptyCursor, lastCompleteWalkAtMs: of.inTable }, null)
    }
    const happenings: Happening[] = []
    let reads = 0
    await reportStreamState(
      {
        ...{ sourceId: 'main', stream: 'bounces' },
        lastCompleteAtMs: of.here,
        firstTakenAtMs: nowMs - 500_000,
      },
      {
        cursors: {
          ...cursors,
          read: async asked => {
            reads += 1
            if (of.isDown) throw new Error('no table')
            return cursors.read(asked)
          },
        },
        clock: createTestClock().clock,
        reporter: { report: happening => void happenings.push(happening) },
      },
    )
    const [one] = happenings
    if (one?.kind !== 'stream_state' || happenings.length !== 1) throw new Error('it is told once')
    return { seconds: one.sinceCompleteWalkSeconds, ever: one.everComplete, reads }
  }

  test.each<[string, Parameters<typeof told>[0], Awaited<ReturnType<typeof told>>]>([
    ['this process saw one just now', { here: nowMs - 59_999 }, { seconds: 59.999, ever: true, reads: 0 }],
    [
      'this process saw one a minute ago, and another a later one',
      { here: nowMs - 60_000, inTable: nowMs - 5_000 },
      { seconds: 5, ever: true, reads: 1 },
    ],
    [
      'this process saw the later one',
      { here: nowMs - 60_000, inTable: nowMs - 90_000 },
      { seconds: 60, ever: true, reads: 1 },
    ],
    ['another saw one', { here: null, inTable: nowMs - 90_000 }, { seconds: 90, ever: true, reads: 1 }],
    ['nobody saw one', { here: null, inTable: null }, { seconds: 500, ever: false, reads: 1 }],
    ['there is no cursor', { here: null }, { seconds: 500, ever: false, reads: 1 }],
    ['the table can not be asked', { here: null, isDown: true }, { seconds: 500, ever: false, reads: 1 }],
    ['the clock was set back', { here: nowMs + 5_000 }, { seconds: 0, ever: true, reads: 0 }],
    [
      'the last one was before the source was taken',
      { here: null, inTable: nowMs - 900_000 },
      { seconds: 500, ever: true, reads: 1 },
    ],
  ])('where %s', async (_, of, expected) => {
    expect(await told(of)).toEqual(expected)
  })
})

describe('the newest events of the log', () => {
  const read = async (
    events: Parameters<typeof eventOf>[],
    of: { limit: number; nowSecond?: number; sources?: string[] },
  ) => {
    const log = createMemoryEventLog()
    await log.record(events.map(event => eventOf(...event)))
    const days: string[] = []
    const watched = {
      ...log,
      newestOfDay: (query: Parameters<typeof log.newestOfDay>[0]) => {
        days.push(`${query.sourceId} ${query.stream} ${query.day}`)
        return log.newestOfDay(query)
      },
    }
    const sources = (of.sources ?? ['main']).map(id => ({ id }))
    const found = await newestEvents(watched, {
      sources,
      nowSecond: of.nowSecond ?? nowSecond,
      limit: of.limit,
    })
    return { uuids: found.map(({ recordId }) => recordId), days }
  }

  test('are those of all streams of a day together, the newest first, and those of tomorrow among them', async () => {
    const { uuids } = await read(
      [
        ['old', { second: nowSecond - 3 * daySeconds }],
        ['a', { second: nowSecond - 30 }],
        ['b', { second: nowSecond - 20, stream: 'complaints' }],
        ['c', { second: nowSecond - 10 }],
        ['tomorrow', { second: nowSecond + daySeconds - 60 }],
      ],
      { limit: 10 },
    )
    expect(uuids).toEqual(['tomorrow', 'c', 'b', 'a', 'old'])
  })

  test('are no more than were asked for, and no further day is read for them', async () => {
    const { uuids, days } = await read(
      [
        ['a', { second: nowSecond - 1 }],
        ['b', { second: nowSecond - 2, stream: 'complaints' }],
        ['c', { second: nowSecond - 3 }],
      ],
      { limit: 2 },
    )
    expect(uuids).toEqual(['a', 'b'])
    expect(days).toEqual([
      'main bounces 2026-11-21',
      'main complaints 2026-11-21',
      'main bounces 2026-11-20',
      'main complaints 2026-11-20',
    ])
  })

  test('are looked for as far back as events live, and not before 1970', async () => {
    expect((await read([], { limit: 1 })).days).toHaveLength(2 * 37)
    expect((await read([], { limit: 1, nowSecond: 0 })).days).toEqual([
      ...['main bounces 1970-01-02', 'main complaints 1970-01-02'],
      ...['main bounces 1970-01-01', 'main complaints 1970-01-01'],
    ])
    expect((await read([], { limit: 1, sources: [] })).uuids).toEqual([])
  })
})
