import type { IndexedState } from '../delivery/delivery.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { eventSecond } from '../feedback/event-id.ts'
import { hourMs } from '../time-units.ts'

/** Every due time lies before this: nothing is put off for longer than an event is kept. */
const horizonMs = 365 * 24 * hourMs

/** What stands of an endpoint's deliveries in one state. */
export type Standing = { count: number; atLeast: boolean; oldestEventMs: number | null }

/** Counts at most `perShardMax` entries in each shard of the index. */
export const countStanding = async (
  store: Pick<DeliveryStore, 'due'>,
  of: { endpointId: string; state: IndexedState; nowMs: number; perShardMax: number },
): Promise<Standing> => {
  const { endpointId, state, nowMs, perShardMax } = of
  const entries = await store.due({ endpointId, state, untilMs: nowMs + horizonMs, limit: perShardMax })
  const ids = entries.map(({ eventId }) => eventId)
  // Ids begin with their records' time: the lowest is the oldest.
  const oldest = ids.reduce<string | null>((low, id) => (low === null || id < low ? id : low), null)
  return {
    count: ids.length,
    // A shard that was read to its limit has at least as many.
    atLeast: ids.length >= perShardMax,
    oldestEventMs: oldest === null ? null : eventSecond(oldest) * 1_000,
  }
}
