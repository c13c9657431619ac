import * as z from 'zod'
import { tableDefinition } from '../../../shared/adapters/dynamodb/table.ts'
import type { Answer, Call, Counter } from './counting-proxy.ts'
import {
  type Item,
  indexWriteUnits,
  itemBytes,
  itemSchema,
  readUnits,
  storedBytes,
  writeUnits,
} from './item-units.ts'

export type DynamodbUsage = { writeUnits: number; readUnits: number; tableBytes: number; calls: number }

const { partitionKey, sortKey, index } = tableDefinition
const keySchema = z.object({ [partitionKey]: itemSchema.valueType, [sortKey]: itemSchema.valueType })
type Key = z.infer<typeof keySchema>

const consistency = { ConsistentRead: z.boolean().default(false) }
const readSchema = z.looseObject({ TableName: z.string(), ...consistency })
const gotSchema = z.looseObject({ Item: itemSchema.optional() })
const batchGetSchema = z.looseObject({
  RequestItems: z.record(z.string(), z.looseObject({ Keys: z.array(keySchema), ...consistency })),
})
const foundSchema = z.looseObject({ Items: z.array(itemSchema) })
const writeSchema = z.looseObject({
  TableName: z.string(),
  Item: itemSchema.optional(),
  Key: keySchema.optional(),
})
const batchWriteSchema = z.looseObject({
  RequestItems: z.record(
    z.string(),
    z.array(
      z.union([
        z.object({ PutRequest: z.object({ Item: itemSchema }) }),
        z.object({ DeleteRequest: z.object({ Key: keySchema }) }),
      ]),
    ),
  ),
})

/**
 * Counts the units of what is asked of the table. An emulator's own count is not used: dynalite counts no index, and
 * takes a query that finds nothing for free. Items are read from it whole, beside what was asked.
 */
export const createDynamodbCounter = (usage: DynamodbUsage): Counter => {
  const itemAt = async (call: Call, table: string, key: Key): Promise<Item | null> => {
    const answer = await call.ask('GetItem', { TableName: table, Key: key, ConsistentRead: true })
    return gotSchema.parse(answer.body).Item ?? null
  }

  const countWrites = async (
    call: Call,
    written: readonly { table: string; key: Key }[],
  ): Promise<Answer> => {
    const read = () => Promise.all(written.map(({ table, key }) => itemAt(call, table, key)))
    const before = await read()
    const answer = await call.ask()
    const after = await read()
    before.forEach((was, at) => {
      const is = after[at] ?? null
      const [entryBefore, entryAfter] = [indexEntryOf(was), indexEntryOf(is)]
      usage.writeUnits += writeUnits(was, is) + indexWriteUnits(entryBefore, entryAfter)
      usage.tableBytes += storedBytes(is) - storedBytes(was)
      usage.tableBytes += storedBytes(entryAfter) - storedBytes(entryBefore)
    })
    return answer
  }

  const countBatchGet = async (call: Call): Promise<void> => {
    for (const [table, { Keys, ConsistentRead }] of Object.entries(
      batchGetSchema.parse(call.body).RequestItems,
    )) {
      const items = await Promise.all(Keys.map(key => itemAt(call, table, key)))
      // Each for itself, also what is not there.
      for (const item of items)
        usage.readUnits += readUnits(item === null ? 0 : itemBytes(item), ConsistentRead)
    }
  }

  const countQuery = async (call: Call): Promise<void> => {
    const { ConsistentRead } = readSchema.parse(call.body)
    // What is left out of the answer was read all the same.
    const found = await call.ask('Query', wholeItems(call.body))
    if (found.status !== 200) throw new Error(`a query without its projection: ${JSON.stringify(found.body)}`)
    const { Items } = foundSchema.parse(found.body)
    const bytes = Items.reduce((sum, item) => sum + itemBytes(item), 0)
    usage.readUnits += readUnits(bytes, ConsistentRead)
  }

  return async call => {
    usage.calls += 1
    switch (call.action) {
      case 'GetItem': {
        const { TableName, Key, ConsistentRead } = readSchema.extend({ Key: keySchema }).parse(call.body)
        const item = await itemAt(call, TableName, Key)
        usage.readUnits += readUnits(item === null ? 0 : itemBytes(item), ConsistentRead)
        return call.ask()
      }
      case 'BatchGetItem':
        await countBatchGet(call)
        return call.ask()
      case 'Query':
        await countQuery(call)
        return call.ask()
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem': {
        const { TableName, Item, Key } = writeSchema.parse(call.body)
        return countWrites(call, [{ table: TableName, key: keySchema.parse(Key ?? Item) }])
      }
      case 'BatchWriteItem':
        return countWrites(call, writtenBy(call))
      default:
        throw new Error(`nobody counts ${call.action} yet`)
    }
  }
}

const writtenBy = (call: Call): { table: string; key: Key }[] =>
  Object.entries(batchWriteSchema.parse(call.body).RequestItems).flatMap(([table, requests]) =>
    requests.map(request => ({
      table,
      key: keySchema.parse('PutRequest' in request ? request.PutRequest.Item : request.DeleteRequest.Key),
    })),
  )

/** The entry of the sparse index of keys that an item has. */
const indexEntryOf = (item: Item | null): Item | null => {
  const [ipk, isk] = [item?.[index.partitionKey], item?.[index.sortKey]]
  const [pk, sk] = [item?.[partitionKey], item?.[sortKey]]
  if (ipk === undefined || isk === undefined || pk === undefined || sk === undefined) return null
  return { [index.partitionKey]: ipk, [index.sortKey]: isk, [partitionKey]: pk, [sortKey]: sk }
}

/** A query without its projection, and without the names that only the projection had. */
const wholeItems = (body: Call['body']): Record<string, unknown> => {
  const { ProjectionExpression: _, ExpressionAttributeNames: names, ...whole } = body
  const expressions = JSON.stringify(whole)
  const used = Object.entries(z.record(z.string(), z.string()).default({}).parse(names)).filter(([name]) =>
    expressions.includes(name),
  )
  return { ...whole, ...(used.length > 0 && { ExpressionAttributeNames: Object.fromEntries(used) }) }
}
