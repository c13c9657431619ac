import { DeleteCommand, type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { QuarantinedRecord } from '../../domain/polling/quarantine.ts'
import type { StreamName } from '../../domain/source.ts'
import { itemVersion, parseItem } from './item.ts'
import { quarantineKey, quarantinePartKey } from './keys.ts'
import { partsSchema } from './quarantine-parts.ts'
import type { TableName } from './table.ts'
import { asked } from './table-errors.ts'

/** A quarantined record without its text; `parts`: the items that hold it. */
export type QuarantineHead = Omit<QuarantinedRecord, 'text'> & { parts: number }

/** `after`: where the next page begins; null at the end. A page may be empty and not the last. */
export type QuarantinePage = { heads: readonly QuarantineHead[]; after: string | null }

/** The quarantine as an operator looks through it, by hash, and takes records out of it. */
export interface QuarantinePages {
  /** Those whose hash begins with `hashPrefix`; empty: all. */
  page(query: {
    sourceId: string
    stream: StreamName
    hashPrefix: string
    after: string | null
  }): Promise<QuarantinePage>
  /** Removes a record whole. What is interrupted is done by removing it again. */
  remove(head: QuarantineHead): Promise<void>
}

const itemSchema = z.object({
  v: z.literal(itemVersion),
  sk: z.string(),
  reason: z.string(),
  atMs: z.int(),
  parts: partsSchema,
})
const endSchema = z.object({ sk: z.string() }).optional()

/** Not consistent, for half the price: a record is in quarantine for longer than a second. */
export const createQuarantinePages = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): QuarantinePages => ({
  page: async ({ sourceId, stream, hashPrefix, after }) => {
    const { pk } = quarantineKey({ sourceId, stream, hash: 'any' })
    const query = new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: hashPrefix === '' ? 'pk = :pk' : 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ...(hashPrefix !== '' && { ':prefix': hashPrefix }) },
      // Parts of a large record's text are items of their own, and have no reason.
      FilterExpression: 'attribute_exists(#reason)',
      ProjectionExpression: '#v, sk, #reason, #at, #parts',
      ExpressionAttributeNames: { '#v': 'v', '#reason': 'reason', '#at': 'atMs', '#parts': 'parts' },
      ...(after !== null && { ExclusiveStartKey: { pk, sk: after } }),
    })
    const answer = await asked(client.send(query))
    const heads = (answer.Items ?? []).map(item => {
      const { sk, reason, atMs, parts } = parseItem('quarantine', itemSchema, item)
      return { sourceId, stream, hash: sk, reason, atMs, parts }
    })
    return { heads, after: endSchema.parse(answer.LastEvaluatedKey)?.sk ?? null }
  },

  remove: async head => {
    const key = quarantineKey(head)
    const parts = Array.from({ length: head.parts - 1 }, (_, at) => quarantinePartKey(key, at + 1))
    // The head last: parts without it would be found by nobody, and they may hold an address.
    for (const one of [...parts, key]) {
      await asked(client.send(new DeleteCommand({ TableName: tableName, Key: one })))
    }
  },
})
