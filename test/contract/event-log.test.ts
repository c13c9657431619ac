import { describe, expect, it } from 'vitest'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createMemoryEventLog } from '../../shared/adapters/memory/event-log.ts'
import type { EventLog, LoggedEvent } from '../../shared/domain/polling/event-log.ts'
import { day, dayStart, idAt, sampleEvent } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const stream = { sourceId: 'main', stream: 'bounces' } as const
const summaryOf = ({ body: _body, ...summary }: LoggedEvent) => summary
const idsOf = (events: readonly { id: string }[]) => events.map(event => event.id)
const sortedIds = (events: readonly { id: string }[]) => idsOf(events).toSorted()

/** Three a second for ten seconds, ids of a second in the order of their hashes. */
const thirty = Array.from({ length: 30 }, (_, n) => sampleEvent(Math.floor(n / 3), `record-${n}`))

const describeEventLog = (name: string, create: () => Promise<EventLog>) =>
  describe(`event log: ${name}`, () => {
    it('gives back an event as it was recorded', async () => {
      const log = await create()
      const events = [
        sampleEvent(1, 'a', {
          body: '{"name":"J\\u00fcrgen \\ud83d\\ude00, \\ud800"}',
          endpointIds: ['a', 'b'],
        }),
        sampleEvent(2, 'b', { body: '{"name":"日本語 😀"}', endpointIds: [] }),
        sampleEvent(3, 'c', { body: '' }),
      ]
      expect(await log.record(events)).toEqual(new Set(idsOf(events)))
      for (const event of events) expect(await log.read({ ...stream, eventId: event.id })).toEqual(event)
    })

    it('has no event that was not recorded', async () => {
      const log = await create()
      await log.record([sampleEvent(1)])
      expect(await log.read({ ...stream, eventId: idAt(2) })).toBeNull()
      expect(await log.read({ ...stream, stream: 'complaints', eventId: idAt(1) })).toBeNull()
    })

    it('keeps an event of 200 KB that hardly packs, as often as its fields repeat it', async () => {
      const log = await create()
      const noise = Array.from({ length: 200_000 }, (_, n) =>
        String.fromCharCode(33 + ((n * n * 7919 + n) % 89)),
      )
      const text = noise.join('').replaceAll(/["\\]/g, 'x')
      const large = sampleEvent(1, 'large', {
        body: JSON.stringify([text, text.toLowerCase(), { raw: text }]),
      })
      expect(await log.record([large, sampleEvent(2)])).toEqual(new Set([large.id, idAt(2)]))
      expect((await log.read({ ...stream, eventId: large.id }))?.body).toBe(large.body)
    })

    it('records nothing of nothing', async () => {
      expect(await (await create()).record([])).toEqual(new Set())
    })

    it('records more than one batch, and an event that comes twice', async () => {
      const log = await create()
      const events = Array.from({ length: 260 }, (_, n) => sampleEvent(n, `record-${n}`))
      const [again] = events
      expect(await log.record(again ? [...events, again] : [])).toEqual(new Set(idsOf(events)))
      const range = { ...stream, firstId: idAt(0, 'record-0'), lastId: idAt(259, 'record-259') }
      expect(await log.idsInRange(range)).toEqual(idsOf(events))
    })

    it('finds the ids of an inclusive range', async () => {
      const log = await create()
      await log.record(thirty)
      const inOrder = sortedIds(thirty)
      const [firstId = '', lastId = ''] = [inOrder[4], inOrder[9]]
      expect(await log.idsInRange({ ...stream, firstId, lastId })).toEqual(inOrder.slice(4, 10))
      expect(await log.idsInRange({ ...stream, stream: 'complaints', firstId, lastId })).toEqual([])
    })

    it('refuses a range of more than one day', async () => {
      const range = { ...stream, firstId: idAt(0), lastId: idAt(86_400) }
      await expect((await create()).idsInRange(range)).rejects.toThrow(/more than one day/)
    })

    it('finds which of many ids it has, on any day', async () => {
      const log = await create()
      const known = [...thirty, sampleEvent(-86_400, 'yesterday'), sampleEvent(-40 * 86_400, 'long ago')]
      await log.record(known)
      const unknown = Array.from({ length: 200 }, (_, n) => idAt(n, 'unknown'))
      const ids = [...unknown, ...idsOf(known), idAt(0, 'record-0')]
      expect(await log.existing({ ...stream, ids })).toEqual(new Set(idsOf(known)))
      expect(await log.existing({ ...stream, ids: [] })).toEqual(new Set())
    })

    it('finds the newest of a day up to a second, newest first', async () => {
      const log = await create()
      await log.record([...thirty, sampleEvent(86_400, 'tomorrow')])
      const wanted = thirty.filter(event => event.second <= dayStart + 7)
      const newest = wanted.toSorted((a, b) => (a.id < b.id ? 1 : -1)).map(summaryOf)
      const query = { ...stream, day, untilSecond: dayStart + 7 }
      expect(await log.newestOfDay({ ...query, limit: 5 })).toEqual(newest.slice(0, 5))
      expect(await log.newestOfDay({ ...query, limit: 100 })).toEqual(newest)
      expect(await log.newestOfDay({ ...query, untilSecond: dayStart - 1, limit: 5 })).toEqual([])
    })

    it("turns a day's pages in the order of ids, each from where the last one says", async () => {
      const log = await create()
      await log.record(thirty)
      const pages: string[][] = []
      let fromId: string | null = sortedIds(thirty)[0] ?? null
      while (fromId !== null) {
        const page = await log.pageOfDay({ ...stream, day, fromId, limit: 12 })
        pages.push(idsOf(page.events))
        fromId = page.nextFromId
      }
      expect(pages.map(page => page.length)).toEqual([12, 12, 6])
      expect(pages.flat()).toEqual(sortedIds(thirty))
    })

    it('ends a page that takes all there is with no next', async () => {
      const log = await create()
      await log.record(thirty)
      const inOrder = sortedIds(thirty)
      const page = await log.pageOfDay({ ...stream, day, fromId: inOrder[10] ?? '', limit: 20 })
      expect(idsOf(page.events)).toEqual(inOrder.slice(10))
      expect(page.nextFromId).toBeNull()
    })

    it('takes an event again, with what it says now', async () => {
      const log = await create()
      await log.record([sampleEvent(1)])
      await log.record([sampleEvent(1, 'record', { endpointIds: ['shop', 'crm'] })])
      expect((await log.read({ ...stream, eventId: idAt(1) }))?.endpointIds).toEqual(['shop', 'crm'])
    })
  })

const tables = useTables()
describeEventLog('twin in memory', async () => createMemoryEventLog())
describeEventLog('DynamoDB', async () => createEventLog(await tables.fresh()))
