import { DeleteCommand, type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { authSchemes, type Source } from '../../domain/source.ts'
import type { SourceStore } from '../../domain/source-store.ts'
import { itemVersion, jsonAttribute, parseItem, readEach } from './item.ts'
import { sourceKey } from './keys.ts'
import { queryItems } from './query.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

const settingsSchema = z.object({
  baseUrl: z.string(),
  pathPrefix: z.string(),
  authScheme: z.enum(authSchemes),
  tokenSecret: z.string(),
  includeSoft: z.boolean(),
  pageSize: z.int().nullable(),
  startAt: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('latest') }),
    z.object({ kind: z.literal('earliest') }),
    z.object({ kind: z.literal('time'), second: z.int() }),
  ]),
  pollEverySeconds: z.number(),
  overlapSeconds: z.number(),
  requestsPerMinute: z.number(),
  state: z.enum(['active', 'paused']),
})
const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  settings: jsonAttribute(settingsSchema),
})

const readSource = (item: unknown): Source => {
  const { sk, settings } = parseItem('source', itemSchema, item)
  return { id: sk, ...settings }
}

/** Sources in the table. */
export const createSourceStore = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): SourceStore => ({
  list: async onUnreadable => {
    const items = await queryItems(client, {
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'SOURCE' },
    })
    return onUnreadable === undefined ? items.map(readSource) : readEach(items, readSource, onUnreadable)
  },

  read: async id => {
    const get = new GetCommand({ TableName: tableName, Key: sourceKey(id), ConsistentRead: true })
    const answer = await asked(client.send(get))
    return answer.Item === undefined ? null : readSource(answer.Item)
  },

  put: async ({ id, ...settings }) => {
    const item = { ...sourceKey(id), v: itemVersion, settings: JSON.stringify(settings) }
    await asked(client.send(new PutCommand({ TableName: tableName, Item: item })))
  },

  remove: async id => {
    await asked(client.send(new DeleteCommand({ TableName: tableName, Key: sourceKey(id) })))
  },
})
