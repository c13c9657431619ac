import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { IndexedState } from '../../domain/delivery/delivery.ts'
import type { IndexEntry } from '../../domain/delivery/delivery-store.ts'
import type { Order } from './event-pages.ts'
import { corruptItem, parseItem } from './item.ts'
import { deliveryKey, dueOfIndexSortKey, indexKey, indexPartition } from './keys.ts'
import { type TableName, tableDefinition } from './table.ts'
import { asked } from './table-errors.ts'

/** Entries have keys only: few bytes each. */
const pageEntriesMax = 500

/** One shard of the sparse index, as an operator looks through it: by due time, and so for what is dead by when it died. */
export interface IndexPages {
  page(query: {
    endpointId: string
    state: IndexedState
    shard: number
    order: Order
    /** Where the page before ended; it does not belong to this one. */
    after: IndexEntry | null
  }): Promise<{ entries: readonly IndexEntry[]; after: IndexEntry | null }>
}

const entrySchema = z.object({ sk: z.string(), isk: z.string() })

/** An index is perhaps stale: whoever goes by it reads the items. */
export const createIndexPages = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): IndexPages => ({
  page: async ({ endpointId, state, shard, order, after }) => {
    const entryOf = (item: unknown): IndexEntry => {
      const { sk, isk } = parseItem('index', entrySchema, item)
      const dueMs = dueOfIndexSortKey(isk)
      if (dueMs === null) throw corruptItem('index', 'isk: not a due time')
      return { endpointId, eventId: sk, state, dueMs }
    }
    const query = new QueryCommand({
      TableName: tableName,
      IndexName: tableDefinition.index.name,
      KeyConditionExpression: 'ipk = :ipk',
      ExpressionAttributeValues: { ':ipk': indexPartition(state, endpointId, shard) },
      ScanIndexForward: order === 'oldest',
      Limit: pageEntriesMax,
      ...(after !== null && { ExclusiveStartKey: { ...deliveryKey(after), ...indexKey(after) } }),
    })
    const answer = await asked(client.send(query))
    const end = answer.LastEvaluatedKey
    return {
      entries: (answer.Items ?? []).map(entryOf),
      after: end === undefined ? null : entryOf(end),
    }
  },
})
