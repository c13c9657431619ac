import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { EventSummary, KeptEvent } from '../../domain/polling/event-log.ts'
import type { StreamName } from '../../domain/source.ts'
import { readEvent, readSummary, summaryProjection } from './event-item.ts'
import { eventKey, eventPartition } from './keys.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

/** Items a page looks at: a page of the table ends at 1 MB whatever was asked for, so bodies are bounded too. */
const pageItemsMax = 500

export type OfStream = { sourceId: string; stream: StreamName }

/** By event id, and so by the records' time. */
export type Order = 'oldest' | 'newest'

/** A part of a day; `fromId` and `toId` belong to it, `after` (where the page before ended) does not. */
export type PageQuery = { day: string; fromId: string; toId: string; order: Order; after: string | null }

/** `after`: where the next page begins; null at the end. A page may be empty and not the last. */
export type Page<T> = { items: readonly T[]; after: string | null }

/** The event log as an operator looks through it. */
export interface EventPages {
  summaries(query: OfStream & PageQuery): Promise<Page<EventSummary>>
  /** With their bodies; of one that was forgotten, null. */
  events(query: OfStream & PageQuery): Promise<Page<KeptEvent>>
}

const endSchema = z.object({ sk: z.string() }).optional()

/** Not consistent, for half the price: what is looked through goes on moving anyway. */
export const createEventPages = (table: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): EventPages => {
  const pageOf = async (
    { sourceId, stream, day, fromId, toId, order, after }: OfStream & PageQuery,
    projection: { ProjectionExpression?: string },
  ): Promise<Page<unknown>> => {
    const query = new QueryCommand({
      TableName: table.tableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':pk': eventPartition({ sourceId, stream, day }),
        ':from': fromId,
        ':to': toId,
      },
      ScanIndexForward: order === 'oldest',
      Limit: pageItemsMax,
      ...(after !== null && { ExclusiveStartKey: eventKey({ sourceId, stream, eventId: after }) }),
      ...projection,
    })
    const answer = await asked(table.client.send(query))
    return { items: answer.Items ?? [], after: endSchema.parse(answer.LastEvaluatedKey)?.sk ?? null }
  }
  return {
    summaries: async query => {
      const { items, after } = await pageOf(query, summaryProjection)
      return { items: items.map(readSummary), after }
    },
    events: async query => {
      const { items, after } = await pageOf(query, {})
      return { items: items.map(readEvent), after }
    },
  }
}
