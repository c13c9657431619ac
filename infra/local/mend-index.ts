import { type AttributeValue, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import * as z from 'zod'
import { type TableName, tableDefinition } from '../../shared/adapters/dynamodb/table.ts'

export type LevelOperation = { type: 'del'; key: string } | { type: 'put'; key: string; value: unknown }

/** The part of dynalite's LevelDB that mending needs. */
export type LevelDatabase = {
  open(): Promise<void>
  close(): Promise<void>
  iterator(range: { gte: string; lt: string }): AsyncIterable<[string, unknown]>
  batch(operations: readonly LevelOperation[]): Promise<void>
}

type Item = Record<string, AttributeValue>

const { partitionKey, sortKey, index } = tableDefinition
const text = z.object({ S: z.string() })
const entrySchema = z.object({
  [partitionKey]: text,
  [sortKey]: text,
  [index.partitionKey]: text,
  [index.sortKey]: text,
})

/** Names an index entry, alike for the entry and for the item that it is of; null where the item has none. */
const entryOf = (item: unknown): string | null => {
  const parsed = entrySchema.safeParse(item)
  if (!parsed.success) return null
  const keys = [partitionKey, sortKey, index.partitionKey, index.sortKey] as const
  return JSON.stringify(keys.map(key => parsed.data[key]?.S))
}

/** Where dynalite keeps a table's items and its index's entries. */
const rangeOf = (prefix: string) => ({ gte: `${prefix}~`, lt: `${prefix}~\u{FF}` })

/**
 * dynalite writes an index entry first and the item after it, so that a `kill -9` between them leaves an entry without
 * its delivery, or a delivery without its entry: stranded. Removes the former, while dynalite does not run; returns the
 * items of the latter, for `writeEntries`.
 */
export const removeStaleEntries = async (database: LevelDatabase, tableName: TableName): Promise<Item[]> => {
  const entryKeys = new Map<string, string>()
  for await (const [key, entry] of database.iterator(rangeOf(`index-global~${tableName}~${index.name}`))) {
    entryKeys.set(entryOf(entry) ?? key, key)
  }
  const bare: Item[] = []
  for await (const [, item] of database.iterator(rangeOf(`item-${tableName}`))) {
    const entry = entryOf(item)
    if (entry !== null && !entryKeys.delete(entry)) bare.push(storedItem.parse(item))
  }
  // What is left has no item.
  await database.batch([...entryKeys.values()].map(key => ({ type: 'del' as const, key })))
  return bare
}

const storedItem = z.custom<Item>(value => entryOf(value) !== null)

/** Writes each item again as it is, and with it its entry. */
export const writeEntries = async (
  { client, tableName }: { client: DynamoDBClient; tableName: TableName },
  items: readonly Item[],
): Promise<void> => {
  for (const item of items) {
    await client.send(new PutItemCommand({ TableName: tableName, Item: binariesRead(item) }))
  }
}

/** On disk, and in JSON, a binary value is base64; the SDK takes its bytes. */
const binariesRead = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const stored = z.object({ B: z.string() }).safeParse(value)
      return [name, stored.success ? { B: Buffer.from(stored.data.B, 'base64') } : value]
    }),
  )
