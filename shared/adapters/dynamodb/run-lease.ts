import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { RunLease } from '../../domain/polling/run-lease.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { runLeaseKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  runId: z.string(),
  firstTakenAtMs: z.int(),
  spending: jsonAttribute(z.unknown()).optional(),
})

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
    const { spending, firstTakenAtMs } = parseItem('run lease', itemSchema, answer.Attributes)
    return { spending, firstTakenAtMs }
  },

  holds: async ({ sourceId, runId }) => {
    const answer = await asked(
      client.send(new GetCommand({ TableName: tableName, Key: runLeaseKey(sourceId), ConsistentRead: true })),
    )
    return answer.Item !== undefined && parseItem('run lease', itemSchema, answer.Item).runId === runId
  },

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
