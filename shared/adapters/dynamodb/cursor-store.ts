import { randomUUID } from 'node:crypto'
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { type CursorKey, type CursorStore, cursorSchema } from '../../domain/polling/cursor.ts'
import { itemVersion, jsonAttribute, parseItem } from './item.ts'
import { cursorKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked, conditionally } from './table-errors.ts'

const itemSchema = z.object({
  v: z.literal(itemVersion),
  version: z.int().min(1),
  writeId: z.string(),
  cursor: jsonAttribute(cursorSchema),
})

/** Cursors in the table; a commit is a put on the condition of the version. */
export const createCursorStore = ({
  client,
  tableName,
}: {
  client: DynamoDBDocumentClient
  tableName: TableName
}): CursorStore => {
  const readItem = async (key: CursorKey) => {
    const answer = await asked(
      client.send(new GetCommand({ TableName: tableName, Key: cursorKey(key), ConsistentRead: true })),
    )
    return answer.Item === undefined ? null : parseItem('cursor', itemSchema, answer.Item)
  }

  const versionIs = (expected: number | null) =>
    expected === null
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'version = :expected', ExpressionAttributeValues: { ':expected': expected } }

  return {
    read: async key => {
      const item = await readItem(key)
      return item && { cursor: item.cursor, version: item.version }
    },

    commit: async (key, cursor, expected) => {
      const writeId = randomUUID()
      const item = {
        ...cursorKey(key),
        v: itemVersion,
        version: (expected ?? 0) + 1,
        writeId,
        cursor: JSON.stringify(cursor),
      }
      const put = new PutCommand({ TableName: tableName, Item: item, ...versionIs(expected) })
      if ((await conditionally(client.send(put))) !== 'refused') return 'committed'
      // The SDK repeats a put whose reply was lost, and then our own first write is what refuses it.
      const found = await readItem(key)
      return found?.writeId === writeId ? 'committed' : 'moved'
    },
  }
}
