import { indexEntryOf } from '../../../shared/adapters/delivery-index.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { DeliveryStore, IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Scheduler } from '../engine/scheduler.ts'

/** An index, or a list, may be so old. */
export const staleMsMax = 5_000

type EventIdsQuery = Parameters<DeliveryStore['eventIds']>[0]
type DueQuery = Parameters<DeliveryStore['due']>[0]

/** What reads that are not consistent answer: what is there, or what was there some seconds ago. */
export const createStaleViews = (
  scheduler: Scheduler,
  now: Pick<DeliveryStore, 'due' | 'eventIds'> & { endpoints: () => Promise<Endpoint[]> },
) => {
  const changes: { atMs: number; after: Delivery; before: Delivery | null }[] = []
  const lists: { atMs: number; endpoints: Endpoint[] }[] = []
  return {
    noteDelivery: (after: Delivery, before: Delivery | null): void => {
      changes.push({ atMs: scheduler.now(), after, before })
      while ((changes[0]?.atMs ?? scheduler.now()) < scheduler.now() - staleMsMax) changes.shift()
    },
    noteEndpoints: (endpoints: Endpoint[]): void => {
      lists.push({ atMs: scheduler.now(), endpoints })
      while (lists.length > 1 && (lists[1]?.atMs ?? 0) < scheduler.now() - staleMsMax) lists.shift()
    },
    dueOf: async (query: DueQuery): Promise<IndexEntry[]> => {
      const entries = await now.due(query)
      if (!scheduler.strikes('stale')) return entries
      const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
      const byId = new Map(entries.map(entry => [entry.eventId, entry]))
      for (const { atMs, after, before } of changes.toReversed()) {
        if (atMs < sinceMs || after.endpointId !== query.endpointId) continue
        byId.delete(after.eventId)
        const entry = before === null ? null : indexEntryOf(before)
        if (entry?.state === query.state && entry.dueMs <= query.untilMs) byId.set(entry.eventId, entry)
      }
      return [...byId.values()]
    },
    eventIdsOf: async (query: EventIdsQuery): Promise<Set<string>> => {
      const ids = await now.eventIds(query)
      if (!scheduler.strikes('stale')) return ids
      const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
      const hidden = new Set(
        changes
          .filter(({ atMs, after, before }) => {
            return atMs > sinceMs && before === null && after.endpointId === query.endpointId
          })
          .map(({ after }) => after.eventId),
      )
      return new Set([...ids].filter(id => !hidden.has(id)))
    },
    listEndpoints: async (): Promise<Endpoint[]> => {
      const endpoints = await now.endpoints()
      if (!scheduler.strikes('stale')) return endpoints
      const sinceMs = scheduler.now() - scheduler.dice.int(0, staleMsMax)
      return structuredClone(lists.findLast(({ atMs }) => atMs <= sinceMs)?.endpoints ?? endpoints)
    },
  }
}
