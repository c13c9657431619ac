import { randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { Delivery, DeliveryKey } from '../../domain/delivery/delivery.ts'
import {
  type DeliveryStore,
  deliveriesReadMax,
  type IndexEntry,
  type WriteCondition,
} from '../../domain/delivery/delivery-store.ts'
import { forgottenReason } from '../../domain/delivery/forgotten-delivery.ts'
import { chunks, mapBounded } from '../bounded.ts'
import { dayOfRange } from '../event-days.ts'
import { batchGet, distinct } from './batches.ts'
import { deliveryItem, readDelivery } from './delivery-item.ts'
import { queryDue } from './due-index.ts'
import { parseItem } from './item.ts'
import { deliveryKey, deliveryPartition, indexKey } from './keys.ts'
import { queryItems } from './query.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

const batchesAtOnce = 4

type Table = { client: DynamoDBDocumentClient; tableName: TableName }

/** Deliveries in the table: a partition a day and endpoint, sorted by event id, and the sparse index of due times. */
export const createDeliveryStore = (table: Table): DeliveryStore => ({
  readMany: async keys => {
    const batches = chunks(distinct(keys.map(deliveryKey)), deliveriesReadMax)
    const items = await mapBounded(batches, batchesAtOnce, batch => batchGet(table, batch))
    return items.flat().map(item => readDelivery(item).delivery)
  },
  read: async key => (await readItem(table, key))?.delivery ?? null,
  write: (delivery, condition) => writeDelivery(table, delivery, condition),
  moveDue: (entry, toDueMs) => moveDue(table, entry, toDueMs),
  due: query => queryDue(table, query),
  eventIds: async ({ endpointId, firstEventId, lastEventId }) => {
    const pk = deliveryPartition({ endpointId, day: dayOfRange(firstEventId, lastEventId) })
    // Not consistent, for half the price: where an answer lacks what was written in the last moments (DynamoDB Developer
    // Guide, "DynamoDB read consistency"), reconcile sends a message too many, which the dispatcher drops by its own read.
    const items = await queryItems(table.client, {
      TableName: table.tableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': firstEventId, ':last': lastEventId },
      ProjectionExpression: 'sk',
    })
    return new Set(items.map(item => parseItem('delivery', z.object({ sk: z.string() }), item).sk))
  },
})

const readItem = async ({ client, tableName }: Table, key: DeliveryKey) => {
  const answer = await asked(
    client.send(new GetCommand({ TableName: tableName, Key: deliveryKey(key), ConsistentRead: true })),
  )
  return answer.Item === undefined ? null : readDelivery(answer.Item)
}

/** The clauses of each condition; what each guards is told in the domain's delivery-store.ts. */
const noItem = 'attribute_not_exists(pk)'
const clauses = {
  unsettled_before: `${noItem} OR (st <> :delivered AND st <> :cancelled AND p < :rank)`,
  round_not_passed: `${noItem} OR (st <> :delivered AND (attribute_not_exists(re) OR re <> :forgotten) AND p < :rank)`,
  unchanged: 'w = :writeId',
} as const

const valuesOf = (condition: WriteCondition): Record<string, string | number> => {
  switch (condition.kind) {
    case 'unsettled_before':
      return { ':delivered': 'delivered', ':cancelled': 'cancelled', ':rank': condition.rank }
    case 'round_not_passed':
      return { ':delivered': 'delivered', ':forgotten': forgottenReason, ':rank': condition.rank }
    case 'unchanged':
      return { ':writeId': condition.writeId }
  }
}

const writeDelivery = async (table: Table, delivery: Delivery, condition: WriteCondition) => {
  const put = new PutCommand({
    TableName: table.tableName,
    Item: deliveryItem(delivery),
    ConditionExpression: clauses[condition.kind],
    ExpressionAttributeValues: valuesOf(condition),
  })
  if ((await conditionally(table.client.send(put))) !== 'refused') return 'written'
  // The SDK repeats a put whose reply was lost, and then our own first write is what refuses it.
  const found = await readItem(table, delivery)
  return found?.delivery.writeId === delivery.writeId ? 'written' : 'refused'
}

const moveDue = async (table: Table, entry: IndexEntry, toDueMs: number): Promise<Delivery | null> => {
  const leaseId = randomUUID()
  const update = new UpdateCommand({
    TableName: table.tableName,
    Key: deliveryKey(entry),
    // The index partition stays as it is: state, endpoint and event are the same.
    UpdateExpression: 'SET du = :to, isk = :isk, le = :lease',
    ConditionExpression: 'st = :state AND du = :from',
    ExpressionAttributeValues: {
      ':to': toDueMs,
      ':isk': indexKey({ ...entry, dueMs: toDueMs }).isk,
      ':lease': leaseId,
      ':state': entry.state,
      ':from': entry.dueMs,
    },
    ReturnValues: 'ALL_NEW',
  })
  const answer = await conditionally(table.client.send(update))
  if (answer !== 'refused') return readDelivery(answer.Attributes).delivery
  // As above: where it bears our lease, we won, and the reply of that was lost.
  const found = await readItem(table, entry)
  return found?.leaseId === leaseId ? found.delivery : null
}
