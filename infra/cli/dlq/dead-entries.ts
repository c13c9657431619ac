import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { indexShards } from '../../../shared/adapters/delivery-index.ts'
import type { Order } from '../../../shared/adapters/dynamodb/event-pages.ts'
import type { IndexPages } from '../../../shared/adapters/dynamodb/index-pages.ts'
import type { IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'

/** Shards that are asked at once. */
const shardsAtOnce = 8

/** What is left of a shard's page, and where its next one begins. */
type Reading = {
  endpointId: string
  shard: number
  entries: readonly IndexEntry[]
  at: number
  after: IndexEntry | null
}

/**
 * The index's entries of what is dead, by when it died: of all endpoints and shards together, with a page of keys of each in
 * memory.
 */
export async function* deadEntries(
  of: { endpointIds: readonly string[]; order: Order; signal: AbortSignal },
  pages: IndexPages,
): AsyncGenerator<IndexEntry> {
  const advance = async (from: Omit<Reading, 'entries' | 'at'>): Promise<Reading | null> => {
    for (let { after } = from; !of.signal.aborted; ) {
      const { endpointId, shard } = from
      const page = await pages.page({ endpointId, shard, state: 'dead', order: of.order, after })
      if (page.entries.length > 0) return { ...from, entries: page.entries, at: 0, after: page.after }
      if (page.after === null) return null
      after = page.after
    }
    return null
  }
  const shards = of.endpointIds.flatMap(endpointId =>
    indexShards.map(shard => ({ endpointId, shard, after: null })),
  )
  const opened = await mapBounded(shards, shardsAtOnce, advance)
  let open = opened.filter(reading => reading !== null)
  while (!of.signal.aborted) {
    const next = firstOf(open, of.order)
    const entry = next?.entries[next.at]
    if (next === null || entry === undefined) return
    yield entry
    next.at += 1
    if (next.at < next.entries.length) continue
    const more = next.after === null ? null : await advance(next)
    open = open.flatMap(reading => (reading !== next ? [reading] : more === null ? [] : [more]))
  }
}

const firstOf = (open: readonly Reading[], order: Order): Reading | null => {
  const dueAt = ({ entries, at }: Reading): number => entries[at]?.dueMs ?? 0
  const sign = order === 'oldest' ? 1 : -1
  return open.reduce<Reading | null>(
    (best, reading) => (best === null || sign * (dueAt(reading) - dueAt(best)) < 0 ? reading : best),
    null,
  )
}
