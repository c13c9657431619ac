import type { Delivery, DeliveryKey } from '../../domain/delivery/delivery.ts'
import type { DeliveryStore, IndexEntry, WriteCondition } from '../../domain/delivery/delivery-store.ts'
import { isForgotten } from '../../domain/delivery/forgotten-delivery.ts'
import { rank } from '../../domain/delivery/position.ts'
import { eventDay } from '../../domain/feedback/event-id.ts'
import { indexEntryOf, shardOf } from '../delivery-index.ts'
import { dayOfRange } from '../event-days.ts'
import { byText } from './order.ts'

/** Throws, as the table does, where the event id is none. */
const textOf = ({ endpointId, eventId }: DeliveryKey): string =>
  `${endpointId}#${eventDay(eventId)}#${eventId}`

const holds = (condition: WriteCondition, found: Delivery | undefined): boolean => {
  if (!found) return condition.kind !== 'unchanged'
  switch (condition.kind) {
    case 'unsettled_before':
      return (
        found.state !== 'delivered' && found.state !== 'cancelled' && rank(found.position) < condition.rank
      )
    case 'round_not_passed':
      return found.state !== 'delivered' && !isForgotten(found) && rank(found.position) < condition.rank
    case 'unchanged':
      return found.writeId === condition.writeId
  }
}

/** Deliveries in memory; the index is what their states and due times make it, and never stale. */
export const createMemoryDeliveryStore = (): DeliveryStore => {
  const deliveries = new Map<string, Delivery>()
  const index = new Map<string, Map<string, IndexEntry>>()
  const indexOf = ({ state, endpointId }: Pick<IndexEntry, 'state' | 'endpointId'>) => {
    const entries = index.get(`${state}#${endpointId}`) ?? new Map<string, IndexEntry>()
    index.set(`${state}#${endpointId}`, entries)
    return entries
  }
  const put = (key: string, delivery: Delivery): void => {
    const before = deliveries.get(key)
    const entryBefore = before ? indexEntryOf(before) : null
    if (entryBefore) indexOf(entryBefore).delete(key)
    const entry = indexEntryOf(delivery)
    if (entry) indexOf(entry).set(key, entry)
    deliveries.set(key, structuredClone(delivery))
  }
  return {
    readMany: async keys => {
      const found = [...new Set(keys.map(textOf))].map(key => deliveries.get(key))
      return structuredClone(found.filter(delivery => delivery !== undefined))
    },

    read: async key => structuredClone(deliveries.get(textOf(key)) ?? null),

    write: async (delivery, condition) => {
      const key = textOf(delivery)
      if (!holds(condition, deliveries.get(key))) return 'refused'
      put(key, delivery)
      return 'written'
    },

    moveDue: async (entry, toDueMs) => {
      const key = textOf(entry)
      const found = deliveries.get(key)
      if (found?.state !== entry.state || found.dueMs !== entry.dueMs) return null
      const moved = { ...found, dueMs: toDueMs }
      put(key, moved)
      return structuredClone(moved)
    },

    due: async ({ endpointId, state, untilMs, limit }) => {
      const entries = [...indexOf({ state, endpointId }).values()]
        .filter(entry => entry.dueMs <= untilMs)
        .sort(byDue)
      const shards = Map.groupBy(entries, entry => shardOf(entry.eventId))
      return structuredClone([...shards.values()].flatMap(shard => shard.slice(0, limit)).sort(byDue))
    },

    eventIds: async ({ endpointId, firstEventId, lastEventId }) => {
      dayOfRange(firstEventId, lastEventId)
      const ids = [...deliveries.values()]
        .filter(delivery => delivery.endpointId === endpointId)
        .map(delivery => delivery.eventId)
      return new Set(ids.filter(id => id >= firstEventId && id <= lastEventId))
    },
  }
}

const byEvent = byText<IndexEntry>(entry => entry.eventId)
const byDue = (a: IndexEntry, b: IndexEntry): number => a.dueMs - b.dueMs || byEvent(a, b)
