import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll } from 'vitest'
import { type LocalTable, localClientSettings, startLocalTable } from '../../../infra/local/local-table.ts'
import { createTable } from '../../../shared/adapters/dynamodb/create-table.ts'
import { createDocumentClient, createTableClient } from '../../../shared/adapters/dynamodb/document-client.ts'

export type TestTable = { client: DynamoDBDocumentClient; tableName: string }

/** One emulator a test file, and a table of its own for whoever asks. */
export const useTables = (): { fresh(): Promise<TestTable>; endpoint(): string } => {
  let table: LocalTable | null = null
  let tableClient: DynamoDBClient | null = null
  let client: DynamoDBDocumentClient | null = null
  let count = 0
  beforeAll(async () => {
    table = await startLocalTable({})
    const settings = { ...localClientSettings, endpoint: table.endpoint }
    tableClient = createTableClient(settings)
    client = createDocumentClient(settings)
  })
  afterAll(async () => {
    tableClient?.destroy()
    client?.destroy()
    await table?.close()
  })
  return {
    fresh: async () => {
      if (!tableClient || !client) throw new Error('the emulator has not started')
      count += 1
      const tableName = `table-${count}`
      await createTable({ client: tableClient, tableName })
      return { client, tableName }
    },
    endpoint: () => {
      if (!table) throw new Error('the emulator has not started')
      return table.endpoint
    },
  }
}
