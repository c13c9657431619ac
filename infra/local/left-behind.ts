import { type IndexedState, indexedStates } from '../../shared/domain/delivery/delivery.ts'
import type { DeliveryStore } from '../../shared/domain/delivery/delivery-store.ts'
import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'

/** Entries read of each shard, so that the summary of a large backlog costs no more than this. */
const entriesPerShardMax = 500
/** Later than any due time. */
const everMs = 999_999_999_999_999

export type Standing = { event: string; endpoint: string; state: IndexedState }

/** Deliveries that are unsettled or dead letters now, as far as they are few enough to be read one by one. */
export const readStanding = async (deps: {
  endpoints: EndpointStore
  store: DeliveryStore
}): Promise<{ standing: Standing[]; andMore: boolean }> => {
  const standing: Standing[] = []
  let andMore = false
  for (const { id } of await deps.endpoints.list()) {
    for (const state of indexedStates) {
      const query = { endpointId: id, state, untilMs: everMs, limit: entriesPerShardMax }
      const entries = await deps.store.due(query)
      andMore ||= entries.length >= entriesPerShardMax
      standing.push(...entries.map(entry => ({ event: entry.eventId, endpoint: id, state })))
    }
  }
  return { standing, andMore }
}

/** Whether any delivery is in this state, of any endpoint or of those alone that are active. */
export const anyIn = async (
  state: IndexedState,
  deps: { endpoints: EndpointStore; store: DeliveryStore },
  of: 'any' | 'active' = 'any',
): Promise<boolean> => {
  for (const endpoint of await deps.endpoints.list()) {
    if (of === 'active' && endpoint.state !== 'active') continue
    const query = { endpointId: endpoint.id, state, untilMs: everMs, limit: 1 }
    if ((await deps.store.due(query)).length > 0) return true
  }
  return false
}
