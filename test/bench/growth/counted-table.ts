import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { ConditionFailed, createTableActions, type TableActions, type TableCounts } from './table-actions.ts'

const requestSchema = z.looseObject({
  headers: z.looseObject({ 'x-amz-target': z.string() }),
  body: z.union([z.instanceof(Uint8Array).transform(bytes => new TextDecoder().decode(bytes)), z.string()]),
})
const jsonHeaders = { 'content-type': 'application/x-amz-json-1.0' }

export type CountedTable = Pick<TableActions, 'main' | 'due'> & {
  /** For the stores: the SDK's own client, whose requests go no further than this process. */
  table: { client: DynamoDBDocumentClient; tableName: string }
  counts(): TableCounts
  /** Processor time that the table itself has taken: milliseconds. */
  ownMs(): number
}

/** A table that any number of items fit, behind the SDK's client, so that the adapters are the real ones. */
export const createCountedTable = (): CountedTable => {
  const actions = createTableActions()
  let ownMs = 0
  const answer = (target: string, body: string): { statusCode: number; body: string } => {
    try {
      const action = target.split('.')[1] ?? ''
      return { statusCode: 200, body: JSON.stringify(actions.act(action, JSON.parse(body))) }
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error
      const type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException'
      return {
        statusCode: 400,
        body: JSON.stringify({ __type: type, message: 'The conditional request failed' }),
      }
    }
  }
  const handle = async (request: unknown) => {
    const before = process.cpuUsage()
    const { headers, body } = requestSchema.parse(request)
    const answered = answer(headers['x-amz-target'], body)
    const { user, system } = process.cpuUsage(before)
    ownMs += (user + system) / 1_000
    return { response: { ...answered, headers: jsonHeaders, body: Buffer.from(answered.body) } }
  }
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      ...localClientSettings,
      endpoint: 'http://table.invalid',
      requestHandler: { handle },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  const { main, due, counts } = actions
  return { main, due, counts, table: { client, tableName: 'bench' }, ownMs: () => ownMs }
}
