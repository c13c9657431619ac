import { randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { Endpoint } from '../../domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../domain/endpoint/endpoint-store.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { endpointKey } from './keys.ts'
import { queryItems } from './query.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

const listSchema = z.array(z.string()).nullable()
const settingsSchema = z.object({
  url: z.string(),
  types: z.array(z.string()),
  filters: z.object({
    senderDomains: listSchema,
    recipientDomains: listSchema,
    bounceCategories: listSchema,
    sources: listSchema,
  }),
  keys: z.array(
    z.object({ version: z.int(), secret: z.string().nullable(), signsUntilMs: z.int().nullable() }),
  ),
})
const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  settings: jsonAttribute(settingsSchema),
  state: z.enum(['active', 'disabled', 'removed']),
  stateReason: z.string().nullable(),
  /** Names the write that set the state. */
  stateWriteId: z.string(),
  slow: z.boolean(),
})

const readEndpoint = (item: unknown): { endpoint: Endpoint; stateWriteId: string } => {
  const { sk, settings, state, stateReason, slow, stateWriteId } = parseItem('endpoint', itemSchema, item)
  return { endpoint: { id: sk, ...settings, state, stateReason, slow }, stateWriteId }
}

type Table = { client: DynamoDBDocumentClient; tableName: TableName }

/** Endpoints in the table; each change writes only the attributes that it is about. */
export const createEndpointStore = (table: Table): EndpointStore => ({
  list: async () => {
    const items = await queryItems(table.client, {
      TableName: table.tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': 'ENDPOINT' },
    })
    return items.map(item => readEndpoint(item).endpoint)
  },
  read: async id => (await readItem(table, id))?.endpoint ?? null,
  put: endpoint => putEndpoint(table, endpoint),
  setState: change => setState(table, change),
  setSlow: async (id, slow) => {
    const update = new UpdateCommand({
      TableName: table.tableName,
      Key: endpointKey(id),
      UpdateExpression: 'SET slow = :slow',
      // An update without it would create half an endpoint.
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':slow': slow },
    })
    await conditionally(table.client.send(update))
  },
})

const readItem = async ({ client, tableName }: Table, id: string) => {
  const get = new GetCommand({ TableName: tableName, Key: endpointKey(id), ConsistentRead: true })
  const answer = await asked(client.send(get))
  return answer.Item === undefined ? null : readEndpoint(answer.Item)
}

const putEndpoint = async ({ client, tableName }: Table, endpoint: Endpoint): Promise<void> => {
  const { id, state, stateReason, slow, ...settings } = endpoint
  const update = new UpdateCommand({
    TableName: tableName,
    Key: endpointKey(id),
    UpdateExpression:
      'SET v = :v, settings = :settings, #state = :state, stateReason = :reason, stateWriteId = :writeId, ' +
      'slow = if_not_exists(slow, :slow)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':v': itemVersion,
      ':settings': JSON.stringify(settings),
      ':state': state,
      ':reason': stateReason,
      ':writeId': randomUUID(),
      ':slow': slow,
    },
  })
  await asked(client.send(update))
}

const setState = async (
  table: Table,
  { id, state, reason }: Parameters<EndpointStore['setState']>[0],
): Promise<boolean> => {
  const writeId = randomUUID()
  const update = new UpdateCommand({
    TableName: table.tableName,
    Key: endpointKey(id),
    UpdateExpression: 'SET #state = :state, stateReason = :reason, stateWriteId = :writeId',
    ConditionExpression: 'attribute_exists(pk) AND #state <> :state',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':state': state, ':reason': reason, ':writeId': writeId },
  })
  if ((await conditionally(table.client.send(update))) !== 'refused') return true
  // The SDK repeats an update whose reply was lost, and then our own first one is what refuses it.
  return (await readItem(table, id))?.stateWriteId === writeId
}
