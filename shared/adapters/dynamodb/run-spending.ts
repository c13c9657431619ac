import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { PollerSpending } from '../../domain/audit/audit-gate.ts'
import { readRunLease } from './run-lease-item.ts'
import type { TableName } from './table.ts'

/** Reads what the poller left with its lease, and takes no lease. */
export const createRunSpending = (table: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): PollerSpending => ({
  read: async sourceId => (await readRunLease(table, sourceId))?.spending ?? null,
})
