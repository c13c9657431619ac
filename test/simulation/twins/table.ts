import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryForgettableItems } from '../../../shared/adapters/memory/forgettable-items.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { createMemoryReplayPlans } from '../../../shared/adapters/memory/replay-plans.ts'
import { createMemoryRunLease } from '../../../shared/adapters/memory/run-lease.ts'
import { createMemorySourceStore } from '../../../shared/adapters/memory/source-store.ts'
import type { Delivery, DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import type { Cursor, CursorKey, CursorStore } from '../../../shared/domain/polling/cursor.ts'
import type { EventLog, KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import type { QuarantinedRecord } from '../../../shared/domain/polling/quarantine.ts'
import type { ReconcileMark, ReconcileMarks } from '../../../shared/domain/release/reconcile-marks.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'

export const nameOfDelivery = ({ endpointId, eventId }: DeliveryKey): string => `${endpointId} ${eventId}`
export const nameOfCursor = ({ sourceId, stream, name }: CursorKey): string => `${sourceId} ${stream} ${name}`
const nameOfMark = ({ sourceId, stream, hour, day }: ReconcileMark): string =>
  `${sourceId} ${stream} ${hour} ${day}`

/** Told of each change once it holds. */
export type TableWatch = {
  delivery(after: Delivery, before: Delivery | null, by: 'write' | 'move'): void
  logged(events: readonly KeptEvent[]): void
  cursor(key: CursorKey, after: Cursor, before: Cursor | null): void
  markRemoved(mark: ReconcileMark): void
  deliveryExpired(delivery: Delivery): void
  eventExpired(event: KeptEvent): void
}

/** DynamoDB deletes what its TTL has passed within some days (Developer Guide, "Using time to live (TTL)"). */
const ttlLateSecondsMax = 2 * daySeconds

/**
 * The table: the memory adapters that pass the contract suite, with what lies in them readable at once, and a TTL that
 * strikes.
 */
export const createTable = (watch: TableWatch) => {
  let deliveryStore = createMemoryDeliveryStore()
  let eventLog = createMemoryEventLog()
  const cursorStore = createMemoryCursorStore()
  const markStore = createMemoryReconcileMarks()
  const quarantine = createMemoryQuarantine()
  const deliveries = new Map<string, Delivery>()
  const events = new Map<string, KeptEvent>()
  const cursors = new Map<string, Cursor>()
  const marks = new Map<string, ReconcileMark>()
  const takenOut = new Set<string>()

  const noteDelivery = (after: Delivery, by: 'write' | 'move'): void => {
    const before = deliveries.get(nameOfDelivery(after)) ?? null
    deliveries.set(nameOfDelivery(after), after)
    watch.delivery(after, before, by)
  }

  const store: DeliveryStore = {
    readMany: keys => deliveryStore.readMany(keys),
    read: key => deliveryStore.read(key),
    write: async (delivery, condition) => {
      const result = await deliveryStore.write(delivery, condition)
      if (result === 'written') noteDelivery(delivery, 'write')
      return result
    },
    moveDue: async (entry, toDueMs) => {
      const moved = await deliveryStore.moveDue(entry, toDueMs)
      if (moved !== null) noteDelivery(moved, 'move')
      return moved
    },
    due: query => deliveryStore.due(query),
    eventIds: query => deliveryStore.eventIds(query),
  }

  const log: EventLog = {
    idsInRange: query => eventLog.idsInRange(query),
    existing: query => eventLog.existing(query),
    record: async written => {
      // As the table does: a batch that names a key twice is refused as a whole.
      if (new Set(written.map(({ id }) => id)).size !== written.length)
        throw new Error('a key twice in one batch')
      const ids = await eventLog.record(written)
      for (const event of written) events.set(event.id, event)
      watch.logged(written)
      return ids
    },
    read: key => eventLog.read(key),
    newestOfDay: query => eventLog.newestOfDay(query),
    pageOfDay: query => eventLog.pageOfDay(query),
  }

  const cursorsOfTable: CursorStore = {
    read: key => cursorStore.read(key),
    commit: async (key, cursor, expected) => {
      const result = await cursorStore.commit(key, cursor, expected)
      if (result === 'moved') return result
      const before = cursors.get(nameOfCursor(key)) ?? null
      cursors.set(nameOfCursor(key), cursor)
      watch.cursor(key, cursor, before)
      return result
    },
  }

  const marksOfTable: ReconcileMarks = {
    lower: async mark => {
      await markStore.lower(mark)
      const known = marks.get(nameOfMark(mark))
      if (known === undefined || known.lowestId > mark.lowestId) marks.set(nameOfMark(mark), mark)
    },
    list: query => markStore.list(query),
    remove: async mark => {
      await markStore.remove(mark)
      if (marks.get(nameOfMark(mark))?.lowestId !== mark.lowestId) return
      marks.delete(nameOfMark(mark))
      watch.markRemoved(mark)
    },
  }

  /** Deletes some of what has expired: `isStruck` decides about each item that could be gone by now. */
  const expire = async (nowMs: number, isStruck: (lateSeconds: number) => boolean): Promise<number> => {
    const isGone = ({ expiresAtSeconds }: { expiresAtSeconds: number }): boolean => {
      const lateSeconds = nowMs / 1_000 - expiresAtSeconds
      return lateSeconds > 0 && (lateSeconds > ttlLateSecondsMax || isStruck(lateSeconds))
    }
    const oldDeliveries = [...deliveries.values()].filter(isGone)
    const oldEvents = [...events.values()].filter(isGone)
    for (const delivery of oldDeliveries) deliveries.delete(nameOfDelivery(delivery))
    for (const event of oldEvents) events.delete(event.id)
    if (oldDeliveries.length > 0) {
      deliveryStore = createMemoryDeliveryStore()
      const anyway = { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER } as const
      for (const delivery of deliveries.values()) await deliveryStore.write(delivery, anyway)
    }
    if (oldEvents.length > 0) {
      eventLog = createMemoryEventLog()
      for (const event of events.values()) await keep(event)
    }
    for (const delivery of oldDeliveries) watch.deliveryExpired(delivery)
    for (const event of oldEvents) watch.eventExpired(event)
    return oldDeliveries.length + oldEvents.length
  }
  const keep = async (event: KeptEvent): Promise<void> => {
    await eventLog.record([{ ...event, body: event.body ?? '' }])
    if (event.body !== null) return
    eventLog.forget({ ...event, eventId: event.id }, event.forgottenAtMs)
  }

  return {
    store,
    log,
    cursors: cursorsOfTable,
    marks: marksOfTable,
    quarantine,
    lease: createMemoryRunLease(),
    endpoints: createMemoryEndpointStore(),
    sources: createMemorySourceStore(),
    paces: createMemoryPaceStore(),
    heartbeats: createMemoryHeartbeatStore(),
    plans: createMemoryReplayPlans(),
    takeOut: async (record: QuarantinedRecord): Promise<void> => {
      takenOut.add(`${record.sourceId} ${record.stream} ${record.hash}`)
    },
    isTakenOut: (record: QuarantinedRecord): boolean =>
      takenOut.has(`${record.sourceId} ${record.stream} ${record.hash}`),
    forgettable: () => {
      const items = createMemoryForgettableItems({ log: eventLog, quarantine })
      return {
        ...items,
        forgetEvent: async (key: Parameters<typeof items.forgetEvent>[0], atMs: number) => {
          const event = events.get(key.eventId)
          if (event !== undefined) events.set(key.eventId, { forgottenAtMs: atMs, ...event, body: null })
          return items.forgetEvent(key, atMs)
        },
      }
    },
    expire,
    /** What lies in it: to be looked at, never changed. */
    seen: { deliveries, events, cursors, marks },
  }
}

export type Table = ReturnType<typeof createTable>
