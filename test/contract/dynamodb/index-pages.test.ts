import { expect, test } from 'vitest'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { indexShards, shardOf } from '../../../shared/adapters/delivery-index.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import type { Order } from '../../../shared/adapters/dynamodb/event-pages.ts'
import { createIndexPages } from '../../../shared/adapters/dynamodb/index-pages.ts'
import type { IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import { idAt, sampleDelivery } from '../support/samples.ts'
import { useTables } from '../support/test-table.ts'

const tables = useTables()
const condition = { kind: 'unsettled_before', rank: rank({ round: 9, attempt: 1 }) } as const
const shard = indexShards[3]

test.each<Order>(['oldest', 'newest'])(
  'pages of one shard, %s due first, go on behind an entry that is gone by then',
  async order => {
    const table = await tables.fresh()
    const store = createDeliveryStore(table)
    const ids = Array.from({ length: 9_000 }, (_, at) => idAt(at, `record-${at}`))
      .filter(id => shardOf(id) === shard)
      .slice(0, 620)
    const dead = ids.map((eventId, at) =>
      // In the opposite order of the ids: it is the due time that counts.
      sampleDelivery({ eventId, state: 'dead', retryAtMs: null, dueMs: 2_000_000_000_000 - at }),
    )
    const elsewhere = [
      sampleDelivery({ eventId: ids[0] ?? '', endpointId: 'crm', state: 'dead' }),
      sampleDelivery({ eventId: idAt(9_999), state: 'waiting' }),
    ]
    await mapBounded([...dead, ...elsewhere], 16, delivery => store.write(delivery, condition))
    const pages = createIndexPages(table)
    const read: IndexEntry[] = []
    let count = 0
    for (let after: IndexEntry | null = null; ; ) {
      const page = await pages.page({ endpointId: 'shop', state: 'dead', shard, order, after })
      read.push(...page.entries)
      count += 1
      if (page.after === null) break
      after = page.after
      const { eventId } = after
      const gone = dead.find(delivery => delivery.eventId === eventId)
      if (gone === undefined) throw new Error('the page ends with one of its own')
      const unchanged = { kind: 'unchanged', writeId: gone.writeId } as const
      await store.write({ ...gone, state: 'cancelled', dueMs: null }, unchanged)
    }
    const entries = dead.map(({ endpointId, eventId, dueMs }) => ({
      endpointId,
      eventId,
      dueMs,
      state: 'dead',
    }))
    expect(read).toEqual(order === 'newest' ? entries : entries.toReversed())
    expect(count).toBe(2)
  },
)
