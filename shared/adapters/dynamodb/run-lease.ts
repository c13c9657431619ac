import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { RunLease } from '../../domain/polling/run-lease.ts'
import { itemVersion } from './item.ts'
import { runLeaseKey } from './keys.ts'
import { parseRunLease, readRunLease } from './run-lease-item.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

/** The lease as an item beside the cursors of its source. */
export const createRunLease = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): RunLease => ({
  take: async ({ sourceId, runId, atMs }) => {
    const answer = await asked(
      client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: runLeaseKey(sourceId),
          // The spending stays: a repeated take, its reply lost, returns it again.
          UpdateExpression:
            'SET v = :v, runId = :runId, takenAtMs = :atMs, firstTakenAtMs = if_not_exists(firstTakenAtMs, :atMs)',
          ExpressionAttributeValues: { ':v': itemVersion, ':runId': runId, ':atMs': atMs },
          ReturnValues: 'ALL_NEW',
        }),
      ),
    )
    const { spending, firstTakenAtMs } = parseRunLease(answer.Attributes)
    return { spending, firstTakenAtMs }
  },

  holds: async ({ sourceId, runId }) =>
    (await readRunLease({ client, tableName }, sourceId))?.runId === runId,

  renew: async ({ sourceId, runId, spending }) => {
    const update = new UpdateCommand({
      TableName: tableName,
      Key: runLeaseKey(sourceId),
      UpdateExpression: 'SET spending = :spending',
      ConditionExpression: 'runId = :runId',
      ExpressionAttributeValues: { ':runId': runId, ':spending': JSON.stringify(spending ?? null) },
    })
    return (await conditionally(client.send(update))) !== 'refused'
  },
})
