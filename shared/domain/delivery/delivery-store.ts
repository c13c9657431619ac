import type { Delivery, DeliveryKey, IndexedState } from './delivery.ts'

/**
 * When a write of a delivery may happen. Each names what it guards:
 * - `unsettled_before`: no item, or one that is neither delivered nor cancelled and whose position is lower than
 *   `rank`. A failure or a hold must never undo a success or another worker's later attempt.
 * - `round_not_passed`: no item, or one whose position is below `rank` (the next round's start) and that is neither
 *   delivered already nor forgotten. A success is the truth whatever a slower worker wrote, unless an operator has begun
 *   another round since. One whose recipient was forgotten must not get back what its endpoint answered: that is for
 *   whoever is refused to see to.
 * - `unchanged`: the item is the one that was read (its `writeId`). For the operator's and the releaser's writes.
 */
export type WriteCondition =
  | { kind: 'unsettled_before'; rank: number }
  | { kind: 'round_not_passed'; rank: number }
  | { kind: 'unchanged'; writeId: string }

export type WriteResult = 'written' | 'refused'

/** An entry of the sparse index: keys only, perhaps stale. */
export type IndexEntry = DeliveryKey & { state: IndexedState; dueMs: number }

/** What deliveries became of. Every read is consistent, but for `due`, which asks an index, and `eventIds`. */
export interface DeliveryStore {
  /** At most `deliveriesReadMax` keys, in any order; a key without item is absent. */
  readMany(keys: readonly DeliveryKey[]): Promise<Delivery[]>
  read(key: DeliveryKey): Promise<Delivery | null>
  write(delivery: Delivery, condition: WriteCondition): Promise<WriteResult>
  /**
   * Moves the due time of an item that is still in `state` with `fromDueMs` (a lease: of several that try, one wins).
   * Returns the item as it is then, or null where it had moved on.
   */
  moveDue(entry: IndexEntry, toDueMs: number): Promise<Delivery | null>
  /** Entries of one endpoint and state due at or before `untilMs`, oldest first, at most `limit` from each shard. */
  due(query: {
    endpointId: string
    state: IndexedState
    untilMs: number
    limit: number
  }): Promise<IndexEntry[]>
  /** The event ids of an endpoint's deliveries within an inclusive range of ids of one day; perhaps stale. */
  eventIds(query: { endpointId: string; firstEventId: string; lastEventId: string }): Promise<Set<string>>
}

/** BatchGetItem's limit. */
export const deliveriesReadMax = 100
