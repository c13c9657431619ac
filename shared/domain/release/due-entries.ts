import type { Clock } from '../clock.ts'
import type { Delivery, IndexedState } from '../delivery/delivery.ts'
import { queueDelayMsMax } from '../delivery/delivery-queue.ts'
import { graceMs } from '../delivery/delivery-record.ts'
import { type DeliveryStore, deliveriesReadMax, type IndexEntry } from '../delivery/delivery-store.ts'
import { readDeliveries } from '../delivery/read-deliveries.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Reporter } from '../happenings.ts'
import { unlessUnreadable } from '../unreadable-item.ts'

/** Entries asked of each shard of the index at a time. */
export const entriesPerShardMax = 12
/** Entries of one page: as many events are in memory at once. */
export const entriesAtOnceMax = deliveriesReadMax
/** Entries that a run may leave where they are, for one endpoint and state; beyond that it asks no further. */
export const entriesLeftMax = 10_000

/** How long whoever moved an entry has to send it and to have it settled. */
export const leaseMs = graceMs

/**
 * Where the queues live in the process and were lost with it: whatever could have waited in them is due, by the index,
 * within this time.
 */
export const lostQueueHorizonMs = queueDelayMsMax + graceMs

/** What is due of one endpoint in one state, a page at a time. */
export interface DueEntries {
  /**
   * Leases what is next, at most `max`, and returns what this run won of it and can read; null where nothing is left.
   */
  takePage(max?: number): Promise<Delivery[] | null>
}

/**
 * The pages of what is due at or before the run's start and its horizon. An entry leaves them by being leased beyond
 * that; one that stays where it is (the index was stale, or it is left as it is) is remembered, so that every page
 * shows something new.
 */
export const createDueEntries = (
  of: {
    endpoint: Endpoint
    state: IndexedState
    startedAtMs: number
    horizonMs: number
    /** Asked where there is something to take; false: nothing is. Default: it may be. */
    mayTake?: () => Promise<boolean>
  },
  deps: { store: DeliveryStore; clock: Clock; reporter: Reporter },
): DueEntries => {
  const { store, clock, reporter } = deps
  const endpointId = of.endpoint.id
  const untilMs = of.startedAtMs + of.horizonMs
  const left = new Set<string>()

  const nextEntries = async (max: number): Promise<IndexEntry[]> => {
    if (left.size > entriesLeftMax) return []
    const limit = entriesPerShardMax + left.size
    const entries = await store.due({ endpointId, state: of.state, untilMs, limit })
    return entries.filter(entry => !left.has(nameOf(entry))).slice(0, max)
  }

  /** The items of those entries whose due time alone does not say that they are to be sent. */
  const readUnsure = async (entries: readonly IndexEntry[]): Promise<Map<string, Delivery>> => {
    const unsure = entries.filter(({ dueMs }) => dueMs >= of.startedAtMs)
    if (unsure.length === 0) return new Map()
    const keys = unsure.map(({ eventId }) => ({ endpointId, eventId }))
    // One that can't be read is told when it is leased.
    const { deliveries } = await readDeliveries(keys, store)
    return new Map(deliveries.map(delivery => [delivery.eventId, delivery]))
  }

  const lease = async (entry: IndexEntry, item: Delivery | undefined): Promise<Delivery | null> => {
    const fromMs = Math.max(clock.now(), item?.retryAtMs ?? 0)
    return store.moveDue(entry, Math.max(fromMs + leaseMs, untilMs + 1))
  }

  /** Settled since the run began: its message is on its way. Or its time is too far off for the queue. */
  const isLeftAlone = ({ updatedAtMs, retryAtMs }: Delivery): boolean =>
    updatedAtMs >= of.startedAtMs || (retryAtMs ?? 0) - clock.now() > queueDelayMsMax

  const leave = (entry: IndexEntry): null => {
    left.add(nameOf(entry))
    return null
  }

  return {
    takePage: async (max = entriesAtOnceMax) => {
      const entries = await nextEntries(Math.min(max, entriesAtOnceMax))
      if (entries.length === 0) return null
      if (of.mayTake !== undefined && !(await of.mayTake())) return null
      const items = await readUnsure(entries)
      const taken = await Promise.all(
        entries.map(async entry => {
          const item = items.get(entry.eventId)
          if (item !== undefined && isLeftAlone(item)) return leave(entry)
          const leased = await unlessUnreadable(entry, () => lease(entry, item), reporter)
          return leased?.value ?? leave(entry)
        }),
      )
      return taken.filter(delivery => delivery !== null)
    },
  }
}

const nameOf = ({ eventId, dueMs }: IndexEntry): string => `${eventId} ${dueMs}`
