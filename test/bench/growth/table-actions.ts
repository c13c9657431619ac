import { tableDefinition } from '../../../shared/adapters/dynamodb/table.ts'
import { type Item, itemBytes } from '../price/item-units.ts'
import {
  type Bindings,
  type Condition,
  holds,
  nameOf,
  parseCondition,
  parseUpdate,
  type Update,
  updated,
} from './expressions.ts'
import { rangeOf } from './key-range.ts'
import { createSortedItems } from './sorted-table.ts'
import {
  batchGetSchema,
  batchWriteSchema,
  getSchema,
  type Query,
  querySchema,
  type Write,
  writeSchema,
} from './table-requests.ts'

const { partitionKey, sortKey, index } = tableDefinition
/** What was asked of the table, and what it had to look at and to write for it. */
export type TableCounts = { calls: number; itemsRead: number; bytesRead: number; itemsWritten: number }

export const noCounts: TableCounts = { calls: 0, itemsRead: 0, bytesRead: 0, itemsWritten: 0 }

/** A condition does not hold. */
export class ConditionFailed extends Error {}

type Key = Readonly<Record<string, { S: string }>>
const partOf = (key: Item | Key, name: string): string => {
  const attribute = key[name]
  return attribute !== undefined && 'S' in attribute ? attribute.S : ''
}

/** A table in memory that takes the calls of DynamoDB's API that the adapters make, and counts them. */
export const createTableActions = () => {
  const counts: TableCounts = { ...noCounts }
  const main = createSortedItems()
  const due = createSortedItems()
  const conditions = new Map<string, Condition>()
  const updates = new Map<string, Update>()

  const conditionOf = (text: string): Condition => {
    const condition = conditions.get(text) ?? parseCondition(text)
    conditions.set(text, condition)
    return condition
  }
  const updateOf = (text: string): Update => {
    const update = updates.get(text) ?? parseUpdate(text)
    updates.set(text, update)
    return update
  }
  const read = (key: Item | Key): Item | null => {
    const item = main.get(partOf(key, partitionKey), partOf(key, sortKey))
    if (item !== null) {
      counts.itemsRead += 1
      counts.bytesRead += itemBytes(item)
    }
    return item
  }
  const write = (key: Item | Key, after: Item | null): void => {
    const [pk, sk] = [partOf(key, partitionKey), partOf(key, sortKey)]
    const before = main.get(pk, sk)
    counts.itemsWritten += 1
    if (before?.[index.partitionKey] !== undefined)
      due.remove(partOf(before, index.partitionKey), partOf(before, index.sortKey))
    if (after === null) {
      main.remove(pk, sk)
      return
    }
    main.put(pk, sk, after)
    if (after[index.partitionKey] !== undefined)
      due.put(partOf(after, index.partitionKey), partOf(after, index.sortKey), indexItem(after))
  }
  const checked = (body: Write): { key: Item | Key; before: Item | null } => {
    const key = body.Key ?? body.Item ?? {}
    const before = main.get(partOf(key, partitionKey), partOf(key, sortKey))
    const { ConditionExpression: text } = body
    if (text !== undefined && !holds(conditionOf(text), before, body)) throw new ConditionFailed()
    return { key, before }
  }
  const query = (body: Query) => {
    const items = body.IndexName === undefined ? main : due
    const names = body.IndexName === undefined ? { partitionKey, sortKey } : index
    const { partition, range } = rangeOf(conditionOf(body.KeyConditionExpression), body, names.sortKey)
    const after = body.ExclusiveStartKey === undefined ? null : partOf(body.ExclusiveStartKey, names.sortKey)
    const page = items.page(partition, { ...range, isReverse: !body.ScanIndexForward, after }, body.Limit)
    counts.itemsRead += page.items.length
    counts.bytesRead += page.bytes
    const { FilterExpression: filter, ProjectionExpression: projection } = body
    const found =
      filter === undefined ? page.items : page.items.filter(item => holds(conditionOf(filter), item, body))
    const last = page.items.at(-1)
    const isMore = page.end !== null && last !== undefined
    return {
      Items: projection === undefined ? found : found.map(item => projected(item, projection, body)),
      Count: found.length,
      ScannedCount: page.items.length,
      ...(isMore && { LastEvaluatedKey: keyOf(last) }),
    }
  }

  const actions: Readonly<Record<string, (body: unknown) => unknown>> = {
    GetItem: body => ({ Item: read(getSchema.parse(body).Key) ?? undefined }),
    BatchGetItem: body => {
      const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(batchGetSchema.parse(body).RequestItems)
      return { Responses: { [table]: Keys.map(read).filter(item => item !== null) }, UnprocessedKeys: {} }
    },
    BatchWriteItem: body => {
      for (const { PutRequest } of Object.values(batchWriteSchema.parse(body).RequestItems).flat())
        if (PutRequest !== undefined) write(PutRequest.Item, PutRequest.Item)
      return { UnprocessedItems: {} }
    },
    PutItem: body => {
      const parsed = writeSchema.parse(body)
      write(checked(parsed).key, parsed.Item ?? {})
      return {}
    },
    UpdateItem: body => {
      const parsed = writeSchema.parse(body)
      const { key, before } = checked(parsed)
      const after = updated(updateOf(parsed.UpdateExpression ?? ''), before ?? { ...key }, parsed)
      write(key, after)
      return { Attributes: after }
    },
    DeleteItem: body => {
      write(checked(writeSchema.parse(body)).key, null)
      return {}
    },
    Query: body => query(querySchema.parse(body)),
  }
  return {
    main,
    due,
    counts: (): TableCounts => ({ ...counts }),
    act: (action: string, body: unknown): unknown => {
      const act = actions[action]
      if (act === undefined) throw new Error(`the table knows no ${action}`)
      counts.calls += 1
      return act(body)
    },
  }
}

export type TableActions = ReturnType<typeof createTableActions>

const keyNames = [partitionKey, sortKey, index.partitionKey, index.sortKey]
const picked = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))

/** The index has keys only. */
const indexItem = (item: Item): Item => picked(item, keyNames)
const keyOf = (item: Item): Item => picked(item, keyNames)
const projected = (item: Item, projection: string, bindings: Bindings): Item =>
  picked(
    item,
    projection.split(',').map(name => nameOf(name.trim(), bindings)),
  )
