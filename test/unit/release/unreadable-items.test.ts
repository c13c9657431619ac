import { describe, expect, test } from 'vitest'
import { createHandler } from '../../../functions/releaser/handler.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { EventLog } from '../../../shared/domain/polling/event-log.ts'
import { leaseMs, lostQueueHorizonMs } from '../../../shared/domain/release/due-entries.ts'
import { eventsComparedAtOnceMax, reconcile } from '../../../shared/domain/release/reconcile.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { idOf, messageIn, nowMs } from '../delivery/harness.ts'
import { createHarness, eventOf, waiting } from './harness.ts'

const corrupt = new BridgeError({ code: 'item_corrupt', message: 'st: invalid', hint: 'Restore it.' })
const newer = new BridgeError({ code: 'item_newer', message: 'version 2', hint: 'Deploy it again.' })
const unavailable = new BridgeError({ code: 'table_unavailable', message: 'no answer', hint: 'Wait.' })
const bad = idOf('bad')

const faultOfBad = (of: { reason?: string; hint?: string; endpoint?: string | null } = {}) => ({
  ...{ kind: 'fault', event: bad, endpoint: 'endpoint', delayMs: 0 },
  ...{ reason: 'item_corrupt', hint: 'Restore it.', ...of },
})
const pageFault = (error: BridgeError) => ({
  ...{ kind: 'fault', event: null, endpoint: 'endpoint', delayMs: 0 },
  ...{ reason: error.code, hint: error.hint },
})
const released = (count: number) => ({ kind: 'released', endpoint: 'endpoint', state: 'waiting', count })
const idsOf = (...uuids: string[]) => uuids.map(uuid => idOf(uuid)).sort()

/** Three deliveries that are due, the middle one `bad`; each call of the store and the log is kept. */
const threeDue = async (of: Parameters<Awaited<ReturnType<typeof createHarness>>['put']>[0] = waiting) => {
  const harness = await createHarness()
  for (const uuid of ['one', 'bad', 'two']) await harness.given(uuid, of)
  const asked: string[] = []
  const { store, log } = harness
  /** The item is changed, and then its answer can't be read: as the table does it. */
  const storeThatThrows = (error: BridgeError): typeof store => ({
    ...store,
    moveDue: async (entry, toDueMs) => {
      asked.push('moveDue')
      const moved = await store.moveDue(entry, toDueMs)
      if (entry.eventId === bad) throw error
      return moved
    },
    readMany: async keys => {
      asked.push('readMany')
      if (keys.some(({ eventId }) => eventId === bad)) throw error
      return store.readMany(keys)
    },
    read: async key => {
      asked.push('read')
      if (key.eventId === bad) throw error
      return store.read(key)
    },
  })
  const logThatThrows = (error: BridgeError): EventLog => ({
    ...log,
    read: async key => {
      asked.push('log.read')
      if (key.eventId === bad) throw error
      return log.read(key)
    },
  })
  return { ...harness, asked, storeThatThrows, logThatThrows }
}

describe('a delivery that can not be read', () => {
  test.each([
    ['corrupt', corrupt],
    ['of a newer version', newer],
  ])(
    'regression: holds up itself alone where it is due and %s, and is sent once it can be',
    async (_, error) => {
      const harness = await threeDue()
      const deps = { ...harness.deps, store: harness.storeThatThrows(error) }
      const before = await harness.item('bad')
      expect(await release(harness, deps)).toEqual({ sent: 2, complete: true })
      expect(harness.sentIds()).toEqual(idsOf('one', 'two'))
      expect(harness.happenings).toEqual([faultOfBad({ reason: error.code, hint: error.hint }), released(2)])
      // Leased as the others are, and else untouched.
      expect(await harness.item('bad')).toEqual({ ...before, dueMs: nowMs + leaseMs })

      await harness.turn(leaseMs)
      const later = { endsAtMs: Number.MAX_SAFE_INTEGER }
      expect(await release(later, deps)).toEqual({ sent: 2, complete: true })
      expect(harness.happenings.filter(({ kind }) => kind === 'fault')).toHaveLength(2)
      await harness.turn(leaseMs)
      expect(await release(later, harness.deps)).toEqual({ sent: 3, complete: true })
      expect(harness.sentIds().filter(id => id === bad)).toHaveLength(1)
    },
  )

  test('regression: holds up itself alone where a process starts whose queues are lost, and is told once', async () => {
    const harness = await threeDue({ ...waiting, dueMs: nowMs + 60_000, retryAtMs: nowMs })
    const deps = { ...harness.deps, store: harness.storeThatThrows(corrupt) }
    const run = { ...harness, horizonMs: lostQueueHorizonMs }
    expect(await release(run, deps)).toEqual({ sent: 2, complete: true })
    expect(harness.sentIds()).toEqual(idsOf('one', 'two'))
    expect(harness.happenings).toEqual([faultOfBad(), released(2)])
    // Each by itself only after they could not be read together.
    expect(harness.asked.filter(what => what.startsWith('read'))).toEqual([
      'readMany',
      'read',
      'read',
      'read',
    ])
  })

  test('regression: holds up itself alone where a newer version wrote it while it was being ended', async () => {
    const harness = await createHarness()
    for (const uuid of ['one', 'two']) await harness.given(uuid, waiting)
    await harness.put({ ...waiting, eventId: bad, expiresAtSeconds: nowMs / 1000 })
    const store = { ...harness.store, write: async () => Promise.reject(newer) }
    expect(await release(harness, { ...harness.deps, store })).toEqual({ sent: 2, complete: true })
    expect(harness.sentIds()).toEqual(idsOf('one', 'two'))
    expect(harness.happenings).toEqual([
      faultOfBad({ reason: 'item_newer', hint: 'Deploy it again.' }),
      released(2),
    ])
  })

  test('regression: is not what a table is that is unavailable: the page comes back with its leases, and nothing is asked again', async () => {
    const harness = await threeDue()
    const deps = { ...harness.deps, store: harness.storeThatThrows(unavailable) }
    expect(await release(harness, deps)).toEqual({ sent: 0, complete: true })
    expect(harness.sent).toEqual([])
    expect(harness.happenings).toEqual([pageFault(unavailable)])
    expect(harness.asked).toEqual(['moveDue', 'moveDue', 'moveDue'])
  })
})

describe('an event that can not be read', () => {
  test('regression: holds up its own delivery alone where that is due, also beyond its end', async () => {
    const harness = await threeDue({ ...waiting, expiresAtSeconds: nowMs / 1000 })
    const before = await harness.item('bad')
    const deps = { ...harness.deps, log: harness.logThatThrows(corrupt) }
    expect(await release(harness, deps)).toEqual({ sent: 2, complete: true })
    expect(harness.sentIds()).toEqual(idsOf('one', 'two'))
    expect(harness.happenings).toEqual([faultOfBad(), released(2)])
    expect(await harness.item('bad')).toEqual({ ...before, dueMs: nowMs + leaseMs })
    expect(harness.asked).toEqual(['log.read', 'log.read', 'log.read'])
  })

  test('regression: is not what a table is that is unavailable: nothing of the page is sent, and nothing is asked again', async () => {
    const harness = await threeDue()
    const deps = { ...harness.deps, log: harness.logThatThrows(unavailable) }
    expect(await release(harness, deps)).toEqual({ sent: 0, complete: true })
    expect(harness.sent).toEqual([])
    expect(harness.happenings).toEqual([pageFault(unavailable)])
    expect(harness.asked).toEqual(['log.read', 'log.read', 'log.read'])
  })
})

describe('an event that can not be read, where log and deliveries are compared,', () => {
  const oldMs = nowMs - 3 * hourMs
  const stream = { sourceId: 'main', stream: 'bounces' } as const
  const mark = { ...stream, hour: Math.floor(oldMs / hourMs), day: '2026-11-20', lowestId: 'evt_' }
  const reconciled = (id: string) => ({
    ...{ kind: 'reconciled', source: 'main', stream: 'bounces' },
    ...{ event: id, endpoint: 'endpoint' },
  })

  /** A day of lost events, in the order of their ids, with one that can't be read at the place. */
  const lostDay = async (of: { count: number; badAt: number }) => {
    const harness = await createHarness()
    const ids: string[] = []
    for (let at = 0; at < of.count; at += 1) {
      const event = eventOf(`event ${at}`, { second: oldMs / 1000 + at, loggedAtMs: oldMs })
      await harness.log.record([event])
      ids.push(event.id)
    }
    await harness.marks.lower(mark)
    const badId = ids[of.badAt] ?? ''
    const { log } = harness
    const logs: Record<'body' | 'summary', EventLog> = {
      /** Its body can't be read. */
      body: {
        ...log,
        read: async key => (key.eventId === badId ? Promise.reject(corrupt) : log.read(key)),
      },
      /** Nor can its summary. */
      summary: {
        ...log,
        pageOfDay: async query => {
          const page = await log.pageOfDay(query)
          const events = page.events.filter(({ id }) => id !== badId)
          const isThere = events.length < page.events.length
          return { ...page, events, unreadable: isThere ? [{ id: badId, error: corrupt }] : [] }
        },
      },
    }
    return {
      ...harness,
      ...{ badId, logs, others: ids.filter(id => id !== badId) },
      marked: () => harness.marks.list({ ...stream, fromHour: 0, limit: 10 }),
      sentInOrder: () => harness.sent.map(entry => messageIn(entry).eventId),
    }
  }

  test.each([
    ['body', 'endpoint'],
    ['summary', null],
  ] as const)(
    'regression: holds up itself alone where it is its %s, and its mark stays',
    async (part, endpoint) => {
      const harness = await lostDay({ count: eventsComparedAtOnceMax + 10, badAt: 20 })
      const deps = { ...harness.deps, log: harness.logs[part] }
      expect(await reconcile(harness, deps)).toEqual({ sent: harness.others.length, complete: true })
      expect(harness.sentInOrder()).toEqual(harness.others)
      const told = harness.happenings.filter(({ kind }) => kind === 'fault')
      expect(told).toEqual([{ ...faultOfBad({ endpoint }), event: harness.badId }])
      expect(harness.happenings.filter(({ kind }) => kind !== 'fault')).toEqual(
        harness.others.map(reconciled),
      )
      expect(await harness.marked()).toEqual([mark])

      for (const eventId of harness.others) await harness.put({ eventId })
      expect(await reconcile(harness, harness.deps)).toEqual({ sent: 1, complete: true })
      expect(harness.sentInOrder().at(-1)).toBe(harness.badId)
      expect(await harness.marked()).toEqual([])
    },
  )

  test('regression: is looked at again by the next hour’s run, and not by each until then', async () => {
    const harness = await lostDay({ count: 3, badAt: 1 })
    let asked = 0
    const { body } = harness.logs
    const pageOfDay: EventLog['pageOfDay'] = query => {
      asked += 1
      return body.pageOfDay(query)
    }
    const handler = createHandler({ ...harness.deps, log: { ...body, pageOfDay } })
    expect(await handler({})).toEqual({ released: 0, reconciled: 2, complete: true })
    await harness.turn(hourMs - 1)
    await handler({})
    expect(asked).toBe(1)
    await harness.turn(1)
    await handler({})
    expect(asked).toBe(2)
    const told = harness.happenings.filter(({ kind }) => kind === 'fault')
    expect(told.map(of => of.kind === 'fault' && of.event)).toEqual([harness.badId, harness.badId])
  })

  test('regression: holds up itself alone where it is the delivery that a refused one would be written over', async () => {
    const harness = await lostDay({ count: 3, badAt: 1 })
    const queue: typeof harness.deps.queue = {
      send: async entries => {
        const results = await harness.deps.queue.send(entries)
        return entries.map((entry, at) =>
          messageIn(entry).eventId === harness.badId
            ? { kind: 'refused', reason: 'too long' }
            : (results[at] ?? { kind: 'failed', reason: 'none' }),
        )
      },
    }
    const store = { ...harness.store, write: async () => Promise.reject(newer) }
    const deps = { ...harness.deps, queue, store }
    expect(await reconcile(harness, deps)).toEqual({ sent: 2, complete: true })
    expect(harness.happenings.map(({ kind }) => kind)).toEqual(['reconciled', 'fault', 'reconciled'])
    expect(await harness.marked()).toEqual([mark])
  })

  test('regression: is not what a table is that is unavailable: its day is begun anew by the next run', async () => {
    const harness = await lostDay({ count: 3, badAt: 1 })
    const asked: string[] = []
    const read: EventLog['read'] = async ({ eventId }) => {
      asked.push(eventId)
      throw unavailable
    }
    const deps = { ...harness.deps, log: { ...harness.log, read } }
    expect(await reconcile(harness, deps)).toEqual({ sent: 0, complete: false })
    expect(asked).toHaveLength(3)
    expect(harness.happenings).toEqual([{ ...pageFault(unavailable), endpoint: null }])
    expect(await harness.marked()).toEqual([mark])
  })
})
