import { describe, expect, test } from 'vitest'
import type { AuditProgress } from '../../../shared/domain/audit/audit-stream.ts'
import { noRecordCounts } from '../../../shared/domain/audit/record-counts.ts'
import { rawHash } from '../../../shared/domain/feedback/read-record.ts'
import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import { deliveryOf, idOf } from '../delivery/harness.ts'
import {
  create,
  eventAt,
  first,
  ids,
  namesOf,
  nothingStands,
  nowSecond,
  recordsOf,
  settleSeconds,
} from './world.ts'

describe('an audit', () => {
  test('accounts for every record of the service, and for every delivery of the log, of a time', async () => {
    const world = await create({ cursor: { newest: { uuid: 'last', second: first + 1_000 } } })
    const kept = world.putOdd('odd-kept', first + 20)
    const lostOdd = world.putOdd('odd-lost', first + 21)
    await world.deps.quarantine.keep({
      ...ids,
      hash: rawHash(kept),
      text: kept.text,
      reason: 'no_usable_time',
      atMs: 1,
    })
    world.put(
      ['before', first - 700],
      ['one', first],
      ['lost', first + 10],
      ['two', first + 30],
      ['last', first + 1_000],
      ['unread', first + 1_001],
    )
    const [one, two, last] = [
      eventAt('one', first),
      eventAt('two', first + 30),
      eventAt('last', first + 1_000),
    ]
    const gone = eventAt('gone', first + 40)
    await world.deps.log.record([one, two, last, gone])
    const write = { kind: 'unsettled_before', rank: 1e12 } as const
    await world.deps.store.write(deliveryOf({ eventId: one.id, state: 'delivered', dueMs: null }), write)
    await world.deps.store.write(deliveryOf({ eventId: two.id, state: 'held' }), write)
    await world.deps.store.write(deliveryOf({ eventId: gone.id, state: 'dead' }), write)

    expect(await world.audit({ fromSecond: first - 800 })).toEqual({
      kind: 'compared',
      fromSecond: first - 800,
      untilSecond: nowSecond - settleSeconds,
      walk: { kind: 'walked', untilSecond: nowSecond - settleSeconds },
      records: {
        atService: 8,
        inLog: 3,
        beforeFloor: 1,
        quarantined: 1,
        notReadYet: 1,
        missing: 2,
        repaired: 0,
      },
      missing: [
        { eventId: idOf('lost', first + 10), record: 'lost', second: first + 10, repaired: false },
        { eventId: null, record: rawHash(lostOdd), second: null, repaired: false },
      ],
      log: {
        events: 4,
        notAtService: 1,
        endpoints: new Map([['endpoint', { ...nothingStands, delivered: 1, held: 1, dead: 1, missing: 1 }]]),
        missing: 1,
        repaired: 0,
        named: [{ eventId: last.id, endpointId: 'endpoint', repaired: false }],
      },
    })
    expect([world.sent, world.happenings]).toEqual([[], []])
    expect(world.gate.requests()).toBe(1)
    expect(world.progress).toEqual([
      { part: 'service', second: null },
      { part: 'service', second: first + 1_001 },
      { part: 'deliveries', second: first + 1_000 },
    ])
  })

  test.each([null, { floorSecond: null }])(
    'of a stream that has not begun compares nothing: %o',
    async cursor => {
      const world = await create({ cursor })
      expect(await world.audit()).toEqual({ kind: 'not_started' })
      expect([world.service.requests, world.progress]).toEqual([[], []])
    },
  )

  test('leaves out what is before its time, and what the poller may still be reading', async () => {
    const until = nowSecond - settleSeconds
    const world = await create({ cursor: { newest: { uuid: 'x', second: nowSecond } } })
    world.put(['early', first - 1], ['first', first], ['last', until], ['late', until + 1])
    const audited = await world.audit()
    expect(namesOf(audited)).toEqual(['first', 'last'])
    expect(recordsOf(audited)).toMatchObject({ atService: 2, missing: 2 })
  })

  test.each([
    [0, nowSecond - 3_600, nowSecond - 3_600],
    [-100_000, nowSecond, nowSecond - 100 - settleSeconds],
    [100_000, nowSecond, nowSecond - settleSeconds],
  ])(
    'whose service is %i ms ahead goes up to what both clocks have left behind',
    async (skewMs, toSecond, until) => {
      const world = await create({ readings: { skewMs } })
      const audited = await world.audit({ toSecond })
      expect(audited).toMatchObject({ untilSecond: until, walk: { kind: 'walked', untilSecond: until } })
    },
  )

  test('that is interrupted says nothing', async () => {
    const world = await create({ readings: { pageSize: 2 } })
    world.put(['a', first], ['b', first + 1], ['c', first + 2], ['d', first + 3])
    const onProgress = (at: AuditProgress): void => {
      if (at.part === 'service' && at.second !== null) world.stopping.abort()
    }
    expect(await world.audit({ onProgress })).toBeNull()
    const before = await create()
    before.stopping.abort()
    expect(await before.audit()).toBeNull()
    expect(before.service.requests).toEqual([])
  })

  test('that is interrupted while it reads the log says nothing', async () => {
    const world = await create()
    await world.deps.log.record([eventAt('one', first)])
    const { pageOfDay } = world.deps.log
    world.deps.log.pageOfDay = async query => {
      world.stopping.abort()
      return pageOfDay(query)
    }
    // The range has a second day of which nothing is begun any more.
    expect(await world.audit({ fromSecond: first - 86_400 })).toBeNull()
  })
})

describe('which records count as not read yet', () => {
  const at = first + 100
  test.each<[string, Partial<Cursor>, number]>([
    ['nothing was read', {}, 1],
    ['the newest that was seen is older', { newest: { uuid: 'x', second: at - 1 } }, 1],
    ['the newest that was seen is of its second', { newest: { uuid: 'x', second: at } }, 0],
    [
      'the anchor is of its second',
      { anchor: { uuid: 'x', second: at }, newest: { uuid: 'y', second: at - 50 } },
      0,
    ],
  ])('depends on the cursor: %s', async (_, cursor, notReadYet) => {
    const world = await create({ cursor })
    world.put(['one', at])
    expect(recordsOf(await world.audit({ fromSecond: first }))).toEqual({
      ...noRecordCounts,
      atService: 1,
      notReadYet,
      missing: 1 - notReadYet,
    })
  })

  test('depends on the log, which may be ahead of the cursor, and of our clock', async () => {
    const world = await create({ cursor: { newest: { uuid: 'x', second: at - 1 } } })
    await world.deps.log.record([eventAt('tomorrow', nowSecond + 3_600)])
    world.put(['one', at], ['tomorrow', nowSecond + 3_600])
    expect(namesOf(await world.audit())).toEqual(['one'])
  })
})

describe('where an audit begins to read', () => {
  const anchor = (uuid: string, second: number) => ({ uuid, second })

  test.each<[string, Partial<Cursor>, string | null]>([
    ['with no record before it', {}, null],
    ['behind the anchor before it', { anchor: anchor('a', first - 1) }, 'a'],
    ['not behind one within it', { anchor: anchor('a', first) }, null],
    ['behind the origin', { anchor: anchor('a', first + 10), origin: anchor('o', first - 50) }, 'o'],
    ['behind the later of them', { anchor: anchor('a', first - 10), origin: anchor('o', first - 50) }, 'a'],
  ])('%s', async (_, cursor, lastId) => {
    const world = await create({ cursor })
    world.put(['o', first - 50], ['a', first - 10], ['one', first + 5])
    await world.audit()
    expect(world.lastIds()).toEqual([lastId])
  })

  test('behind the newest event of the log before its time, where that is later', async () => {
    const world = await create({ cursor: { anchor: anchor('a', first - 10) } })
    world.put(['a', first - 10], ['logged', first - 5], ['one', first + 5])
    await world.deps.log.record([eventAt('logged', first - 5), eventAt('one', first + 5)])
    expect(recordsOf(await world.audit())).toMatchObject({ atService: 1, inLog: 1 })
    expect(world.lastIds()).toEqual(['logged'])
  })

  test('and goes on page by page, by records and by `next`', async () => {
    const world = await create({ readings: { pageSize: 2 } })
    const records = ['a', 'b', 'c', 'd', 'e'].map((uuid, at) => [uuid, first + (at < 3 ? 1 : at)] as const)
    world.put(...records)
    await world.deps.log.record(records.map(([uuid, second]) => eventAt(uuid, second)))
    expect(recordsOf(await world.audit())).toMatchObject({ atService: 5, inLog: 5 })
    const asked = world.service.requests.map(({ order, lastId, nextQuery }) => [
      order,
      lastId,
      nextQuery !== null,
    ])
    // The first page once more: pages by number may have become larger, and have left something out.
    expect(asked).toEqual([
      ['asc', null, false],
      ['asc', null, true],
      ['asc', null, false],
      ['asc', 'c', false],
    ])
  })
})
