import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { marksAtOnceMax } from '../../../shared/domain/release/due-marks.ts'
import { eventsComparedAtOnceMax, reconcile } from '../../../shared/domain/release/reconcile.ts'
import type { SourceStore } from '../../../shared/domain/source-store.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { endpointOf, idOf, messageIn, nowMs, second } from '../delivery/harness.ts'
import { createHarness as createBase, eventOf } from './harness.ts'

const minuteMs = 60_000
// The clock stands at 09:30: the hour from 07:00 ended two and a half hours ago, that from 08:00 half an hour ago.
const nowHour = Math.floor(nowMs / hourMs)
const oldHour = nowHour - 2
const oldMs = oldHour * hourMs + 10 * minuteMs
const old: Partial<LoggedEvent> = { loggedAtMs: oldMs, second: oldMs / 1000 }
const day = '2026-11-20'

const createHarness = async (of: Parameters<typeof createBase>[0] = {}) => {
  const harness = await createBase(of)
  return {
    ...harness,
    logged: async (uuid: string, event: Partial<LoggedEvent> = {}) => {
      const logged = eventOf(uuid, { ...old, ...event })
      await harness.log.record([logged])
      return logged
    },
    mark: (of: { hour?: number; lowestId?: string; stream?: 'bounces' | 'complaints'; day?: string } = {}) =>
      harness.marks.lower({
        sourceId: 'main',
        stream: 'bounces',
        hour: oldHour,
        day,
        lowestId: idOf('lowest', oldMs / 1000 - 1),
        ...of,
      }),
    marked: async () => [
      ...(await harness.marks.list({ sourceId: 'main', stream: 'bounces', fromHour: 0, limit: 5_000 })),
      ...(await harness.marks.list({ sourceId: 'main', stream: 'complaints', fromHour: 0, limit: 5_000 })),
    ],
  }
}

describe('an event', () => {
  test('that has no delivery is sent again as it was sent first, and its mark goes', async () => {
    const harness = await createHarness()
    const event = await harness.logged('lost')
    const there = await harness.logged('there')
    await harness.put({ eventId: there.id, state: 'delivered', dueMs: null })
    await harness.mark()
    expect(await reconcile(harness, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(harness.sent).toMatchObject([{ lane: 'fast', group: 'endpoint', delayMs: 0, faults: null }])
    expect(harness.sent.map(messageIn)).toMatchObject([
      { eventId: event.id, round: 1, attempt: 1, body: event.body, enqueuedAtMs: oldMs, deliveredBy: null },
    ])
    expect(harness.happenings).toEqual([
      { kind: 'reconciled', source: 'main', stream: 'bounces', event: event.id, endpoint: 'endpoint' },
    ])
    expect(await harness.marked()).toEqual([])
  })

  test('regression: of a source that can not be read is sent too: the other sources need not wait either', async () => {
    const harness = await createHarness()
    const event = await harness.logged('lost')
    await harness.mark()
    const fault = new BridgeError({ code: 'item_newer', message: 'newer', hint: 'deploy the newer one' })
    const sources: SourceStore = {
      ...harness.sources,
      list: async onUnreadable => {
        onUnreadable?.('main', fault)
        return []
      },
    }
    expect(await reconcile(harness, { ...harness.deps, sources })).toEqual({ sent: 1, complete: true })
    expect(harness.sent.map(messageIn)).toMatchObject([{ eventId: event.id }])
  })

  test('is sent to those endpoints only that lack it', async () => {
    const endpoints = ['a', 'b', 'c', 'gone'].map(id => endpointOf({ id, slow: id === 'c' }))
    const harness = await createHarness({ endpoints })
    await harness.endpoints.setState({ id: 'gone', state: 'removed', reason: null, atMs: 0 })
    const event = await harness.logged('one', { endpointIds: ['a', 'b', 'c', 'gone', 'never there'] })
    await harness.put({ eventId: event.id, endpointId: 'b' })
    await harness.mark()
    await reconcile(harness, harness.deps)
    expect(harness.sent.map(({ group, lane }) => [group, lane])).toEqual([
      ['a', 'fast'],
      ['c', 'slow'],
    ])
  })

  test.each<[string, Partial<LoggedEvent>]>([
    ['is too new: the queue has its time', { loggedAtMs: nowMs - hourMs + 1 }],
    ['was only logged as seen', { endpointIds: [] }],
    ['has expired', { expiresAtSeconds: nowMs / 1000 }],
  ])('is left alone where it %s', async (_, event) => {
    const harness = await createHarness()
    await harness.logged('one', event)
    await harness.mark()
    expect(await reconcile(harness, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(harness.sent).toEqual([])
  })

  test('that the queue will never take becomes a dead letter, and its mark goes', async () => {
    const harness = await createHarness()
    const event = await harness.logged('one')
    await harness.mark()
    const queue = { send: async () => [{ kind: 'refused', reason: 'too long' } as const] }
    await reconcile(harness, { ...harness.deps, queue })
    const item = await harness.store.read({ endpointId: 'endpoint', eventId: event.id })
    expect(item).toMatchObject({
      state: 'dead',
      position: { round: 1, attempt: 0 },
      dueMs: nowMs,
      reason: 'queue_refused',
    })
    expect(await harness.marked()).toEqual([])
  })

  test('written late into a day long past is found by its mark', async () => {
    const harness = await createHarness()
    const past = second - 10 * 86_400
    const event = await harness.logged('late', { second: past })
    await harness.mark({ day: '2026-11-10', lowestId: event.id })
    await reconcile(harness, harness.deps)
    expect(harness.sent.map(entry => messageIn(entry).eventId)).toEqual([event.id])
  })
})

describe('a mark', () => {
  test('is compared once its hour is over for an hour and a quarter', async () => {
    const harness = await createHarness()
    await harness.logged('one')
    // It is 09:30: the first ended at 08:00, the second at 09:00.
    await harness.mark({ hour: oldHour })
    await harness.mark({ hour: oldHour + 1 })
    await reconcile(harness, harness.deps)
    expect((await harness.marked()).map(({ hour }) => hour)).toEqual([oldHour + 1])
    await harness.turn(44 * minuteMs)
    await reconcile({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
    expect(await harness.marked()).toHaveLength(1)
    await harness.turn(minuteMs)
    await reconcile({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
    expect(await harness.marked()).toEqual([])
  })

  test('and others of the same day are gone through in one pass', async () => {
    const harness = await createHarness()
    const event = await harness.logged('one')
    for (const hour of [oldHour, oldHour - 1, oldHour - 2]) {
      await harness.mark({ hour, lowestId: hour === oldHour ? idOf('z', second) : event.id })
    }
    expect(await reconcile(harness, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(await harness.marked()).toEqual([])
  })

  test('stays where a send failed', async () => {
    const harness = await createHarness()
    await harness.logged('one')
    await harness.mark()
    const queue = { send: async () => [{ kind: 'failed', reason: 'throttled' } as const] }
    expect(await reconcile(harness, { ...harness.deps, queue })).toEqual({ sent: 0, complete: false })
    expect(await harness.marked()).toHaveLength(1)
  })

  test('stays where the log can not be read, and the others are gone through', async () => {
    const harness = await createHarness()
    await harness.logged('one', { stream: 'complaints' })
    await harness.mark()
    await harness.mark({ stream: 'complaints' })
    const { log } = harness
    const pageOfDay: typeof log.pageOfDay = query => {
      if (query.stream === 'bounces') throw new Error('no answer')
      return log.pageOfDay(query)
    }
    expect(await reconcile(harness, { ...harness.deps, log: { ...log, pageOfDay } })).toEqual({
      sent: 1,
      complete: false,
    })
    expect((await harness.marked()).map(({ stream }) => stream)).toEqual(['bounces'])
  })

  test('stays until all is there where the queue may die with what was sent again', async () => {
    const harness = await createHarness()
    const event = await harness.logged('one')
    await harness.mark()
    const deps = { ...harness.deps, queuesOutlive: false }
    expect(await reconcile(harness, deps)).toEqual({ sent: 1, complete: true })
    expect(await harness.marked()).toHaveLength(1)
    await harness.put({ eventId: event.id })
    expect(await reconcile(harness, deps)).toEqual({ sent: 0, complete: true })
    expect(await harness.marked()).toEqual([])
  })

  test('is found however many there are', async () => {
    const harness = await createHarness()
    const count = marksAtOnceMax + 500
    for (let index = 0; index < count; index += 1) await harness.mark({ hour: oldHour - index })
    await reconcile(harness, harness.deps)
    expect(await harness.marked()).toEqual([])
  })
})

describe('a long day', () => {
  const count = eventsComparedAtOnceMax * 2 + 10

  test('is compared page by page', async () => {
    const harness = await createHarness()
    for (let index = 0; index < count; index += 1) await harness.logged(`event ${index}`)
    await harness.mark({ lowestId: 'evt_' })
    expect(await reconcile(harness, harness.deps)).toEqual({ sent: count, complete: true })
    expect(new Set(harness.sent.map(entry => messageIn(entry).eventId)).size).toBe(count)
  })

  test('that takes longer than the run goes on where it stopped', async () => {
    const harness = await createHarness()
    for (let index = 0; index < count; index += 1) await harness.logged(`event ${index}`)
    await harness.mark({ lowestId: 'evt_' })
    const { log } = harness
    const pageOfDay: typeof log.pageOfDay = async query => {
      await harness.turn(minuteMs)
      return log.pageOfDay(query)
    }
    const deps = { ...harness.deps, log: { ...log, pageOfDay } }
    expect(await reconcile(harness, deps)).toEqual({ sent: eventsComparedAtOnceMax, complete: false })
    const [left, ...others] = await harness.marked()
    expect(others).toEqual([])
    expect(left).toMatchObject({ hour: nowHour, day })
    await harness.turn(3 * hourMs)
    await reconcile({ endsAtMs: Number.MAX_SAFE_INTEGER }, deps)
    expect(harness.sent).toHaveLength(count)
    expect(new Set(harness.sent.map(entry => messageIn(entry).eventId)).size).toBe(count)
    expect(await harness.marked()).toEqual([])
  })
})

describe('at the start of a process', () => {
  test('everything logged is compared, and marks that a poller may still lower stay', async () => {
    const harness = await createHarness()
    const event = await harness.logged('new', { loggedAtMs: nowMs - 1 })
    await harness.mark({ hour: nowHour })
    await harness.mark({ hour: nowHour - 1 })
    expect(await reconcile({ ...harness, atStart: true }, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(harness.sent.map(entry => messageIn(entry).eventId)).toEqual([event.id])
    expect((await harness.marked()).map(({ hour }) => hour)).toEqual([nowHour])
  })

  test('what is logged since is left to its own message', async () => {
    const harness = await createHarness()
    await harness.logged('newer', { loggedAtMs: nowMs + 1 })
    await harness.mark({ hour: nowHour })
    expect(await reconcile({ ...harness, atStart: true }, harness.deps)).toEqual({ sent: 0, complete: true })
  })
})
