import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { IndexedState } from '../../domain/delivery/delivery.ts'
import type { IndexEntry } from '../../domain/delivery/delivery-store.ts'
import { mapBounded } from '../bounded.ts'
import { indexShards } from '../delivery-index.ts'
import { corruptItem, parseItem } from './item.ts'
import { dueOfIndexSortKey, indexEndOf, indexPartition } from './keys.ts'
import { queryItems } from './query.ts'
import { type TableName, tableDefinition } from './table.ts'

const shardsAtOnce = 4

const entrySchema = z.object({ sk: z.string(), isk: z.string() })

/** Entries of all shards due at or before `untilMs`, oldest first, at most `limit` from each shard. */
export const queryDue = async (
  { client, tableName }: { client: DynamoDBDocumentClient; tableName: TableName },
  query: { endpointId: string; state: IndexedState; untilMs: number; limit: number },
): Promise<IndexEntry[]> => {
  const { endpointId, state, untilMs, limit } = query
  const readShard = (shard: number) =>
    queryItems(
      client,
      {
        TableName: tableName,
        IndexName: tableDefinition.index.name,
        KeyConditionExpression: 'ipk = :ipk AND isk < :end',
        ExpressionAttributeValues: {
          ':ipk': indexPartition(state, endpointId, shard),
          ':end': indexEndOf(untilMs),
        },
      },
      limit,
    )
  const items = (await mapBounded(indexShards, shardsAtOnce, readShard)).flat()
  const entries = items.map((item): IndexEntry => {
    const { sk, isk } = parseItem('index', entrySchema, item)
    const dueMs = dueOfIndexSortKey(isk)
    if (dueMs === null) throw corruptItem('index', 'isk: not a due time')
    return { endpointId, eventId: sk, state, dueMs }
  })
  return entries.sort((a, b) => a.dueMs - b.dueMs || (a.eventId < b.eventId ? -1 : 1))
}
