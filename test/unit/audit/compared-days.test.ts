import { describe, expect, test } from 'vitest'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { compareDeliveries } from '../../../shared/domain/audit/compare-deliveries.ts'
import { namedMax } from '../../../shared/domain/audit/compare-page.ts'
import { createIdSet } from '../../../shared/domain/audit/id-set.ts'
import { deliveriesReadMax } from '../../../shared/domain/delivery/delivery-store.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { reconciledAfterMs } from '../../../shared/domain/release/due-marks.ts'
import { endpointOf } from '../delivery/harness.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'
import { eventAt, nothingStands, nowMs, nowSecond } from './world.ts'

const midnight = Math.floor(nowSecond / 86_400) * 86_400

/** The events of a range of time, compared with no delivery at all; and what was asked meanwhile. */
const compared = async (
  events: readonly LoggedEvent[],
  of: { fromSecond?: number; untilSecond?: number; startedAtMs?: number; seen?: readonly string[] } = {},
) => {
  const log = createMemoryEventLog()
  await log.record(events)
  const store = createMemoryDeliveryStore()
  const asked: string[] = []
  const pages: (number | null)[] = []
  const seen = createIdSet()
  for (const id of of.seen ?? []) seen.add(id)
  const found = await compareDeliveries(
    {
      ...{ sourceId: 'main', stream: 'bounces' },
      fromSecond: of.fromSecond ?? midnight - 86_400,
      untilSecond: of.untilSecond ?? nowSecond,
      startedAtMs: of.startedAtMs ?? nowMs,
    },
    {
      log: {
        ...log,
        pageOfDay: query => {
          asked.push(query.day)
          return log.pageOfDay(query)
        },
      },
      store: {
        ...store,
        readMany: keys => {
          asked.push(`${keys.length} deliveries`)
          return store.readMany(keys)
        },
      },
      clock: createVirtualClock(nowMs),
      endpoints: new Map([['endpoint', endpointOf()]]),
      signal: new AbortController().signal,
      seen: of.seen === undefined ? null : seen,
      repair: null,
      onPage: second => pages.push(second),
    },
  )
  if (found === null) throw new Error('it was interrupted')
  return { found, asked, pages }
}

describe('the days of a range', () => {
  test('are read each on its own, up to the last second and no further', async () => {
    const seconds = [midnight - 2, midnight - 1, midnight, midnight + 1, midnight + 2]
    const events = seconds.map((second, at) => eventAt(`e${at}`, second))
    const { found, asked, pages } = await compared(events, {
      fromSecond: midnight - 1,
      untilSecond: midnight + 1,
    })
    expect(found.events).toBe(3)
    expect(asked.filter(what => what.startsWith('2026'))).toEqual(['2026-11-19', '2026-11-20'])
    expect(pages).toEqual([midnight - 1, midnight + 1])
  })

  test('begin and end with one second where that is all', async () => {
    const { found, asked } = await compared([eventAt('e', midnight), eventAt('f', midnight + 1)], {
      fromSecond: midnight,
      untilSecond: midnight,
    })
    expect([found.events, asked]).toEqual([1, ['2026-11-20', '1 deliveries']])
  })

  test('are none where the range ends before it begins, and none before 1970', async () => {
    expect((await compared([], { fromSecond: 5, untilSecond: 4 })).asked).toEqual([])
    expect((await compared([], { fromSecond: -86_400, untilSecond: 0 })).asked).toEqual(['1970-01-01'])
  })

  test('without events are told as read, and cost no reading of deliveries', async () => {
    const { asked, pages } = await compared([], { fromSecond: midnight })
    expect([asked, pages]).toEqual([['2026-11-20'], [null]])
  })
})

describe('an event without a delivery', () => {
  const standing = async (of: Partial<LoggedEvent> & { forgottenAtMs?: number }) => {
    const { found } = await compared([eventAt('e', nowSecond - 7_200, of)])
    return found.endpoints.get('endpoint')
  }

  test.each([
    [reconciledAfterMs, 'missing'],
    [reconciledAfterMs - 1, 'queued'],
  ] as const)('that was logged %i ms ago is %s', async (agoMs, where) => {
    expect(await standing({ loggedAtMs: nowMs - agoMs })).toEqual({ ...nothingStands, [where]: 1 })
  })

  test('that was forgotten needs none', async () => {
    expect(await standing({ forgottenAtMs: 1 })).toEqual({ ...nothingStands, not_due: 1 })
  })
})

describe('what the service shows no more', () => {
  test('is what was logged before it was read and is not among what it showed', async () => {
    const startedAtMs = nowMs - 60_000
    const at = (uuid: string, loggedAtMs: number) => eventAt(uuid, nowSecond - 7_200, { loggedAtMs })
    const [shown, gone, since] = [at('shown', 1), at('gone', startedAtMs - 1), at('since', startedAtMs)]
    const { found } = await compared([shown, gone, since], { startedAtMs, seen: [shown.id] })
    expect(found.notAtService).toBe(1)
  })

  test('is not known where it was not read', async () => {
    expect((await compared([eventAt('e', nowSecond - 7_200)])).found.notAtService).toBeNull()
  })
})

describe('many events', () => {
  const many = (count: number, endpointIds = ['endpoint']) =>
    Array.from({ length: count }, (_, at) => eventAt(`e${at}`, midnight + at, { endpointIds }))

  test.each([
    [deliveriesReadMax, [deliveriesReadMax]],
    [deliveriesReadMax + 1, [deliveriesReadMax, 1]],
  ])('of %i deliveries are read by as many as the table reads at once', async (count, expected) => {
    const { asked } = await compared(many(count))
    expect(asked.filter(what => what.endsWith('deliveries'))).toEqual(
      expected.map(keys => `${keys} deliveries`),
    )
  })

  test('are all counted as missing, and named up to a bound', async () => {
    const { found } = await compared(many(namedMax + 1))
    expect([found.missing, found.named.length]).toEqual([namedMax + 1, namedMax])
    expect(found.named[0]?.repaired).toBe(false)
  })
})
