import * as z from 'zod'
import { required } from './assembly.ts'
import { arnOf } from './intrinsics.ts'
import type { TableKeys } from './table-from-template.ts'

/** One request to AWS as IAM sees it. */
export type AwsCall = {
  /** `dynamodb:PutItem`: what a policy would have to allow. */
  action: string
  resource: string
  /** Partition keys that the request names: the condition key `dynamodb:LeadingKeys`. */
  leadingKeys: readonly string[]
  /** Sources of the events that it puts: the condition key `events:source`. */
  eventSources?: readonly string[]
}

/** What a call is read by. */
export type CallFacts = { table: TableKeys; secretArn: (nameOrArn: string) => string }

const attributes = z.record(z.string(), z.unknown())
const textAttribute = z.object({ S: z.string() })
const requestItems = <T extends z.ZodType>(inner: T) =>
  z.object({ RequestItems: z.record(z.string(), inner) })

const keyed = z.object({ TableName: z.string(), Key: attributes.optional(), Item: attributes.optional() })
const query = z.object({
  TableName: z.string(),
  IndexName: z.string().optional(),
  KeyConditionExpression: z.string(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).default({}),
  ExpressionAttributeValues: attributes,
})
const batchGet = requestItems(z.object({ Keys: z.array(attributes) }))
const batchWrite = requestItems(
  z.array(
    z.object({
      PutRequest: z.object({ Item: attributes }).optional(),
      DeleteRequest: z.object({ Key: attributes }).optional(),
    }),
  ),
)
const queued = z.object({ QueueUrl: z.string() })
const secretAsked = z.object({ SecretId: z.string() })

const partitionIn = (item: Readonly<Record<string, unknown>> | undefined, { table }: CallFacts): string =>
  textAttribute.parse(item?.[table.partitionKey]).S

const onTable = (action: string, tableName: string, leadingKeys: readonly string[]): AwsCall => ({
  action: `dynamodb:${action}`,
  resource: arnOf('dynamodb', `table/${tableName}`),
  leadingKeys,
})

const readKeyed = (action: string, body: unknown, facts: CallFacts): AwsCall => {
  const { TableName, Key, Item } = keyed.parse(body)
  return onTable(action, TableName, [partitionIn(Key ?? Item, facts)])
}

const readQuery = (body: unknown, { table }: CallFacts): AwsCall => {
  const { TableName, IndexName, ...asked } = query.parse(body)
  const partitionKey = IndexName === undefined ? table.partitionKey : table.indexPartitionKeys.get(IndexName)
  const equalities = [...asked.KeyConditionExpression.matchAll(/([#\w]+)\s*=\s*(:\w+)/g)]
  const [, , placeholder = ''] = required(
    equalities.find(([, name = '']) => (asked.ExpressionAttributeNames[name] ?? name) === partitionKey),
    `a partition key in ${asked.KeyConditionExpression}`,
  )
  const leadingKey = textAttribute.parse(asked.ExpressionAttributeValues[placeholder]).S
  const where = IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`
  return onTable('Query', where, [leadingKey])
}

const readBatch = (
  action: string,
  itemsByTable: Readonly<Record<string, readonly Record<string, unknown>[]>>,
  facts: CallFacts,
): AwsCall => {
  const [[tableName, items] = ['', []], ...more] = Object.entries(itemsByTable)
  if (more.length > 0) throw new Error(`${action} of more than one table`)
  const keys = items.map(item => partitionIn(item, facts))
  return onTable(action, tableName, [...new Set(keys)])
}

const mapped = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))

const dynamodb = (operation: string, body: unknown, facts: CallFacts): AwsCall => {
  switch (operation) {
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return readKeyed(operation, body, facts)
    case 'Query':
      return readQuery(body, facts)
    case 'BatchGetItem': {
      const keys = mapped(batchGet.parse(body).RequestItems, ({ Keys }) => Keys)
      return readBatch(operation, keys, facts)
    }
    case 'BatchWriteItem': {
      const items = mapped(batchWrite.parse(body).RequestItems, requests =>
        requests.map(({ PutRequest, DeleteRequest }) => PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
      )
      return readBatch(operation, items, facts)
    }
    default:
      throw new Error(`the harness does not know dynamodb:${operation}`)
  }
}

/** A batch of SQS is allowed by the action of the single request (SQS Developer Guide, "Amazon SQS API permissions"). */
const sqs = (operation: string, body: unknown): AwsCall => {
  const name = new URL(queued.parse(body).QueueUrl).pathname.split('/').at(-1) ?? ''
  return { action: `sqs:${operation.replace(/Batch$/, '')}`, resource: arnOf('sqs', name), leadingKeys: [] }
}

/** Every entry says its bus; the sources of all of them are the condition key. */
const put = z.object({ Entries: z.array(z.object({ EventBusName: z.string(), Source: z.string() })).min(1) })

const events = (operation: string, body: unknown): AwsCall => {
  const { Entries } = put.parse(body)
  const [bus, ...more] = new Set(Entries.map(({ EventBusName }) => EventBusName))
  if (bus === undefined || more.length > 0) throw new Error(`${operation} to more than one bus`)
  return {
    action: `events:${operation}`,
    resource: arnOf('events', `event-bus/${bus}`),
    leadingKeys: [],
    eventSources: Entries.map(({ Source }) => Source),
  }
}

const services = ['dynamodb', 'sqs', 'secretsmanager', 'events'] as const
export type Service = (typeof services)[number]

const serviceOfTarget = new Map<string, Service>([
  ['DynamoDB_20120810', 'dynamodb'],
  ['AmazonSQS', 'sqs'],
  ['secretsmanager', 'secretsmanager'],
  ['AWSEvents', 'events'],
])

/** Reads a request of the JSON protocols by its `x-amz-target`. Throws for what it does not know. */
export const readCall = (
  target: string,
  body: unknown,
  facts: CallFacts,
): { service: Service; call: AwsCall } => {
  const [prefix = '', operation = ''] = target.split('.')
  const service = serviceOfTarget.get(prefix)
  switch (service) {
    case 'dynamodb':
      return { service, call: dynamodb(operation, body, facts) }
    case 'sqs':
      return { service, call: sqs(operation, body) }
    case 'events':
      return { service, call: events(operation, body) }
    case 'secretsmanager': {
      const resource = facts.secretArn(secretAsked.parse(body).SecretId)
      return { service, call: { action: `secretsmanager:${operation}`, resource, leadingKeys: [] } }
    }
    case undefined:
      throw new Error(`the harness does not know the target ${target}`)
  }
}
