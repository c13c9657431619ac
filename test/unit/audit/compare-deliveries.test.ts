import { describe, expect, it } from 'vitest'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { compareDeliveries } from '../../../shared/domain/audit/compare-deliveries.ts'
import { createIdSet } from '../../../shared/domain/audit/id-set.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { EventSummary, LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const hourSeconds = 3_600
const daySeconds = 86_400
/** Noon. */
const nowSecond = 20_000 * daySeconds + 12 * hourSeconds
const of = { sourceId: 'main', stream: 'bounces' } as const

const eventOf = (uuid: string, fields: Partial<LoggedEvent> = {}): LoggedEvent => {
  const second = fields.second ?? nowSecond - 5 * hourSeconds
  return {
    ...of,
    id: eventId({ ...of, uuid, second }),
    type: 'email.bounce.hard',
    recordId: uuid,
    second,
    body: '{}',
    endpointIds: ['crm'],
    loggedAtMs: second * 1_000,
    expiresAtSeconds: second + 35 * daySeconds,
    ...fields,
  }
}

const endpointOf = (id: string, state: Endpoint['state'] = 'active'): [string, Endpoint] => [
  id,
  {
    ...endpointDefaults,
    id,
    url: 'https://example.com/',
    types: ['*'],
    keys: [],
    state,
  },
]

const deliveryOf = (event: LoggedEvent, endpointId: string, state: Delivery['state']): Delivery => ({
  ...of,
  endpointId,
  eventId: event.id,
  state,
  position: { round: 1, attempt: 1 },
  retryAtMs: null,
  dueMs: state === 'delivered' ? null : nowSecond * 1_000,
  firstFailureAtMs: null,
  reason: null,
  attempts: [],
  writeId: 'w',
  updatedAtMs: 0,
  expiresAtSeconds: event.expiresAtSeconds,
})

const worldOf = async (
  events: readonly LoggedEvent[],
  deliveries: readonly Delivery[],
  over: {
    seen?: readonly LoggedEvent[]
    repair?: (events: readonly EventSummary[]) => Promise<boolean>
    aborted?: boolean
  } = {},
) => {
  const log = createMemoryEventLog()
  await log.record(events)
  const clock = createVirtualClock(nowSecond * 1_000)
  const store = createMemoryDeliveryStore()
  for (const delivery of deliveries) await store.write(delivery, { kind: 'unsettled_before', rank: 9 })
  const seen = over.seen === undefined ? null : createIdSet()
  for (const { id } of over.seen ?? []) seen?.add(id)
  const ended = new AbortController()
  if (over.aborted) ended.abort()
  const range = { fromSecond: nowSecond - 20 * hourSeconds, untilSecond: nowSecond - 60 }
  return compareDeliveries(
    { ...of, ...range, startedAtMs: nowSecond * 1_000 - 1_000 },
    {
      log,
      store,
      clock,
      endpoints: new Map([endpointOf('crm'), endpointOf('off', 'disabled'), endpointOf('was', 'removed')]),
      signal: ended.signal,
      seen,
      repair: over.repair ?? null,
      onPage: () => undefined,
    },
  )
}

const none = { waiting: 0, held: 0, delivered: 0, dead: 0, cancelled: 0, queued: 0, missing: 0, not_due: 0 }

describe('the comparison of the log with the deliveries', () => {
  it('counts every event for every endpoint that it matched once, by where it stands', async () => {
    const both = eventOf('a', { endpointIds: ['crm', 'off'] })
    const events = [
      both,
      eventOf('lost'),
      eventOf('new', { loggedAtMs: (nowSecond - 1_800) * 1_000 }),
      eventOf('expired', { expiresAtSeconds: nowSecond }),
      eventOf('removed', { endpointIds: ['was', 'unknown'] }),
      eventOf('seen only', { endpointIds: [] }),
      eventOf('yesterday', { second: nowSecond - 15 * hourSeconds }),
      // Outside the range.
      eventOf('early', { second: nowSecond - 21 * hourSeconds }),
      eventOf('late', { second: nowSecond - 30 }),
    ]
    const found = await worldOf(events, [
      deliveryOf(both, 'crm', 'delivered'),
      deliveryOf(both, 'off', 'held'),
      deliveryOf(events[6] ?? both, 'crm', 'dead'),
    ])
    expect(found?.events).toBe(7)
    expect(Object.fromEntries(found?.endpoints ?? [])).toEqual({
      crm: { ...none, delivered: 1, dead: 1, missing: 1, queued: 1, not_due: 1 },
      off: { ...none, held: 1 },
      was: { ...none, not_due: 1 },
      unknown: { ...none, not_due: 1 },
    })
    expect(found).toMatchObject({ missing: 1, repaired: 0, notAtService: null })
    expect(found?.named).toEqual([{ eventId: events[1]?.id, endpointId: 'crm', repaired: false }])
  })

  it('goes through a day of many pages, and reads deliveries beyond what one read takes', async () => {
    const events = Array.from({ length: 450 }, (_, at) =>
      eventOf(`e-${at}`, { second: nowSecond - 5 * hourSeconds + at, endpointIds: ['crm', 'off'] }),
    )
    const deliveries = events.flatMap((event, at) =>
      at % 9 === 0 ? [] : [deliveryOf(event, 'crm', 'delivered'), deliveryOf(event, 'off', 'held')],
    )
    const found = await worldOf(events, deliveries)
    expect(found?.events).toBe(450)
    expect(found?.endpoints.get('crm')).toEqual({ ...none, delivered: 400, missing: 50 })
    expect(found?.endpoints.get('off')).toEqual({ ...none, held: 400, missing: 50 })
    expect(found?.missing).toBe(100)
  })

  it('tells which events the service shows no more, but for those that came since it was read', async () => {
    const events = [
      eventOf('shown'),
      eventOf('gone'),
      eventOf('came since', { loggedAtMs: nowSecond * 1_000 }),
    ]
    const found = await worldOf(events, [], { seen: events.slice(0, 1) })
    expect(found?.notAtService).toBe(1)
  })

  it('repairs what is missing of a page at once, and says whether it could', async () => {
    const event = eventOf('both', { endpointIds: ['crm', 'off'] })
    const repaired: string[][] = []
    const done = await worldOf([event, eventOf('fine', { endpointIds: [] })], [], {
      repair: async events => {
        repaired.push(events.map(({ recordId }) => recordId))
        return true
      },
    })
    expect(repaired).toEqual([['both']])
    expect(done).toMatchObject({ missing: 2, repaired: 2 })
    const failed = await worldOf([event], [], { repair: async () => false })
    expect(failed).toMatchObject({ missing: 2, repaired: 0 })
  })

  it('ends where it is interrupted', async () => {
    expect(await worldOf([eventOf('a')], [], { aborted: true })).toBeNull()
  })
})
