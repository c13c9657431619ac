import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { ReconcileMarks } from '../../domain/release/reconcile-marks.ts'
import { itemVersion, parseItem } from './item.ts'
import { markHour, markKey, markPartition } from './keys.ts'
import { queryItems } from './query.ts'
import type { TableName } from './table.ts'
import { conditionally } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  hour: z.int(),
  day: z.string(),
  lowestId: z.string(),
})

/** Marks of what reconcile has still to compare: a partition a stream, sorted by hour and day. */
export const createReconcileMarks = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): ReconcileMarks => ({
  lower: async mark => {
    const update = new UpdateCommand({
      TableName: tableName,
      Key: markKey(mark),
      UpdateExpression: 'SET v = :v, #hour = :hour, #day = :day, lowestId = :id',
      ConditionExpression: 'attribute_not_exists(pk) OR lowestId > :id',
      ExpressionAttributeNames: { '#hour': 'hour', '#day': 'day' },
      ExpressionAttributeValues: {
        ':v': itemVersion,
        ':hour': mark.hour,
        ':day': mark.day,
        ':id': mark.lowestId,
      },
    })
    // Refused: the mark is as low already.
    await conditionally(client.send(update))
  },

  list: async ({ sourceId, stream, fromHour, limit }) => {
    const input = {
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND sk >= :from',
      ExpressionAttributeValues: { ':pk': markPartition({ sourceId, stream }), ':from': markHour(fromHour) },
    }
    const items = await queryItems(client, input, limit)
    return items.map(item => {
      const { hour, day, lowestId } = parseItem('reconcile mark', itemSchema, item)
      return { sourceId, stream, hour, day, lowestId }
    })
  },

  remove: async mark => {
    const remove = new DeleteCommand({
      TableName: tableName,
      Key: markKey(mark),
      // A mark that was lowered since it was read has more to compare.
      ConditionExpression: 'lowestId = :id',
      ExpressionAttributeValues: { ':id': mark.lowestId },
    })
    await conditionally(client.send(remove))
  },
})
