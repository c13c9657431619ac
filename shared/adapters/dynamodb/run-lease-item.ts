import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { runLeaseKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  runId: z.string(),
  takenAtMs: z.int(),
  firstTakenAtMs: z.int(),
  spending: jsonAttribute(z.unknown()).optional(),
})
export type RunLeaseItem = z.output<typeof itemSchema>

export const parseRunLease = (item: unknown): RunLeaseItem => parseItem('run lease', itemSchema, item)

/** The lease of a source as it stands, whoever has it; null where nobody ever took it. */
export const readRunLease = async (
  { client, tableName }: { client: DynamoDBDocumentClient; tableName: TableName },
  sourceId: string,
): Promise<RunLeaseItem | null> => {
  const get = new GetCommand({ TableName: tableName, Key: runLeaseKey(sourceId), ConsistentRead: true })
  const { Item } = await asked(client.send(get))
  return Item === undefined ? null : parseRunLease(Item)
}
