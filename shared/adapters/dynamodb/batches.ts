import { setTimeout as wait } from 'node:timers/promises'
import { BatchGetCommand, BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { ItemKey } from './keys.ts'
import type { TableName } from './table.ts'
import { asked, asTableError, TableError } from './table-errors.ts'

/** BatchWriteItem takes so many; 25 items of 400 KB in base64 stay under its 16 MB. */
export const batchWriteMax = 25
/** BatchGetItem takes so many. */
export const batchGetMax = 100
/** Answers on end that processed nothing, before it is given up. */
const idleAnswersMax = 8
const firstPauseMs = 25
const longestPauseMs = 2_000

export type BatchTable = {
  client: DynamoDBDocumentClient
  tableName: TableName
  /** Waits between tries; a test passes its own. */
  pause?: (ms: number) => Promise<unknown>
}

const pauseMs = (idleAnswers: number): number => Math.min(firstPauseMs * 2 ** idleAnswers, longestPauseMs)

const keyText = ({ pk, sk }: ItemKey): string => `${pk}\n${sk}`
const keySchema = z.object({ pk: z.string(), sk: z.string() })

const throttled = (): TableError =>
  new TableError({
    code: 'table_throttled',
    message: `the table processed nothing of a batch in ${idleAnswersMax} answers`,
    hint: 'A partition is hot or the table is at its limit; it is tried again by itself.',
  })

/** Each key once, the last of each: a request with the same key twice is refused as a whole. */
export const distinct = <T extends ItemKey>(items: readonly T[]): T[] => [
  ...new Map(items.map(item => [keyText(item), item])).values(),
]

/**
 * Reads at most `batchGetMax` items of different keys, consistently unless a stale answer will do. Keys without item are
 * absent; the order is any.
 */
export const batchGet = async (
  { client, tableName, pause = wait }: BatchTable,
  keys: readonly ItemKey[],
  { projection, staleWillDo = false }: { projection?: string; staleWillDo?: boolean } = {},
): Promise<unknown[]> => {
  let open = keys.map(({ pk, sk }): ItemKey => ({ pk, sk }))
  const items: unknown[] = []
  let idleAnswers = 0
  while (open.length > 0) {
    const request = {
      Keys: open,
      ConsistentRead: !staleWillDo,
      ...(projection && { ProjectionExpression: projection }),
    }
    const answer = await asked(client.send(new BatchGetCommand({ RequestItems: { [tableName]: request } })))
    items.push(...(answer.Responses?.[tableName] ?? []))
    const left = z.array(keySchema).parse(answer.UnprocessedKeys?.[tableName]?.Keys ?? [])
    idleAnswers = left.length < open.length ? 0 : idleAnswers + 1
    if (idleAnswers >= idleAnswersMax) throw throttled()
    open = left
    if (open.length > 0) await pause(pauseMs(idleAnswers))
  }
  return items
}

/**
 * Puts at most `batchWriteMax` items of different keys. `left` are those that are not known to be written: the table
 * did not take them after all tries, or the answer is unknown; `error` says which.
 */
export const batchPut = async <T extends ItemKey>(
  { client, tableName, pause = wait }: BatchTable,
  items: readonly T[],
): Promise<{ left: T[]; error: TableError | null }> => {
  let left = [...items]
  let idleAnswers = 0
  try {
    while (left.length > 0) {
      const puts = left.map(item => ({ PutRequest: { Item: item } }))
      const answer = await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }))
      const open = new Set(
        (answer.UnprocessedItems?.[tableName] ?? []).map(({ PutRequest }) =>
          keyText(keySchema.parse(PutRequest?.Item)),
        ),
      )
      idleAnswers = open.size < left.length ? 0 : idleAnswers + 1
      if (idleAnswers >= idleAnswersMax) throw throttled()
      left = left.filter(item => open.has(keyText(item)))
      if (left.length > 0) await pause(pauseMs(idleAnswers))
    }
    return { left, error: null }
  } catch (error) {
    return { left, error: asTableError(error) }
  }
}
