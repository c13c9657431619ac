import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { eventIdRange } from '../../domain/feedback/event-id.ts'
import type { EventLog, LoggedEvent, PageOfDay } from '../../domain/polling/event-log.ts'
import { chunks, mapBounded } from '../bounded.ts'
import { dayOfRange } from '../event-days.ts'
import { batchGet, batchGetMax, batchPut, batchWriteMax, distinct } from './batches.ts'
import { eventItem, readEvent, readSummary, summaryProjection } from './event-item.ts'
import { parseItem, readEach, sortKeyOf } from './item.ts'
import { eventKey, eventPartition } from './keys.ts'
import { queryItems } from './query.ts'
import { itemBytesMax, type TableName } from './table.ts'
import { asked } from './table-errors.ts'

/** Batches under way at once: a page of 1,000 records is 40 of them. */
const batchesAtOnce = 8

/** An item beyond DynamoDB's limit would make its whole batch be refused; the rest of an item has a few KB. */
const packedBodyBytesMax = itemBytesMax - 16 * 1024

const keySchema = z.object({ sk: z.string() })
const idOf = (item: unknown): string => parseItem('event', keySchema, item).sk

/** The event log in the table: a partition a day, sorted by event id. */
export const createEventLog = (table: { client: DynamoDBDocumentClient; tableName: TableName }): EventLog => {
  const { client, tableName } = table
  const consistent = { TableName: tableName, ConsistentRead: true }
  return {
    idsInRange: async ({ sourceId, stream, firstId, lastId, staleWillDo = false }) => {
      const pk = eventPartition({ sourceId, stream, day: dayOfRange(firstId, lastId) })
      const input = {
        TableName: tableName,
        ConsistentRead: !staleWillDo,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': pk, ':first': firstId, ':last': lastId },
        ProjectionExpression: 'sk',
      }
      return (await queryItems(client, input)).map(idOf)
    },

    existing: async ({ sourceId, stream, ids, staleWillDo = false }) => {
      const keys = ids.map(eventId => eventKey({ sourceId, stream, eventId }))
      const found = await mapBounded(chunks(distinct(keys), batchGetMax), batchesAtOnce, some =>
        batchGet(table, some, { projection: 'sk', staleWillDo }),
      )
      return new Set(found.flat().map(idOf))
    },

    record: events => recordEvents(table, events),

    read: async key => {
      const answer = await asked(client.send(new GetCommand({ ...consistent, Key: eventKey(key) })))
      return answer.Item === undefined ? null : readEvent(answer.Item)
    },

    newestOfDay: async ({ sourceId, stream, day, untilSecond, limit }) => {
      const pk = eventPartition({ sourceId, stream, day })
      const input = {
        ...consistent,
        KeyConditionExpression: 'pk = :pk AND sk <= :last',
        ExpressionAttributeValues: { ':pk': pk, ':last': eventIdRange(untilSecond, untilSecond).last },
        ScanIndexForward: false,
        ...summaryProjection,
      }
      return (await queryItems(client, input, limit, isReadable)).map(readSummary)
    },

    pageOfDay: async ({ sourceId, stream, day, fromId, limit }) => {
      const pk = eventPartition({ sourceId, stream, day })
      const input = {
        ...consistent,
        KeyConditionExpression: 'pk = :pk AND sk >= :from',
        ExpressionAttributeValues: { ':pk': pk, ':from': fromId },
        ...summaryProjection,
      }
      // One more than asked for: where the next page begins.
      const found = await queryItems(client, input, limit + 1)
      const next = found[limit]
      return {
        ...readSummaries(found.slice(0, limit)),
        nextFromId: next === undefined ? null : sortKeyOf(next),
      }
    },
  }
}

/** What one of them does not let be read holds up none of the others. */
const readSummaries = (items: readonly unknown[]): Omit<PageOfDay, 'nextFromId'> => {
  const unreadable: PageOfDay['unreadable'] = []
  const events = readEach(items, readSummary, (id, error) => void unreadable.push({ id, error }))
  return { events, unreadable }
}

const isReadable = (item: unknown): boolean => readSummaries([item]).unreadable.length === 0

/** Writes in batches; what one of them can't take does not hold up the others. */
const recordEvents = async (
  table: { client: DynamoDBDocumentClient; tableName: TableName },
  events: readonly LoggedEvent[],
): Promise<Set<string>> => {
  const items = distinct(events.map(eventItem)).filter(item => item.b.length <= packedBodyBytesMax)
  const results = await mapBounded(chunks(items, batchWriteMax), batchesAtOnce, async batch => {
    const { left, error } = await batchPut(table, batch)
    const open = new Set(left.map(item => item.sk))
    return { written: batch.map(item => item.sk).filter(id => !open.has(id)), error }
  })
  const written = new Set(results.flatMap(result => result.written))
  const error = results.find(result => result.error !== null)?.error
  if (written.size === 0 && error) throw error
  return written
}
