import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import { type TableName, tableDefinition } from './table.ts'
import { asTableError } from './table-errors.ts'

const readyWithinSeconds = 60

const createInput = (tableName: TableName): CreateTableCommandInput => {
  const { partitionKey, sortKey, index } = tableDefinition
  const names = [partitionKey, sortKey, index.partitionKey, index.sortKey]
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map(name => ({ AttributeName: name, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: index.name,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' },
          { AttributeName: index.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  }
}

/** Creates the table where it is missing and waits until it is active. For emulators: on AWS the stack does it. */
export const createTable = async ({
  client,
  tableName,
}: {
  client: DynamoDBClient
  tableName: TableName
}): Promise<void> => {
  try {
    await client.send(new CreateTableCommand(createInput(tableName)))
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ResourceInUseException')) throw asTableError(error)
  }
  await waitUntilTableExists(
    { client, maxWaitTime: readyWithinSeconds, minDelay: 0.02, maxDelay: 2 },
    { TableName: tableName },
  )
}
