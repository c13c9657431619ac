import { describe, expect, test } from 'vitest'
import type { EventSummary, LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import {
  daysToReconcile,
  isSettled,
  markSettledAfterMs,
  marksAtOnceMax,
} from '../../../shared/domain/release/due-marks.ts'
import { reconcile } from '../../../shared/domain/release/reconcile.ts'
import type { ReconcileMark, ReconcileMarks } from '../../../shared/domain/release/reconcile-marks.ts'
import { sendMissing } from '../../../shared/domain/release/send-missing.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { endpointOf, idOf, nowMs } from '../delivery/harness.ts'
import { createHarness, eventOf } from './harness.ts'

const stream = { sourceId: 'main', stream: 'bounces' } as const
const markOf = (hour: number, day: string, lowestId = 'b'): ReconcileMark => ({
  ...stream,
  hour,
  day,
  lowestId,
})
const byHour = (one: ReconcileMark, other: ReconcileMark) =>
  one.hour - other.hour || one.day.localeCompare(other.day)

/** Marks that are listed as the table lists them; `asked` says from which hours on. */
const listing = (stored: readonly ReconcileMark[]) => {
  const asked: number[] = []
  const marks: ReconcileMarks = {
    lower: async () => {},
    remove: async () => {},
    list: async ({ fromHour, limit }) => {
      asked.push(fromHour)
      return stored
        .filter(({ hour }) => hour >= fromHour)
        .toSorted(byHour)
        .slice(0, limit)
    },
  }
  return { marks, asked }
}
/** So many marks of one hour, each of a day of its own. */
const fillHour = (hour: number, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => markOf(hour, `day ${String(from + at).padStart(5, '0')}`))

const all = { ...stream, nowMs: 100 * hourMs, all: true }

describe('the days that marks name', () => {
  test('have each the lowest id of their marks, and every mark once, the earliest first', async () => {
    const stored = [markOf(3, 'x', 'b'), markOf(4, 'y', 'm'), markOf(5, 'x', 'c'), markOf(6, 'x', 'a')]
    expect(await daysToReconcile(all, listing(stored).marks)).toEqual([
      { ...stream, hour: 3, day: 'x', lowestId: 'a', marks: [stored[0], stored[2], stored[3]] },
      { ...stream, hour: 4, day: 'y', lowestId: 'm', marks: [stored[1]] },
    ])
  })

  test('are asked for once where there are fewer marks than a page holds', async () => {
    const { marks, asked } = listing(fillHour(3, marksAtOnceMax - 1))
    expect(await daysToReconcile(all, marks)).toHaveLength(marksAtOnceMax - 1)
    expect(asked).toEqual([0])
  })

  test('are all there where a page ends within an hour, whose rest is asked for with it', async () => {
    const stored = [...fillHour(3, marksAtOnceMax - 10), ...fillHour(4, 30)]
    const { marks, asked } = listing(stored)
    const days = await daysToReconcile(all, marks)
    expect(days).toHaveLength(marksAtOnceMax - 10)
    expect(days.flatMap(day => day.marks)).toHaveLength(stored.length)
    expect(asked).toEqual([0, 4])
  })

  test('go on behind an hour that fills a page alone, and never round in a circle', async () => {
    const stored = [markOf(2, 'early'), ...fillHour(3, 2 * marksAtOnceMax), markOf(4, 'late')]
    const { marks, asked } = listing(stored)
    const days = await daysToReconcile(all, marks)
    expect(asked).toEqual([0, 3, 4])
    expect([days[0]?.day, days.at(-1)?.day]).toEqual(['early', 'late'])
  })

  test('are asked for no further than the hour up to which they are due', async () => {
    const nowHour = 100
    const settled = nowHour - 2
    const stored = [...fillHour(settled, marksAtOnceMax - 1), markOf(settled + 1, 'young')]
    const { marks, asked } = listing([...stored, ...fillHour(settled + 2, 5)])
    const of = { ...stream, nowMs: nowHour * hourMs + markSettledAfterMs, all: false }
    const days = await daysToReconcile(of, marks)
    expect(days.map(({ day }) => day)).not.toContain('young')
    expect(days).toHaveLength(marksAtOnceMax - 1)
    expect(asked).toEqual([0])
  })

  test('are asked for once more where a page ends with the last hour that is due', async () => {
    const nowHour = 100
    const { marks, asked } = listing([markOf(1, 'early'), ...fillHour(98, marksAtOnceMax)])
    const of = { ...stream, nowMs: nowHour * hourMs + markSettledAfterMs, all: false }
    expect(await daysToReconcile(of, marks)).toHaveLength(marksAtOnceMax + 1)
    expect(asked).toEqual([0, 98, 99])
  })

  test('are none where there is no mark', async () => {
    const { marks, asked } = listing([])
    expect(await daysToReconcile(all, marks)).toEqual([])
    expect(asked).toEqual([0])
  })
})

test('a mark is settled once its hour has been over for as long as a poller may be held up', () => {
  const mark = markOf(7, 'x')
  const settledMs = 8 * hourMs + markSettledAfterMs
  expect([isSettled(mark, settledMs - 1), isSettled(mark, settledMs)]).toEqual([false, true])
})

describe('what is missing', () => {
  const endpoints = new Map([['endpoint', endpointOf()]])
  const summaryOf = ({ body: _, ...event }: LoggedEvent): EventSummary => event
  const logged = async (uuids: readonly string[]) => {
    const harness = await createHarness()
    const events = uuids.map(uuid => eventOf(uuid))
    await harness.log.record(events)
    const byId = (one: EventSummary, other: EventSummary) => (one.id < other.id ? -1 : 1)
    return { ...harness, events: events.map(summaryOf).toSorted(byId) }
  }

  test('and could not be sent is counted as failed, also where the queue says nothing of it', async () => {
    const { events, deps } = await logged(['one', 'two', 'three'])
    const queue = { send: async () => [{ kind: 'failed', reason: 'throttled' }, { kind: 'sent' }] as const }
    expect(
      await sendMissing(
        { events, endpoints },
        { ...deps, queue: { send: async () => [...(await queue.send())] } },
      ),
    ).toEqual({ sent: 1, failed: 2, unreadable: 0 })
  })

  test('is not looked for where its recipient was forgotten', async () => {
    const { events, deps, store, sent } = await logged(['one'])
    const asked: unknown[] = []
    const eventIds: typeof store.eventIds = async range => {
      asked.push(range)
      return store.eventIds(range)
    }
    const forgotten = events.map(event => ({ ...event, forgottenAtMs: nowMs }))
    expect(
      await sendMissing({ events: forgotten, endpoints }, { ...deps, store: { ...store, eventIds } }),
    ).toEqual({
      sent: 0,
      failed: 0,
      unreadable: 0,
    })
    expect([asked, sent]).toEqual([[], []])
  })

  test.each([
    ['expired', () => null],
    ['forgotten', (event: LoggedEvent) => ({ ...event, body: null, forgottenAtMs: nowMs })],
  ])('is neither sent nor failed where it was %s since the page was read', async (_, became) => {
    const { events, deps, log, sent } = await logged(['one'])
    const asked: number[] = []
    const read: typeof log.read = async key => {
      const event = await log.read(key)
      return event === null || event.body === null ? event : became(event)
    }
    const queue = {
      send: async (entries: readonly unknown[]) => {
        asked.push(entries.length)
        return []
      },
    }
    expect(await sendMissing({ events, endpoints }, { ...deps, queue, log: { ...log, read } })).toEqual({
      sent: 0,
      failed: 0,
      unreadable: 0,
    })
    expect([asked, sent]).toEqual([[], []])
  })

  test('and is refused by the queue is a dead letter without an attempt', async () => {
    const { events, deps, item, happenings } = await logged(['one'])
    const queue = { send: async () => [{ kind: 'refused', reason: 'too long' } as const] }
    expect(await sendMissing({ events, endpoints }, { ...deps, queue })).toEqual({
      sent: 0,
      failed: 0,
      unreadable: 0,
    })
    expect(await item('one')).toMatchObject({
      state: 'dead',
      reason: 'queue_refused',
      position: { round: 1, attempt: 0 },
      attempts: [],
    })
    expect(happenings).toMatchObject([{ kind: 'dead', event: idOf('one'), attempt: 0, round: 1 }])
  })
})

describe('the marks of a day', () => {
  const oldHour = Math.floor(nowMs / hourMs) - 2
  const oldMs = oldHour * hourMs
  const mark = { ...stream, hour: oldHour, day: '2026-11-20', lowestId: idOf('lowest', oldMs / 1000 - 1) }
  const begin = async () => {
    const harness = await createHarness()
    await harness.log.record([eventOf('one', { loggedAtMs: oldMs, second: oldMs / 1000 })])
    await harness.marks.lower(mark)
    const marked = () => harness.marks.list({ ...stream, fromHour: 0, limit: 10 })
    return { ...harness, marked }
  }

  test.each([0, 1])('stay as they are where a run ended %i ms before it came to it', async agoMs => {
    const { deps, marked, sent } = await begin()
    expect(await reconcile({ endsAtMs: nowMs - agoMs }, deps)).toEqual({ sent: 0, complete: false })
    expect(await marked()).toEqual([mark])
    expect(sent).toEqual([])
  })

  test('stay where the day can not be read, and the fault is told', async () => {
    const { deps, log, marked, happenings, endsAtMs } = await begin()
    const pageOfDay = async () => Promise.reject(new Error('no table'))
    expect(await reconcile({ endsAtMs }, { ...deps, log: { ...log, pageOfDay } })).toEqual({
      sent: 0,
      complete: false,
    })
    expect(await marked()).toEqual([mark])
    expect(happenings).toEqual([
      expect.objectContaining({
        kind: 'fault',
        event: null,
        endpoint: null,
        reason: 'unexpected',
        delayMs: 0,
      }),
    ])
  })

  test('are not followed by another where none of them is settled yet', async () => {
    const { deps, log, marks, marked, endsAtMs, turn } = await begin()
    await marks.remove(mark)
    const young = { ...mark, hour: Math.floor(nowMs / hourMs) }
    await marks.lower(young)
    const pageOfDay: typeof log.pageOfDay = async of => {
      const page = await log.pageOfDay(of)
      await turn(60_000)
      return { ...page, nextFromId: idOf('one', oldMs / 1000) }
    }
    await reconcile({ endsAtMs, atStart: true }, { ...deps, log: { ...log, pageOfDay } })
    expect(await marked()).toEqual([young])
  })
})
