import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { planLifeMs, type ReplayPlanStore } from '../../domain/replay/replay-plan.ts'
import { itemVersion, parseItem } from './item.ts'
import { replayPlanKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  startedAtMs: z.int(),
  fromSecond: z.int(),
  toSecond: z.int(),
  nextDueMs: z.int(),
  placeId: z.string().nullable(),
})

/** What replays and recovers set out to do: an item each, gone when it is done, or by the TTL. */
export const createReplayPlans = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): ReplayPlanStore => ({
  read: async name => {
    const get = new GetCommand({ TableName: tableName, Key: replayPlanKey(name), ConsistentRead: true })
    const { Item: item } = await asked(client.send(get))
    if (item === undefined) return null
    const { v: _, sk, ...plan } = parseItem('replay plan', itemSchema, item)
    return { name: sk, ...plan }
  },

  put: async ({ name, ...plan }) => {
    const expiresAt = Math.ceil((plan.startedAtMs + planLifeMs) / 1_000)
    const item = { ...replayPlanKey(name), v: itemVersion, ...plan, expiresAt }
    await asked(client.send(new PutCommand({ TableName: tableName, Item: item })))
  },

  remove: async name => {
    await asked(client.send(new DeleteCommand({ TableName: tableName, Key: replayPlanKey(name) })))
  },
})
