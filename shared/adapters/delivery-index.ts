import { crc32 } from 'node:zlib'
import { type Delivery, type IndexedState, indexedStates } from '../domain/delivery/delivery.ts'

/** Shards of an index partition, so that one endpoint's backlog is not bound by one partition's 1,000 writes/s. */
export const indexShards = [0, 1, 2, 3, 4, 5, 6, 7] as const

export const shardOf = (eventId: string): number => crc32(eventId) % indexShards.length

const isIndexed = (state: Delivery['state']): state is IndexedState =>
  indexedStates.some(indexed => indexed === state)

/** A delivery's entry in the sparse index; null where its state has none, or it has no due time. */
export const indexEntryOf = ({ endpointId, eventId, state, dueMs }: Delivery) =>
  isIndexed(state) && dueMs !== null ? { endpointId, eventId, state, dueMs } : null
