import { describe, expect, test } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import { createPageComparer, namedMax } from '../../../shared/domain/audit/compare-page.ts'
import { createIdSet } from '../../../shared/domain/audit/id-set.ts'
import { noRecordCounts } from '../../../shared/domain/audit/record-counts.ts'
import { rawHash } from '../../../shared/domain/feedback/read-record.ts'
import type { RawRecord } from '../../../shared/domain/feedback/record.ts'
import { readPage } from '../../../shared/domain/polling/intake.ts'
import { createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import { serviceRecord } from '../polling/world/records.ts'
import { create as createWorld, eventAt, first, ids } from './world.ts'

const range = { fromSecond: first, untilSecond: first + 5_000 }
const record = (uuid: string, second: number): RawRecord => serviceRecord({ uuid, second }).raw
const odd = (uuid: string): RawRecord => serviceRecord({ uuid, second: first, readable: false }).raw

const create = async (of: { readUntil?: number | null; kept?: readonly RawRecord[] } = {}) => {
  const log = createMemoryEventLog()
  await log.record([eventAt('known', first + 1)])
  const quarantine = createMemoryQuarantine()
  for (const { text, value } of of.kept ?? []) {
    await quarantine.keep({ ...ids, hash: rawHash({ text, value }), text, reason: 'no_uuid', atMs: 1 })
  }
  let looks = 0
  const comparer = createPageComparer(ids, {
    known: createKnownRecords({ log, ...ids }),
    seen: createIdSet(),
    quarantine,
    floorSecond: first - 100,
    readUntil: async () => {
      looks += 1
      return of.readUntil === undefined ? first + 5_000 : of.readUntil
    },
    repair: null,
  })
  const compare = (...raws: RawRecord[]) => comparer.compare(readPage(raws), range)
  return { comparer, compare, looks: () => looks }
}

describe('a page of the service', () => {
  test('says of its records which prove its place: known ones, and those before the floor, in the range or not', async () => {
    const { compare, comparer, looks } = await create()
    const page = [record('old', first - 101), record('floor', first - 100), record('known', first + 1)]
    expect(await compare(...page)).toMatchObject({ counts: { known: 1, beforeFloor: 1 }, failure: null })
    expect(comparer.counts()).toEqual({ ...noRecordCounts, atService: 1, inLog: 1 })
    expect(looks()).toBe(0)
  })

  test('has a record that was set apart: that one is not missing', async () => {
    const { compare, comparer } = await create({ kept: [record('too large', first + 2)] })
    await compare(record('too large', first + 2), record('lost', first + 3))
    expect(comparer.counts()).toEqual({ ...noRecordCounts, atService: 2, quarantined: 1, missing: 1 })
  })

  test('that is shown again counts once, with what can not be understood', async () => {
    const { compare, comparer } = await create()
    const page = [record('lost', first + 3), odd('odd')]
    await compare(...page)
    await compare(...page)
    expect(comparer.counts()).toEqual({ ...noRecordCounts, atService: 2, missing: 2 })
    expect(comparer.missing()).toHaveLength(2)
  })

  test('out of the range takes what can not be understood with it', async () => {
    const { compare, comparer } = await create()
    await compare(record('before', first - 1), odd('odd'))
    expect(comparer.counts()).toEqual(noRecordCounts)
  })

  test('of nothing but what can not be understood counts', async () => {
    const { compare, comparer } = await create()
    await compare(odd('one'), odd('two'))
    expect(comparer.counts()).toEqual({ ...noRecordCounts, atService: 2, missing: 2 })
  })

  test('has nothing overdue where the poller has read nothing', async () => {
    const { compare, comparer } = await create({ readUntil: null })
    await compare(record('new', first + 3))
    expect(comparer.counts()).toEqual({ ...noRecordCounts, atService: 1, notReadYet: 1 })
  })

  test('has its missing records counted to the last, and named up to a bound', async () => {
    const { compare, comparer } = await create()
    await compare(...Array.from({ length: namedMax + 1 }, (_, at) => record(`lost ${at}`, first + at)))
    expect([comparer.counts().missing, comparer.missing().length]).toEqual([namedMax + 1, namedMax])
  })
})

describe('a service whose list leads nowhere', () => {
  test('is not readable, and that is told with what to do', async () => {
    const world = await createWorld()
    world.service.intervene = () => ({
      records: [],
      next: 'https://service.example/list',
      bytes: 0,
      serverDateMs: null,
      rateLimit: null,
    })
    expect(await world.audit()).toMatchObject({
      walk: {
        kind: 'unreadable',
        reason: 'page_does_not_advance',
        status: null,
        hint: expect.stringMatching(/leads nowhere/),
      },
    })
    expect(world.service.requests).toHaveLength(1)
  })

  test('from any record, though it has been asked from several, is not readable', async () => {
    const world = await createWorld({ cursor: { anchor: { uuid: 'a', second: first - 10 } } })
    // A record of an earlier second after each that is named, and at the list's begin a page of no records and a next.
    world.service.intervene = ({ lastId }) => ({
      records: lastId === null ? [] : [record('early', first - 50_000)],
      next: 'https://service.example/list?',
      bytes: 0,
      serverDateMs: null,
      rateLimit: null,
    })
    expect(await world.audit()).toMatchObject({ walk: { kind: 'unreadable', status: null } })
  })
})
