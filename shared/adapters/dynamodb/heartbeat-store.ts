import { randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import {
  type HeartbeatState,
  type HeartbeatStore,
  noHeartbeatYet,
} from '../../domain/endpoint/heartbeat-store.ts'
import { daySeconds } from '../../domain/time-units.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { heartbeatKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

/** Of an endpoint that asks for heartbeats no more, or is gone, the TTL removes what was counted. */
const keptSeconds = 35 * daySeconds

const itemSchema = z.object({
  v: z.literal(itemVersion),
  delivered: z.int().default(0),
  failed: z.int().default(0),
  /** The begin of the last heartbeat's interval: apart from the rest, so that a condition can compare it. */
  startMs: z.int().optional(),
  last: jsonAttribute(
    z.object({ sentAtMs: z.int(), totals: z.object({ delivered: z.int(), failed: z.int() }) }),
  ).optional(),
  /** Names the write that took the interval. */
  claimId: z.string().optional(),
})

/** What is known for heartbeats: an item for each endpoint that asks for them. `now` is Unix milliseconds. */
export const createHeartbeatStore = (table: {
  client: DynamoDBDocumentClient
  tableName: TableName
  now: () => number
}): HeartbeatStore => {
  const { client, tableName, now } = table
  const expiresAt = (): number => Math.ceil(now() / 1_000) + keptSeconds
  const readItem = async (endpointId: string) => {
    const get = new GetCommand({ TableName: tableName, Key: heartbeatKey(endpointId), ConsistentRead: true })
    const { Item: item } = await asked(client.send(get))
    return item === undefined ? null : parseItem('heartbeat', itemSchema, item)
  }
  return {
    read: async endpointId => {
      const item = await readItem(endpointId)
      return item === null ? noHeartbeatYet : stateOf(item)
    },

    count: async (endpointId, { delivered, failed }) => {
      const update = new UpdateCommand({
        TableName: tableName,
        Key: heartbeatKey(endpointId),
        UpdateExpression: 'SET v = :v, expiresAt = :expiresAt ADD delivered :delivered, failed :failed',
        ExpressionAttributeValues: {
          ':v': itemVersion,
          ':expiresAt': expiresAt(),
          ':delivered': delivered,
          ':failed': failed,
        },
      })
      await asked(client.send(update))
    },

    claim: async (endpointId, { startMs, ...last }, beforeMs) => {
      const claimId = randomUUID()
      const update = new UpdateCommand({
        TableName: tableName,
        Key: heartbeatKey(endpointId),
        UpdateExpression:
          'SET v = :v, expiresAt = :expiresAt, startMs = :start, #last = :last, claimId = :claim',
        ConditionExpression: beforeMs === null ? 'attribute_not_exists(startMs)' : 'startMs = :before',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: {
          ':v': itemVersion,
          ':expiresAt': expiresAt(),
          ':start': startMs,
          ':last': JSON.stringify(last),
          ':claim': claimId,
          ...(beforeMs !== null && { ':before': beforeMs }),
        },
      })
      if ((await conditionally(client.send(update))) !== 'refused') return true
      // The SDK repeats an update whose reply was lost, and then our own first one is what refuses it.
      return (await readItem(endpointId))?.claimId === claimId
    },
  }
}

const stateOf = ({ delivered, failed, startMs, last }: z.output<typeof itemSchema>): HeartbeatState => ({
  totals: { delivered, failed },
  last: startMs === undefined || last === undefined ? null : { startMs, ...last },
})
