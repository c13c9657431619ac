import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { runLeaseKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

/** The last run that polled a source, as its lease tells. */
export type LastRun = {
  /** When the run began: our clock, Unix milliseconds. */
  takenAtMs: number
  /** When the source was first polled. */
  firstTakenAtMs: number
  /** The budget's snapshot as the run left it; undefined where it left none. */
  spending: unknown
}

/** Who polled a source last, for people to look at: the lease itself is the poller's. */
export interface LastRuns {
  /** Null where the source was never polled. */
  read(sourceId: string): Promise<LastRun | null>
}

const itemSchema = z.object({
  v: z.literal(itemVersion),
  takenAtMs: z.int(),
  firstTakenAtMs: z.int(),
  spending: jsonAttribute(z.unknown()).optional(),
})

export const createLastRuns = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): LastRuns => ({
  read: async sourceId => {
    const get = new GetCommand({ TableName: tableName, Key: runLeaseKey(sourceId), ConsistentRead: true })
    const { Item } = await asked(client.send(get))
    if (Item === undefined) return null
    const { takenAtMs, firstTakenAtMs, spending } = parseItem('run lease', itemSchema, Item)
    return { takenAtMs, firstTakenAtMs, spending }
  },
})
