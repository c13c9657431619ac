import { randomUUID } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { forgottenRecordReason, type Quarantine } from '../../domain/polling/quarantine.ts'
import { corruptItem, itemVersion, parseItem } from './item.ts'
import { type ItemKey, quarantineKey, quarantinePartKey } from './keys.ts'
import { partBytesMax, partsSchema, textBytesMax } from './quarantine-parts.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

/** What stands in a forgotten record's head in place of its text: an item always has one. */
export const packedNothing = deflateRawSync(Buffer.alloc(0))

const headSchema = z.object({
  v: z.literal(itemVersion),
  reason: z.string(),
  atMs: z.int(),
  writeId: z.string(),
  parts: partsSchema,
  text: z.instanceof(Uint8Array),
})
const partSchema = z.object({ v: z.literal(itemVersion), text: z.instanceof(Uint8Array) })

type Table = { client: DynamoDBDocumentClient; tableName: TableName }

/** Records that can't become events, packed and, where they are large, in parts. */
export const createQuarantine = (table: Table): Quarantine => ({
  keep: async record => {
    const key = quarantineKey(record)
    if (await readHead(table, key)) return 'known'
    const [first = Buffer.alloc(0), ...rest] = split(deflateRawSync(Buffer.from(record.text, 'utf8')))
    // The head last: where it is, the record is whole. Parts are a function of the hash, so to repeat them is harmless.
    for (const [index, text] of rest.entries()) {
      const item = { ...quarantinePartKey(key, index + 1), v: itemVersion, text }
      await asked(table.client.send(new PutCommand({ TableName: table.tableName, Item: item })))
    }
    const writeId = randomUUID()
    const { reason, atMs } = record
    const put = new PutCommand({
      TableName: table.tableName,
      Item: { ...key, v: itemVersion, reason, atMs, writeId, parts: rest.length + 1, text: first },
      ConditionExpression: 'attribute_not_exists(pk)',
    })
    if ((await conditionally(table.client.send(put))) !== 'refused') return 'new'
    // The SDK repeats a put whose reply was lost, and then our own first write is what refuses it.
    return (await readHead(table, key))?.writeId === writeId ? 'new' : 'known'
  },

  read: async ({ sourceId, stream, hash }) => {
    const key = quarantineKey({ sourceId, stream, hash })
    const head = await readHead(table, key)
    if (!head) return null
    // Its parts may be gone already, and it still says that it has some.
    const isForgotten = head.reason === forgottenRecordReason
    const packed: Uint8Array[] = [isForgotten ? packedNothing : head.text]
    for (let index = 1; !isForgotten && index < head.parts; index += 1) {
      packed.push(
        parseItem('quarantine', partSchema, await readItem(table, quarantinePartKey(key, index))).text,
      )
    }
    return { sourceId, stream, hash, text: unpack(packed), reason: head.reason, atMs: head.atMs }
  },
})

const readItem = async ({ client, tableName }: Table, key: ItemKey) =>
  (await asked(client.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true })))).Item

const readHead = async (table: Table, key: ItemKey) => {
  const item = await readItem(table, key)
  return item === undefined ? null : parseItem('quarantine', headSchema, item)
}

const split = (packed: Uint8Array): Uint8Array[] => {
  const parts: Uint8Array[] = []
  for (let start = 0; start < packed.length; start += partBytesMax) {
    parts.push(packed.subarray(start, start + partBytesMax))
  }
  return parts
}

const unpack = (packed: readonly Uint8Array[]): string => {
  try {
    return inflateRawSync(Buffer.concat(packed), { maxOutputLength: textBytesMax }).toString('utf8')
  } catch (error) {
    throw corruptItem('quarantine', 'its text does not unpack', error)
  }
}
