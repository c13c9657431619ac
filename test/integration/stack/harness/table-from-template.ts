import { CreateTableCommand, type DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { type Assembly, required } from './assembly.ts'
import { partProperties } from './properties.ts'

const readyWithinSeconds = 20

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
/** Strict: what is added to the template has to be taken up here. */
const tableSchema = z.strictObject({
  TableName: z.string(),
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  BillingMode: z.enum(['PAY_PER_REQUEST', 'PROVISIONED']),
  GlobalSecondaryIndexes: z.array(
    z.strictObject({
      IndexName: z.string(),
      KeySchema: keySchema,
      Projection: z.strictObject({ ProjectionType: z.enum(['ALL', 'KEYS_ONLY']) }),
    }),
  ),
})

/** Properties of the table that dynalite can't take: it has none of what they ask for. */
export const notTakenByTable = [
  'DeletionProtectionEnabled',
  'PointInTimeRecoverySpecification',
  'SSESpecification',
  'TimeToLiveSpecification',
] as const

export type TableKeys = {
  tableName: string
  partitionKey: string
  /** By the name of the index. */
  indexPartitionKeys: ReadonlyMap<string, string>
  notTaken: Readonly<Record<string, unknown>>
}

/** The one table of the template, its properties as they stand there. */
const readTable = (assembly: Assembly) => {
  const [table, ...more] = assembly.ofType('AWS::DynamoDB::Table')
  if (more.length > 0) throw new Error('the template has more than one table')
  const { taken, notTaken } = partProperties(required(table, 'a table'), {
    taken: Object.keys(tableSchema.shape),
    notTaken: notTakenByTable,
  })
  return { properties: tableSchema.parse(taken), notTaken }
}

const partitionKeyOf = (schema: z.infer<typeof keySchema>): string =>
  required(
    schema.find(({ KeyType }) => KeyType === 'HASH'),
    'a partition key',
  ).AttributeName

/** What the rest of the harness needs to know of the table. */
export const tableKeys = (assembly: Assembly): TableKeys => {
  const { properties, notTaken } = readTable(assembly)
  return {
    tableName: properties.TableName,
    partitionKey: partitionKeyOf(properties.KeySchema),
    indexPartitionKeys: new Map(
      properties.GlobalSecondaryIndexes.map(index => [index.IndexName, partitionKeyOf(index.KeySchema)]),
    ),
    notTaken,
  }
}

/** Creates the template's table in the emulator. */
export const createTemplateTable = async (client: DynamoDBClient, assembly: Assembly): Promise<void> => {
  const { properties } = readTable(assembly)
  await client.send(new CreateTableCommand(properties))
  await waitUntilTableExists(
    { client, maxWaitTime: readyWithinSeconds, minDelay: 0.02, maxDelay: 1 },
    { TableName: properties.TableName },
  )
}
