import { describe, expect, test } from 'vitest'
import { noRecordCounts } from '../../../shared/domain/audit/record-counts.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import { rawHash } from '../../../shared/domain/feedback/read-record.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { idOf, messageIn } from '../delivery/harness.ts'
import {
  create,
  eventAt,
  first,
  ids,
  logOf,
  namesOf,
  nothingStands,
  nowMs,
  nowSecond,
  recordsOf,
  settleSeconds,
} from './world.ts'

describe('a service that does not follow a record any more', () => {
  test.each(['422', '500'] as const)(
    'and answers %s is read from older ones of the log, and in the end whole',
    async unknownLastId => {
      const world = await create({
        cursor: { anchor: { uuid: 'gone', second: first - 10 }, newest: { uuid: 'one', second: first + 5 } },
        readings: { unknownLastId },
      })
      const older = [
        eventAt('hour', first - 3_710),
        eventAt('day', first - 3_710 - 86_500),
        eventAt('near', first - 20),
      ]
      await world.deps.log.record([...older, eventAt('one', first + 5)])
      world.put(['one', first + 5], ['lost', first + 4])
      const audited = await world.audit()
      expect(namesOf(audited)).toEqual(['lost'])
      const times = unknownLastId === '422' ? 1 : 3
      const tried = ['gone', 'near', 'hour', 'day'].flatMap(uuid => Array.from({ length: times }, () => uuid))
      expect(world.lastIds()).toEqual([...tried, null])
    },
  )

  test('and answers with nothing is found out by what the log has', async () => {
    const world = await create({
      cursor: { anchor: { uuid: 'gone', second: first - 10 } },
      readings: { unknownLastId: 'empty' },
    })
    await world.deps.log.record([eventAt('one', first + 5)])
    world.put(['one', first + 5])
    expect(recordsOf(await world.audit())).toMatchObject({ atService: 1, inLog: 1 })
    expect(world.lastIds()).toEqual(['gone', null])
  })

  test('and has nothing, where the log has nothing either, is believed', async () => {
    const world = await create({
      cursor: { anchor: { uuid: 'gone', second: first - 10 } },
      readings: { unknownLastId: 'empty' },
    })
    expect(recordsOf(await world.audit())).toEqual(noRecordCounts)
    expect(world.lastIds()).toEqual(['gone'])
  })
})

describe('a service that fails', () => {
  const failing = (failure: FeedbackApiError['failure'], status: number | null) =>
    new FeedbackApiError({ code: `feedback_${failure}`, message: 'no', hint: 'Look there.', failure, status })

  test('for its token is not asked again, and the log is compared all the same', async () => {
    const world = await create()
    world.service.intervene = () => failing('refused', 401)
    await world.deps.log.record([eventAt('one', first + 5)])
    const audited = await world.audit()
    expect(audited).toMatchObject({
      untilSecond: nowSecond - settleSeconds,
      walk: { kind: 'unreadable', reason: 'feedback_refused', status: 401, hint: 'Look there.' },
    })
    expect(logOf(audited)).toMatchObject({ events: 1, notAtService: null })
    expect(world.service.requests).toHaveLength(1)
  })

  test('now and then is asked again after growing waits, which are told, and forgets them once it answers', async () => {
    const world = await create({ readings: { pageSize: 1 } })
    world.put(['a', first + 1], ['b', first + 2], ['c', first + 3])
    let asked = 0
    // Two failures before each answer but the first.
    world.service.intervene = () => (++asked % 3 === 1 ? null : failing('server_error', 503))
    expect(recordsOf(await world.audit())).toMatchObject({ atService: 3 })
    const failures = world.progress.filter(({ part }) => part === 'failure')
    expect(failures).toEqual(
      // Two pages by `next`, and the first once more.
      [1, 2, 1, 2, 1, 2].map(count => ({
        part: 'failure',
        reason: 'feedback_server_error',
        failures: count,
        failuresMax: 5,
        waitMs: 2_000 * 2 ** (count - 1),
      })),
    )
  })

  test('time and again is given up, and told with what it said', async () => {
    const world = await create()
    world.service.intervene = () => failing('server_error', 503)
    expect(await world.audit()).toMatchObject({
      walk: { kind: 'unreadable', reason: 'feedback_server_error', status: 503, hint: 'Look there.' },
    })
    expect(world.service.requests).toHaveLength(5)
  })
})

describe('an audit that repairs', () => {
  const broken = async (sent?: (entries: readonly QueueEntry[]) => EntryResult[]) => {
    const world = await create({
      cursor: { newest: { uuid: 'last', second: first + 1_000 } },
      ...(sent !== undefined && { sent }),
    })
    world.put(['lost', first + 10], ['stuck', first + 20])
    const odd = world.putOdd('odd', first + 15)
    const stuck = eventAt('stuck', first + 20)
    await world.deps.log.record([stuck])
    return { ...world, odd, stuck }
  }

  test('enqueues and logs what was missing, sets apart what can not be read, and sends what has no delivery', async () => {
    const world = await broken()
    const audited = await world.audit({ isRepair: true })
    expect(recordsOf(audited)).toMatchObject({ missing: 2, repaired: 2 })
    expect(audited).toMatchObject({
      missing: [
        { record: 'lost', repaired: true },
        { record: rawHash(world.odd), repaired: true },
      ],
    })
    // What it has just logged is in the queue; what has no delivery since long is sent again.
    expect(logOf(audited)).toMatchObject({
      events: 2,
      missing: 1,
      repaired: 1,
      named: [{ eventId: world.stuck.id, endpointId: 'endpoint', repaired: true }],
    })
    expect(logOf(audited)?.endpoints.get('endpoint')).toEqual({ ...nothingStands, queued: 1, missing: 1 })
    expect(world.sent.map(entry => messageIn(entry).eventId)).toEqual([
      idOf('lost', first + 10),
      world.stuck.id,
    ])
    const logged = await world.deps.log.read({ ...ids, eventId: idOf('lost', first + 10) })
    expect(logged?.endpointIds).toEqual(['endpoint'])
    expect(await world.deps.quarantine.read({ ...ids, hash: rawHash(world.odd) })).not.toBeNull()
    const marks = await world.deps.marks.list({ ...ids, fromHour: 0, limit: 10 })
    expect(marks).toContainEqual({
      ...ids,
      hour: Math.floor(nowMs / hourMs),
      day: '2026-11-20',
      lowestId: idOf('lost', first + 10),
    })
    expect(recordsOf(await world.audit())).toMatchObject({ missing: 0, quarantined: 1, inLog: 2 })
  })

  test('says so where the queue takes nothing', async () => {
    const world = await broken(entries => entries.map(() => ({ kind: 'failed', reason: 'throttled' })))
    const audited = await world.audit({ isRepair: true })
    expect(recordsOf(audited)).toMatchObject({ missing: 2, repaired: 0 })
    expect(logOf(audited)).toMatchObject({ missing: 1, repaired: 0 })
  })

  test('marks what it sends again first, so that a queue that dies loses none of it', async () => {
    const world = await broken()
    await world.audit({ isRepair: true, fromSecond: first + 20 })
    const marks = await world.deps.marks.list({ ...ids, fromHour: 0, limit: 10 })
    expect(marks.map(({ lowestId }) => lowestId)).toEqual([world.stuck.id])
  })
})
