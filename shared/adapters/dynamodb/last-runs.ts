import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readRunLease } from './run-lease-item.ts'
import type { TableName } from './table.ts'

/** The last run that polled a source, as its lease tells. */
export type LastRun = {
  /** When the run began: our clock, Unix milliseconds. */
  takenAtMs: number
  /** When the source was first polled. */
  firstTakenAtMs: number
  /** The budget's snapshot as the run left it; undefined where it left none. */
  spending: unknown
}

/** Who polled a source last, for people to look at: the lease itself is the poller's. */
export interface LastRuns {
  /** Null where the source was never polled. */
  read(sourceId: string): Promise<LastRun | null>
}

export const createLastRuns = (table: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): LastRuns => ({
  read: async sourceId => {
    const lease = await readRunLease(table, sourceId)
    if (lease === null) return null
    const { takenAtMs, firstTakenAtMs, spending } = lease
    return { takenAtMs, firstTakenAtMs, spending }
  },
})
