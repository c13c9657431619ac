import { describe, expect, test } from 'vitest'
import { recentEvents, recentEventsMax } from '../../../../infra/cli/status/recent-events.ts'
import { sparkline, summedBy } from '../../../../infra/cli/status/sparkline.ts'
import { successShare } from '../../../../infra/cli/status/success-share.ts'
import type { DeliveryPages } from '../../../../shared/adapters/dynamodb/delivery-pages.ts'
import { createMemoryEventLog } from '../../../../shared/adapters/memory/event-log.ts'
import type { DeliveryState } from '../../../../shared/domain/delivery/delivery.ts'
import { eventDay } from '../../../../shared/domain/feedback/event-id.ts'
import { deliveryOf, loggedEvent } from '../../../integration/cli/filled-table.ts'

const nowMs = Date.parse('2026-11-20T06:00:00Z')
const nowSecond = nowMs / 1_000
const of = { sourceId: 'main', stream: 'bounces', nowMs } as const

const logWith = async (seconds: readonly number[]) => {
  const log = createMemoryEventLog()
  await log.record(seconds.map((second, at) => loggedEvent({ second, uuid: `r${at}` })))
  return log
}

describe('a row of bars', () => {
  test('gives the lowest bar to 0 alone, the highest to the most, and a point to what is not known', () => {
    expect(sparkline([0, 1, 50, 100, null])).toBe('▁▂▅█·')
    expect(sparkline([0, 0.001, 1], 1)).toBe('▁▂█')
    expect(sparkline([0, 0])).toBe('▁▁')
    expect(sparkline([])).toBe('')
  })

  test('of sums does not know the sum of what is not known', () => {
    expect(summedBy([1, 2, 3, null, 5, 6, 7], 2)).toEqual([3, null, 11, 7])
  })
})

describe('the events of the last day', () => {
  test('are counted by hour over both days, without those of earlier and later hours', async () => {
    const log = await logWith([
      nowSecond - 86_400,
      nowSecond - 86_399,
      nowSecond - 7 * 3_600,
      nowSecond - 3_600,
      nowSecond - 3_599,
      nowSecond,
      nowSecond + 60,
    ])
    const { count, atLeast, byHour } = await recentEvents(log, of)
    expect([count, atLeast, byHour.length]).toEqual([5, false, 24])
    expect(byHour.map((events, hour) => [hour, events]).filter(([, events]) => events !== 0)).toEqual([
      [0, 1],
      [16, 1],
      [22, 1],
      [23, 2],
    ])
  })

  test('are not known for hours that were not looked at to their end', async () => {
    const log = await logWith(Array.from({ length: recentEventsMax + 1 }, (_, at) => nowSecond - at * 20))
    const { count, atLeast, byHour } = await recentEvents(log, of)
    expect([count, atLeast]).toEqual([recentEventsMax, true])
    expect(byHour).toEqual([...Array.from({ length: 22 }, () => null), 180, 180])
  })
})

/** Newest first, in pages. */
const pagesOf = (
  states: readonly { secondsAgo: number; state: DeliveryState }[],
  size = 2,
): DeliveryPages => {
  const all = states.map(({ secondsAgo, state }, at) =>
    deliveryOf(loggedEvent({ second: nowSecond - secondsAgo, uuid: `d${at}` }), { state }),
  )
  return {
    page: async ({ day, fromId, toId, after }) => {
      const items = all
        .filter(({ eventId }) => eventDay(eventId) === day && eventId >= fromId && eventId <= toId)
        .filter(({ eventId }) => after === null || eventId < after)
        .sort((one, other) => (one.eventId < other.eventId ? 1 : -1))
      const page = items.slice(0, size)
      return { items: page, after: items.length > size ? (page.at(-1)?.eventId ?? null) : null, looked: size }
    },
  }
}

describe('the share of success', () => {
  test('is that of the last day, cancelled ones left out, in parts from the oldest on', async () => {
    const pages = pagesOf([
      { secondsAgo: 1, state: 'delivered' },
      { secondsAgo: 2, state: 'delivered' },
      { secondsAgo: 3, state: 'cancelled' },
      { secondsAgo: 80_000, state: 'dead' },
      { secondsAgo: 80_001, state: 'waiting' },
      { secondsAgo: 90_000, state: 'dead' },
    ])
    const { deliveries, delivered, bySlot } = await successShare(pages, { endpointId: 'crm', nowMs })
    expect([deliveries, delivered]).toEqual([4, 2])
    expect(bySlot).toEqual([null, null, null, null, 0, 0, 1, 1])
  })

  test('of many deliveries is that of parts of equal size', async () => {
    const states = Array.from({ length: 600 }, (_, at) => ({
      secondsAgo: at,
      state: at < 100 ? ('waiting' as const) : ('delivered' as const),
    }))
    const pages = pagesOf(states, 250)
    const { deliveries, delivered, bySlot } = await successShare(pages, { endpointId: 'crm', nowMs })
    expect([deliveries, delivered]).toEqual([500, 400])
    expect(bySlot.map(share => Math.round((share ?? 0) * 100))).toEqual([100, 100, 100, 100, 100, 100, 40, 0])
  })

  test('of an endpoint without deliveries is not known', async () => {
    expect(await successShare(pagesOf([]), { endpointId: 'crm', nowMs })).toEqual({
      deliveries: 0,
      delivered: 0,
      bySlot: Array.from({ length: 8 }, () => null),
    })
  })
})
