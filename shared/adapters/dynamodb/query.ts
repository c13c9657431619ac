import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { asked } from './table-errors.ts'

/**
 * Reads a query page by page, until its end or until `limit` items of those that are wanted: a page ends at 1 MB whatever
 * was asked for, and an empty page need not be the last.
 */
export const queryItems = async (
  client: DynamoDBDocumentClient,
  input: QueryCommandInput,
  limit = Number.POSITIVE_INFINITY,
  isWanted: (item: unknown) => boolean = () => true,
): Promise<unknown[]> => {
  const items: unknown[] = []
  let startKey: QueryCommandInput['ExclusiveStartKey']
  while (items.length < limit) {
    const page = await asked(
      client.send(
        new QueryCommand({
          ...input,
          ...(Number.isFinite(limit) && { Limit: limit - items.length }),
          ...(startKey && { ExclusiveStartKey: startKey }),
        }),
      ),
    )
    items.push(...(page.Items ?? []).filter(isWanted))
    startKey = page.LastEvaluatedKey
    if (!startKey) break
  }
  return items
}
