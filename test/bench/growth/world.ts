import * as z from 'zod'
import { shardOf } from '../../../shared/adapters/delivery-index.ts'
import { deliveryItem } from '../../../shared/adapters/dynamodb/delivery-item.ts'
import { eventItem } from '../../../shared/adapters/dynamodb/event-item.ts'
import { deliveryPartition, eventPartition, indexKey } from '../../../shared/adapters/dynamodb/keys.ts'
import type { Delivery, IndexedState } from '../../../shared/domain/delivery/delivery.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { dayOfSecond, eventId, eventIdRange, eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { FeedbackRecord } from '../../../shared/domain/feedback/record.ts'
import { eventLifeDays } from '../../../shared/domain/polling/event-log.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { daySeconds, hourMs } from '../../../shared/domain/time-units.ts'
import type { Item } from '../price/item-units.ts'
import type { CountedTable } from './counted-table.ts'
import { toWireItem } from './wire-item.ts'

/** How much there is of what grows. */
export const sizesSchema = z.object({
  events: z.number(),
  waiting: z.number(),
  held: z.number(),
  endpoints: z.number(),
})
export type Sizes = z.infer<typeof sizesSchema>

export const sourceId = 'main'
/** In the evening of a day, so that today's partitions are large. */
export const startMs = Date.UTC(2026, 10, 21, 18)
export const startSecond = startMs / 1_000
/** Gets everything; what waits is another one's, and what is held that of one whose breaker is open. */
export const endpointIds = { all: 'ep-00000', held: 'ep-00001', waiting: 'ep-00002' } as const

/** What grows lies in the past, evenly over as long as the service keeps a record … */
const pastFromSecond = startSecond - 34 * daySeconds
/** … and before the last hours, in which as much comes whatever the size: else more would be read because more came. */
const recentSeconds = 6 * 3_600
const recentEverySeconds = 30

/** The records of the last hours, alike whatever the size. */
export const recentRecords = (stream: StreamName): FeedbackRecord[] =>
  Array.from({ length: recentSeconds / recentEverySeconds }, (_, at) =>
    recordAt(stream, startSecond - recentSeconds + (at + 1) * recentEverySeconds - 15, 'r'),
  )

/** A record of this second, with a name that tells it from others of the same. */
export const recordAt = (stream: StreamName, second: number, name: string): FeedbackRecord => {
  const value = {
    ...{ uuid: `${stream}-${second}-${name}`, timelogged: second, rcptto: 'jo@example.com' },
    ...{ headerfrom: 'Acme <news@acme.io>', category: 'bad-mailbox', type: 'hard' },
    dsndiag: 'smtp; 550 5.1.1 no such user here',
  }
  const read = readRecord({ text: JSON.stringify(value), value })
  if (read.kind !== 'record') throw new Error(read.reason)
  return read.record
}

export const idOf = (stream: StreamName, { uuid, second }: FeedbackRecord): string =>
  eventId({ sourceId, stream, uuid, second })

const nthChars = 10

/** Ids spread over the past, in order; `series` keeps those of one kind apart from those of another. */
export const pastIds = (count: number, series: number): string[] =>
  Array.from({ length: count }, (_, at) => {
    const span = startSecond - recentSeconds - pastFromSecond
    const second = pastFromSecond + Math.floor((at * span) / count)
    const nth = String(series * 100_000_000 + at).padStart(nthChars, '0')
    return eventIdRange(second, second).first.slice(0, -nthChars) + nth
  })

const expiresAt = (second: number): number => second + eventLifeDays * daySeconds

/** Puts all of it into the table, but for what the adapters put there as well: endpoints, cursors, what is due. */
export const fillTable = (table: CountedTable, sizes: Sizes): void => {
  const recent = recentRecords('bounces').map(record => idOf('bounces', record))
  const events = [...pastIds(sizes.events, 1), ...recent]
  fillEvents(table, 'bounces', events)
  fillEvents(
    table,
    'complaints',
    recentRecords('complaints').map(record => idOf('complaints', record)),
  )
  fillDeliveries(table, events, { endpointId: endpointIds.all, ...delivered })
  const waiting = pastIds(sizes.waiting, 2)
  fillDeliveries(table, waiting, { endpointId: endpointIds.waiting, ...unsettled('waiting') })
  // In the next three days, so that nothing of it is due.
  fillIndex(
    table,
    waiting,
    { endpointId: endpointIds.waiting, state: 'waiting' },
    at => startMs + hourMs + Math.floor((at * 72 * hourMs) / waiting.length),
  )
  const held = pastIds(sizes.held, 3)
  fillDeliveries(table, held, { endpointId: endpointIds.held, ...unsettled('held') })
  // Set aside in the last hours.
  fillIndex(
    table,
    held,
    { endpointId: endpointIds.held, state: 'held' },
    at => startMs - Math.floor((at * 10 * hourMs) / held.length),
  )
}

const byDay = (ids: readonly string[]): [string, string[]][] =>
  [...Map.groupBy(ids, id => Math.floor(eventSecond(id) / daySeconds))].map(([day, ofDay]) => [
    dayOfSecond(day * daySeconds),
    ofDay,
  ])

const fillEvents = ({ main }: CountedTable, stream: StreamName, ids: readonly string[]): void => {
  const record = recordAt(stream, startSecond, 'body')
  const event = buildEvent({ source: { id: sourceId }, stream, record })
  const template = toWireItem(
    eventItem({
      ...{ id: event.id, sourceId, stream, type: event.type, recordId: record.uuid, second: event.second },
      ...{ body: event.body, loggedAtMs: startMs, expiresAtSeconds: expiresAt(startSecond) },
      endpointIds: stream === 'bounces' ? [endpointIds.all] : [],
    }),
  )
  for (const [day, ofDay] of byDay(ids)) {
    const pk = eventPartition({ sourceId, stream, day })
    main.fillWith(pk, ofDay, sk => {
      const second = eventSecond(sk)
      const times = { s: second, l: (second + 5) * 1_000, expiresAt: expiresAt(second) }
      return { ...template, ...toWireItem({ pk, sk, ...times }) }
    })
  }
}

type DeliveryFields = Omit<Delivery, 'eventId' | 'sourceId' | 'stream' | 'writeId' | 'expiresAtSeconds'>

const delivered = {
  ...{ state: 'delivered', position: { round: 1, attempt: 1 }, retryAtMs: null, dueMs: null },
  ...{ firstFailureAtMs: null, reason: null, attempts: [], updatedAtMs: startMs },
} as const satisfies Partial<Delivery>

const failedAttempt = {
  ...{ position: { round: 1, attempt: 1 }, atMs: startMs - hourMs, tookMs: 120, status: 503 },
  ...{ reason: 'http_503', answer: 'try again later' },
} as const

/** The due time stands in the index alone: what is never due is never looked at. */
export const unsettled = (state: IndexedState) =>
  ({
    ...{ state, position: { round: 1, attempt: 1 }, retryAtMs: null, dueMs: null },
    ...{ firstFailureAtMs: startMs - hourMs, reason: 'http_503', attempts: [failedAttempt] },
    updatedAtMs: startMs - hourMs,
  }) satisfies Partial<Delivery>

const fillDeliveries = ({ main }: CountedTable, ids: readonly string[], of: DeliveryFields): void => {
  const [first] = ids
  if (first === undefined) return
  const kept = { eventId: first, sourceId, stream: 'bounces', writeId: 'bench' } as const
  const template: Item = toWireItem(
    deliveryItem({ ...of, ...kept, expiresAtSeconds: expiresAt(startSecond) }),
  )
  for (const [day, ofDay] of byDay(ids)) {
    const pk = deliveryPartition({ endpointId: of.endpointId, day })
    main.fillWith(pk, ofDay, sk => ({ ...template, ...toWireItem({ pk, sk }) }))
  }
}

const fillIndex = (
  { due }: CountedTable,
  ids: readonly string[],
  of: { endpointId: string; state: IndexedState },
  dueMsOf: (at: number) => number,
): void => {
  const entries = ids.map((id, at) => ({ id, dueMs: dueMsOf(at) }))
  for (const ofShard of Map.groupBy(entries, ({ id }) => shardOf(id)).values()) {
    const keys = ofShard.map(({ id, dueMs }) => indexKey({ ...of, eventId: id, dueMs }))
    const ipk = keys[0]?.ipk ?? ''
    due.fillWith(
      ipk,
      keys.map(({ isk }) => isk),
      isk => {
        const sk = isk.split('#')[1] ?? ''
        const day = dayOfSecond(eventSecond(sk))
        return toWireItem({ ipk, isk, pk: deliveryPartition({ endpointId: of.endpointId, day }), sk })
      },
    )
  }
}
