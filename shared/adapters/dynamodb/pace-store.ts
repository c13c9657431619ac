import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { PaceStore } from '../../domain/delivery/pace-gate.ts'
import { freshPace } from '../../domain/endpoint/pace-policy.ts'
import { daySeconds } from '../../domain/time-units.ts'
import { itemVersion, parseItem } from './item.ts'
import { paceKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

/** What nobody took anything of for so long, the TTL removes: a removed endpoint leaves nothing behind. */
const keptSeconds = 2 * daySeconds

const itemSchema = z.object({
  v: z.literal(itemVersion),
  version: z.int(),
  nextAtMs: z.number(),
  leases: z.array(z.object({ id: z.string(), slots: z.int(), untilMs: z.int() })),
})

/** What is taken of limits: an item for each endpoint that has one. `now` is Unix milliseconds. */
export const createPaceStore = ({
  client,
  tableName,
  now,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
  now: () => number
}): PaceStore => ({
  read: async endpointId => {
    const get = new GetCommand({ TableName: tableName, Key: paceKey(endpointId), ConsistentRead: true })
    const { Item: item } = await asked(client.send(get))
    if (item === undefined) return freshPace
    const { v: _, ...state } = parseItem('pace', itemSchema, item)
    return state
  },

  write: async (endpointId, state) => {
    const expiresAt = Math.ceil(now() / 1_000) + keptSeconds
    const put = new PutCommand({
      TableName: tableName,
      Item: { ...paceKey(endpointId), v: itemVersion, ...state, expiresAt },
      // Where the SDK repeats a put whose reply was lost, its own first one refuses it: what that took is not used then.
      ConditionExpression: 'version = :before OR (attribute_not_exists(pk) AND :before = :fresh)',
      ExpressionAttributeValues: { ':before': state.version - 1, ':fresh': freshPace.version },
    })
    return (await conditionally(client.send(put))) !== 'refused'
  },
})
