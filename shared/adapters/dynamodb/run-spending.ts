import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { PollerSpending } from '../../domain/audit/audit-gate.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { runLeaseKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  spending: jsonAttribute(z.unknown()).optional(),
})

/** Reads what the poller left with its lease, and takes no lease. Not consistent: it is seconds old in any case. */
export const createRunSpending = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): PollerSpending => ({
  read: async sourceId => {
    const get = new GetCommand({ TableName: tableName, Key: runLeaseKey(sourceId) })
    const { Item: item } = await asked(client.send(get))
    return item === undefined ? null : (parseItem('run lease', itemSchema, item).spending ?? null)
  },
})
