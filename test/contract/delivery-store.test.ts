import { describe, expect, it } from 'vitest'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createMemoryDeliveryStore } from '../../shared/adapters/memory/delivery-store.ts'
import type { Delivery, DeliveryState } from '../../shared/domain/delivery/delivery.ts'
import { deliveryStates } from '../../shared/domain/delivery/delivery.ts'
import type { DeliveryStore, IndexEntry } from '../../shared/domain/delivery/delivery-store.ts'
import { rank } from '../../shared/domain/delivery/position.ts'
import { deliveredDelivery, idAt, sampleDelivery } from './support/samples.ts'
import { useTables } from './support/test-table.ts'

const anyCondition = { kind: 'unsettled_before', rank: rank({ round: 9, attempt: 0 }) } as const
const key = { endpointId: 'shop', eventId: idAt(0) }
const dueMs = 1_795_140_000_000
const entry = { ...key, state: 'waiting', dueMs } as const satisfies IndexEntry
const dueQuery = { endpointId: 'shop', state: 'waiting', untilMs: dueMs, limit: 100 } as const

const put = async (store: DeliveryStore, fields: Partial<Delivery> = {}) => {
  const delivery = sampleDelivery({ dueMs, ...fields })
  expect(await store.write(delivery, anyCondition)).toBe('written')
  return delivery
}

const describeDeliveryStore = (name: string, create: () => Promise<DeliveryStore>) =>
  describe(`delivery store: ${name}`, () => {
    it('gives back a delivery as it was written', async () => {
      const store = await create()
      const full = sampleDelivery({
        attempts: [
          {
            position: { round: 2, attempt: 3 },
            atMs: 1,
            tookMs: 2.5,
            status: null,
            reason: 'timeout',
            answer: '',
          },
          {
            position: { round: 2, attempt: 4 },
            atMs: 3,
            tookMs: 4,
            status: 500,
            reason: 'status',
            answer: 'é😀',
          },
        ],
        position: { round: 2, attempt: 4 },
      })
      const bare = deliveredDelivery({ eventId: idAt(1), attempts: [] })
      for (const delivery of [full, bare]) {
        expect(await store.write(delivery, anyCondition)).toBe('written')
        expect(await store.read(delivery)).toEqual(delivery)
      }
    })

    it('gives back the answer of each attempt, also where some are the same', async () => {
      const store = await create()
      const attempts = ['a', 'same', 'same', 'same', '', '', 'same'].map((answer, at) => ({
        ...{ position: { round: 1, attempt: at + 1 }, atMs: at, tookMs: 4 },
        ...{ status: 500, reason: 'status', answer },
      }))
      const delivery = sampleDelivery({ attempts, position: { round: 1, attempt: 7 } })
      expect(await store.write(delivery, anyCondition)).toBe('written')
      expect((await store.read(delivery))?.attempts).toEqual(attempts)
    })

    it('has no delivery that was not written', async () => {
      const store = await create()
      await put(store)
      expect(await store.read({ ...key, endpointId: 'other' })).toBeNull()
      expect(await store.read({ ...key, eventId: idAt(1) })).toBeNull()
    })

    it('reads many at once: each key once, those without an item absent', async () => {
      const store = await create()
      const ids = Array.from({ length: 150 }, (_, n) => idAt(n * 1_000, `record-${n}`))
      await Promise.all(ids.filter((_, n) => n % 3 > 0).map(eventId => put(store, { eventId })))
      const read = await store.readMany([...ids, ...ids.slice(0, 10)].map(eventId => ({ ...key, eventId })))
      expect(read.map(delivery => delivery.eventId).toSorted()).toEqual(
        ids.filter((_, n) => n % 3 > 0).toSorted(),
      )
      expect(await store.readMany([])).toEqual([])
    })

    describe('unsettled_before', () => {
      const below = (attempt: number) =>
        ({ kind: 'unsettled_before', rank: rank({ round: 1, attempt }) }) as const

      it.each(deliveryStates)(
        'with a higher rank, over a %s delivery, is refused only if it is settled',
        async state => {
          const store = await create()
          const found = await put(store, { state })
          const next = sampleDelivery({ position: { round: 1, attempt: 2 } })
          const settled: DeliveryState[] = ['delivered', 'cancelled']
          expect(await store.write(next, below(2))).toBe(settled.includes(state) ? 'refused' : 'written')
          expect(await store.read(key)).toEqual(settled.includes(state) ? found : next)
        },
      )

      it('is refused where the recorded position is as far, or further', async () => {
        const store = await create()
        const found = await put(store, { position: { round: 1, attempt: 3 } })
        for (const attempt of [1, 2, 3]) {
          expect(await store.write(sampleDelivery(), below(attempt))).toBe('refused')
        }
        expect(await store.read(key)).toEqual(found)
      })

      it('counts a later round above any attempt', async () => {
        const store = await create()
        await put(store, { position: { round: 1, attempt: 998 } })
        expect(await store.write(sampleDelivery(), below(999))).toBe('written')
        await put(store, { position: { round: 2, attempt: 0 } })
        expect(await store.write(sampleDelivery(), below(999))).toBe('refused')
      })

      it('takes one of two writers of the same attempt', async () => {
        const store = await create()
        const results = await Promise.all([1, 2, 3].map(() => store.write(sampleDelivery(), below(1))))
        expect(results.toSorted()).toEqual(['refused', 'refused', 'written'])
      })
    })

    describe('round_not_passed', () => {
      const nextRound = { kind: 'round_not_passed', rank: rank({ round: 2, attempt: 0 }) } as const

      it.each(deliveryStates)(
        'over a %s delivery of the round is refused only if it is delivered',
        async state => {
          const store = await create()
          await put(store, { state, position: { round: 1, attempt: 998 } })
          const expected = state === 'delivered' ? 'refused' : 'written'
          expect(await store.write(deliveredDelivery(), nextRound)).toBe(expected)
        },
      )

      it('is written where there is none, and refused where the next round has begun', async () => {
        const store = await create()
        expect(await store.write(deliveredDelivery(), nextRound)).toBe('written')
        const other = { ...key, eventId: idAt(1) }
        await put(store, { ...other, position: { round: 2, attempt: 0 } })
        expect(await store.write(deliveredDelivery(other), nextRound)).toBe('refused')
      })
    })

    it('unchanged: takes a write over the item that was read, and over no other and none', async () => {
      const store = await create()
      const read = await put(store)
      const replay = sampleDelivery({ position: { round: 2, attempt: 0 } })
      expect(await store.write(replay, { kind: 'unchanged', writeId: 'another' })).toBe('refused')
      expect(await store.write(replay, { kind: 'unchanged', writeId: read.writeId })).toBe('written')
      expect(await store.write(sampleDelivery(), { kind: 'unchanged', writeId: read.writeId })).toBe(
        'refused',
      )
      const none = sampleDelivery({ eventId: idAt(5) })
      expect(await store.write(none, { kind: 'unchanged', writeId: none.writeId })).toBe('refused')
      expect(await store.read(key)).toEqual(replay)
    })

    describe('the index', () => {
      it.each(deliveryStates)(
        'has an entry for a %s delivery with a due time only if its state is indexed',
        async state => {
          const store = await create()
          await put(store, { state })
          for (const asked of ['waiting', 'held', 'dead'] as const) {
            const expected = asked === state ? [{ ...entry, state: asked }] : []
            expect(await store.due({ ...dueQuery, state: asked })).toEqual(expected)
          }
        },
      )

      it('has no entry without a due time', async () => {
        const store = await create()
        await put(store, { dueMs: null })
        expect(await store.due(dueQuery)).toEqual([])
      })

      it('gives what is due at or before a time, oldest first, of one endpoint', async () => {
        const store = await create()
        const entries = Array.from({ length: 40 }, (_, n) => ({
          ...entry,
          eventId: idAt(40 - n, `record-${n}`),
          dueMs: dueMs - 39 + n,
        }))
        await Promise.all(entries.map(({ eventId, dueMs: at }) => put(store, { eventId, dueMs: at })))
        await put(store, { eventId: idAt(50), dueMs: dueMs + 1 })
        await put(store, { endpointId: 'other', eventId: idAt(51) })
        expect(await store.due(dueQuery)).toEqual(entries)
        expect(await store.due({ ...dueQuery, untilMs: dueMs - 30 })).toEqual(entries.slice(0, 10))
      })

      it('gives at most the limit from each of 8 shards, and the oldest of each', async () => {
        const store = await create()
        const ids = Array.from({ length: 80 }, (_, n) => idAt(n, `record-${n}`))
        await Promise.all(ids.map((eventId, n) => put(store, { eventId, dueMs: dueMs - 80 + n })))
        const all = await store.due(dueQuery)
        const some = await store.due({ ...dueQuery, limit: 2 })
        expect(all).toHaveLength(80)
        expect(some.length).toBeGreaterThanOrEqual(2)
        expect(some.length).toBeLessThanOrEqual(16)
        expect(some[0]).toEqual(all[0])
        expect(all).toEqual(expect.arrayContaining(some))
      })

      it('loses its entry when the delivery is settled', async () => {
        const store = await create()
        await put(store)
        await store.write(deliveredDelivery(), anyCondition)
        expect(await store.due(dueQuery)).toEqual([])
      })
    })

    describe('moveDue', () => {
      it('moves the due time and returns the delivery, otherwise as it was', async () => {
        const store = await create()
        const delivery = await put(store)
        const moved = { ...delivery, dueMs: dueMs + 900_000 }
        expect(await store.moveDue(entry, dueMs + 900_000)).toEqual(moved)
        expect(await store.read(key)).toEqual(moved)
        expect(await store.due(dueQuery)).toEqual([])
        const later = await store.due({ ...dueQuery, untilMs: dueMs + 900_000 })
        expect(later).toEqual([{ ...entry, dueMs: dueMs + 900_000 }])
      })

      it('has one winner', async () => {
        const store = await create()
        await put(store)
        const results = await Promise.all([1, 2, 3].map(() => store.moveDue(entry, dueMs + 900_000)))
        expect(results.filter(result => result !== null)).toHaveLength(1)
      })

      it('moves nothing where the delivery is gone, in another state or due at another time', async () => {
        const store = await create()
        expect(await store.moveDue(entry, dueMs + 1)).toBeNull()
        const delivery = await put(store, { state: 'held' })
        expect(await store.moveDue(entry, dueMs + 1)).toBeNull()
        expect(await store.moveDue({ ...entry, state: 'held', dueMs: dueMs - 1 }, dueMs + 1)).toBeNull()
        expect(await store.read(key)).toEqual(delivery)
      })
    })

    it('finds the event ids of an inclusive range of one day', async () => {
      const store = await create()
      const ids = Array.from({ length: 20 }, (_, n) => idAt(n, `record-${n}`))
      await Promise.all(ids.map(eventId => put(store, { eventId })))
      await put(store, { endpointId: 'other', eventId: idAt(7, 'other') })
      const [firstEventId = '', lastEventId = ''] = [ids[5], ids[14]]
      const query = { endpointId: 'shop', firstEventId, lastEventId }
      expect(await store.eventIds(query)).toEqual(new Set(ids.slice(5, 15)))
      await expect(store.eventIds({ ...query, lastEventId: idAt(86_400) })).rejects.toThrow(
        /more than one day/,
      )
    })

    it('keeps a copy: what the caller changes afterwards changes nothing here', async () => {
      const store = await create()
      const delivery = await put(store)
      const before = structuredClone(delivery)
      delivery.position.attempt = 7
      const read = await store.read(key)
      if (read) read.position.round = 7
      expect(await store.read(key)).toEqual(before)
    })

    it('refuses an event id that is none', async () => {
      await expect((await create()).read({ ...key, eventId: 'none' })).rejects.toThrow(/no event id/)
    })
  })

const tables = useTables()
describeDeliveryStore('twin in memory', async () => createMemoryDeliveryStore())
describeDeliveryStore('DynamoDB', async () => createDeliveryStore(await tables.fresh()))
