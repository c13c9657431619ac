import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { Delivery, DeliveryState } from '../../domain/delivery/delivery.ts'
import { readDelivery } from './delivery-item.ts'
import type { Page, PageQuery } from './event-pages.ts'
import { deliveryKey, deliveryPartition } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

/**
 * Items that a page looks at where all of them are wanted. Where only some are, what 1 MB of the table holds: a limit counts
 * what is looked at (DynamoDB Developer Guide, "Other aspects of working with the Query operation").
 */
const pageItemsMax = 500

/** An endpoint's deliveries as an operator looks through them, by event id. */
export interface DeliveryPages {
  /** `states`: null for all. `looked`: how many the table looked at for it. */
  page(
    query: PageQuery & { endpointId: string; states: readonly DeliveryState[] | null },
  ): Promise<Page<Delivery> & { looked: number }>
}

const endSchema = z.object({ sk: z.string() }).optional()

/**
 * Goes through the partitions of the days, not the index: an index entry knows no time but the due one. What other states
 * there are is left out by the table, so that it costs reading but no transfer. Not consistent, for half the price.
 */
export const createDeliveryPages = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): DeliveryPages => ({
  page: async ({ endpointId, day, fromId, toId, order, states, ...from }) => {
    const names = new Map((states ?? []).map((state, at) => [`:state${at}`, state]))
    const filter = names.size === 0 ? null : `st IN (${[...names.keys()].join(', ')})`
    const query = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': deliveryPartition({ endpointId, day }),
        ':from': fromId,
        ':to': toId,
        ...Object.fromEntries(names),
      },
      ScanIndexForward: order === 'oldest',
      ...(filter === null ? { Limit: pageItemsMax } : { FilterExpression: filter }),
      ...(from.after !== null && {
        ExclusiveStartKey: deliveryKey({ endpointId, eventId: from.after }),
      }),
    })
    const answer = await asked(client.send(query))
    const items = (answer.Items ?? []).map(item => readDelivery(item).delivery)
    const after = endSchema.parse(answer.LastEvaluatedKey)?.sk ?? null
    return { items, after, looked: answer.ScannedCount ?? items.length }
  },
})
