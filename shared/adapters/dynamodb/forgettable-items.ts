import { DeleteCommand, type DynamoDBDocumentClient, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { Forgettable, ForgettableItems, QuarantinedHead } from '../../domain/forget/forgettable-items.ts'
import { forgottenRecordReason } from '../../domain/polling/quarantine.ts'
import { streamNames } from '../../domain/source.ts'
import { readEvent } from './event-item.ts'
import { corruptItem, itemVersion, parseItem } from './item.ts'
import { eventKey, quarantineKey, quarantinePartKey } from './keys.ts'
import { packedNothing } from './quarantine.ts'
import { partsSchema } from './quarantine-parts.ts'
import type { TableName } from './table.ts'
import { asked, conditionally, ItemError } from './table-errors.ts'

type Table = { client: DynamoDBDocumentClient; tableName: TableName }

const eventPrefix = 'EVENT#'
const quarantinePrefix = 'QUARANTINE#'

const headSchema = z.object({
  v: z.literal(itemVersion),
  pk: z.string(),
  sk: z.string(),
  reason: z.string(),
  atMs: z.int(),
  parts: partsSchema,
})
const prefixSchema = z.object({ pk: z.string() })
const keySchema = z.object({ pk: z.string(), sk: z.string() })

/**
 * Goes through the whole table, not day by day: a source that was removed still has events, a record may be of any day, and
 * what is overlooked stays. A page is 1 MB (DynamoDB Developer Guide, "Scanning tables in DynamoDB"). Not consistent, for
 * half the price.
 */
export const createForgettableItems = (table: Table): ForgettableItems => ({
  page: async after => {
    const startKey = keySchema.safeParse(after)
    const scan = new ScanCommand({
      TableName: table.tableName,
      // Parts of a large record's text are items of their own, and have no reason.
      FilterExpression:
        '(begins_with(pk, :event) AND attribute_not_exists(f)) OR (begins_with(pk, :quarantine) AND attribute_exists(#reason))',
      ExpressionAttributeNames: { '#reason': 'reason' },
      ExpressionAttributeValues: { ':event': eventPrefix, ':quarantine': quarantinePrefix },
      ...(startKey.success && { ExclusiveStartKey: startKey.data }),
    })
    const answer = await asked(table.client.send(scan))
    return { items: readAll(answer.Items ?? []), after: answer.LastEvaluatedKey ?? null }
  },

  forgetEvent: async (key, atMs) => {
    const update = new UpdateCommand({
      TableName: table.tableName,
      Key: eventKey(key),
      UpdateExpression: 'SET f = if_not_exists(f, :at) REMOVE b, c',
      // The TTL may have removed it meanwhile: an update would make an item of nothing.
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':at': atMs },
    })
    return (await conditionally(table.client.send(update))) === 'refused' ? 'missing' : 'forgotten'
  },

  forgetQuarantined: head => forgetQuarantined(table, head),
})

/** One after the other, so that one body at a time is unpacked. */
function* readAll(items: readonly unknown[]): Generator<Forgettable> {
  for (const item of items) yield readForgettable(item)
}

const readForgettable = (item: unknown): Forgettable => {
  try {
    const { pk } = parseItem('table', prefixSchema, item)
    return pk.startsWith(eventPrefix)
      ? { kind: 'event', event: readEvent(item) }
      : { kind: 'quarantined', head: readHead(item) }
  } catch (error) {
    if (error instanceof ItemError) return { kind: 'unreadable' }
    throw error
  }
}

const readHead = (item: unknown): QuarantinedHead => {
  const { pk, sk, reason, atMs, parts } = parseItem('quarantine', headSchema, item)
  const [, sourceId = '', streamText] = pk.split('#')
  const stream = streamNames.find(name => name === streamText)
  if (stream === undefined || sourceId === '') throw corruptItem('quarantine', 'pk: not that of a stream')
  return { sourceId, stream, hash: sk, reason, atMs, parts }
}

/** The head first, and its parts counted off last: parts without a head that counts them would be found by nobody. */
const forgetQuarantined = async ({ client, tableName }: Table, head: QuarantinedHead): Promise<void> => {
  const key = quarantineKey(head)
  const update = (parts: number) =>
    conditionally(
      client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: key,
          UpdateExpression: 'SET #reason = :reason, #text = :text, parts = :parts',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: { '#reason': 'reason', '#text': 'text' },
          ExpressionAttributeValues: {
            ':reason': forgottenRecordReason,
            ':text': packedNothing,
            ':parts': parts,
          },
        }),
      ),
    )
  await update(head.parts)
  for (let index = 1; index < head.parts; index += 1) {
    const part = quarantinePartKey(key, index)
    await asked(client.send(new DeleteCommand({ TableName: tableName, Key: part })))
  }
  if (head.parts > 1) await update(1)
}
