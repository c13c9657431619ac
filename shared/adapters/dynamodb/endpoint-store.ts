import { randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Endpoint } from '../../domain/endpoint/endpoint.ts'
import { type EndpointHealth, goodHealth, healthOnEnabling } from '../../domain/endpoint/endpoint-health.ts'
import type { EndpointStore, StateChange } from '../../domain/endpoint/endpoint-store.ts'
import { type EndpointItem, healthText, readEndpointItem, settingsText } from './endpoint-item.ts'
import { itemVersion } from './item.ts'
import { endpointKey } from './keys.ts'
import { queryItems } from './query.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

type Table = { client: DynamoDBDocumentClient; tableName: TableName }

/** Endpoints in the table; each change writes only the attributes that it is about. */
export const createEndpointStore = (table: Table): EndpointStore => ({
  list: () => listItems(table, {}),
  read: async id => (await readItem(table, id))?.endpoint ?? null,
  put: endpoint => putEndpoint(table, endpoint),
  setState: change => setState(table, change),
  setSlow: async (id, slow) => {
    await change(table, id, {
      UpdateExpression: 'SET slow = :slow',
      ConditionExpression: isThere,
      ExpressionAttributeValues: { ':slow': slow },
    })
  },
  writeHealth: (id, health) => writeHealth(table, id, health),
  untold: () => listItems(table, { FilterExpression: 'attribute_exists(untold)' }),
  setTold: async ({ id, stateSinceMs }) => {
    await change(table, id, {
      UpdateExpression: 'REMOVE untold',
      // Another change of state since then is to be told on its own.
      ConditionExpression: 'stateSinceMs = :since',
      ExpressionAttributeValues: { ':since': stateSinceMs },
    })
  },
})

/** An update without it would create half an endpoint. */
const isThere = 'attribute_exists(pk)'

const listItems = async (
  { client, tableName }: Table,
  filter: { FilterExpression?: string },
): Promise<Endpoint[]> => {
  const items = await queryItems(client, {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'ENDPOINT' },
    ...filter,
  })
  return items.map(item => readEndpointItem(item).endpoint)
}

const readItem = async ({ client, tableName }: Table, id: string): Promise<EndpointItem | null> => {
  const get = new GetCommand({ TableName: tableName, Key: endpointKey(id), ConsistentRead: true })
  const answer = await asked(client.send(get))
  return answer.Item === undefined ? null : readEndpointItem(answer.Item)
}

type Change = Omit<ConstructorParameters<typeof UpdateCommand>[0], 'TableName' | 'Key'>

const change = ({ client, tableName }: Table, id: string, update: Change) =>
  conditionally(client.send(new UpdateCommand({ TableName: tableName, Key: endpointKey(id), ...update })))

const putEndpoint = async (table: Table, endpoint: Endpoint): Promise<void> => {
  const { id, state, stateReason, stateSinceMs, slow, health } = endpoint
  await change(table, id, {
    UpdateExpression:
      'SET v = :v, settings = :settings, #state = :state, stateReason = :reason, stateSinceMs = :since, ' +
      'stateWriteId = :writeId, slow = if_not_exists(slow, :slow), ' +
      'health = if_not_exists(health, :health), healthVersion = if_not_exists(healthVersion, :version)',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':v': itemVersion,
      ':settings': settingsText(endpoint),
      ':state': state,
      ':reason': stateReason,
      ':since': stateSinceMs,
      ':writeId': randomUUID(),
      ':slow': slow,
      ':health': healthText(health),
      ':version': health.version,
    },
  })
}

const setState = async (table: Table, of: StateChange): Promise<boolean> => {
  const { id, state, reason, atMs } = of
  const writeId = randomUUID()
  const told =
    of.isToBeTold === true ? { set: ', untold = :untold', remove: '' } : { set: '', remove: ' REMOVE untold' }
  const isEnabling = state === 'active'
  const health = ', health = :health, healthVersion = if_not_exists(healthVersion, :none) + :one'
  const answer = await change(table, id, {
    UpdateExpression:
      'SET #state = :state, stateReason = :reason, stateSinceMs = :since, stateWriteId = :writeId' +
      `${isEnabling ? health : ''}${told.set}${told.remove}`,
    ConditionExpression: `${isThere} AND #state <> :state`,
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':state': state,
      ':reason': reason,
      ':since': atMs,
      ':writeId': writeId,
      ...(isEnabling && { ':health': healthText(healthOnEnabling(goodHealth, atMs)), ':none': 0, ':one': 1 }),
      ...(of.isToBeTold === true && { ':untold': true }),
    },
  })
  if (answer !== 'refused') return true
  // The SDK repeats an update whose reply was lost, and then our own first one is what refuses it.
  return (await readItem(table, id))?.stateWriteId === writeId
}

/**
 * Where the SDK repeats an update whose reply was lost, its own first one refuses it: then some failures are counted
 * twice, or a probe is left for the next time.
 */
const writeHealth = async (table: Table, id: string, health: EndpointHealth): Promise<boolean> => {
  const answer = await change(table, id, {
    UpdateExpression: 'SET health = :health, healthVersion = :version',
    ConditionExpression: `${isThere} AND (healthVersion = :before OR (attribute_not_exists(healthVersion) AND :before = :none))`,
    ExpressionAttributeValues: {
      ':health': healthText(health),
      ':version': health.version,
      ':before': health.version - 1,
      ':none': goodHealth.version,
    },
  })
  return answer !== 'refused'
}
