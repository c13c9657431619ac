import * as z from 'zod'
import { healthText, settingsText } from '../../../shared/adapters/dynamodb/endpoint-item.ts'
import { itemVersion } from '../../../shared/adapters/dynamodb/item.ts'
import { endpointKey } from '../../../shared/adapters/dynamodb/keys.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { toWireItem } from '../growth/wire-item.ts'
import { benchEndpoints, endpointsSchema } from './bench-endpoints.ts'
import { cannedBytes, startCannedServer } from './canned-server.ts'

/**
 * DynamoDB and SQS that answer at once and keep nothing, in a process of their own: no delivery is there yet, every
 * write is taken, and the endpoints are those of the argument.
 */
const [of] = z
  .tuple([z.string().transform(text => endpointsSchema.parse(JSON.parse(text)))])
  .parse(process.argv.slice(2))

/** A page of a query ends at 1 MB. */
const pageBytesMax = 1024 * 1024

const itemOf = (endpoint: Endpoint) =>
  toWireItem({
    ...endpointKey(endpoint.id),
    v: itemVersion,
    settings: settingsText(endpoint),
    ...{ state: endpoint.state, stateReason: null, stateSinceMs: null, stateWriteId: 'bench' },
    ...{ slow: false, health: healthText(endpoint.health), healthVersion: endpoint.health.version },
  })

const json = (body: string): Buffer =>
  cannedBytes('200 OK', { 'content-type': 'application/x-amz-json-1.0' }, body)

/** The list of endpoints page by page, by the id after which a page begins. */
const pagesOfEndpoints = (): Map<string, Buffer> => {
  const endpoints = benchEndpoints(of)
  const items = endpoints.map(itemOf)
  const itemBytes = JSON.stringify(items[0] ?? {}).length
  const size = Math.max(1, Math.floor(pageBytesMax / itemBytes))
  const pages = new Map<string, Buffer>()
  for (let at = 0; at < items.length; at += size) {
    const page = items.slice(at, at + size)
    const last = page.at(-1)
    const more = at + size < items.length && last !== undefined
    const body = {
      Items: page,
      Count: page.length,
      ...(more && { LastEvaluatedKey: { pk: last['pk'], sk: last['sk'] } }),
    }
    pages.set(at === 0 ? '' : endpointKey(endpoints[at - 1]?.id ?? '').sk, json(JSON.stringify(body)))
  }
  return pages
}

const endpointPages = pagesOfEndpoints()
const written = json('{}')
const notThere = json('{"Responses":{"bench":[]},"UnprocessedKeys":{}}')
const querySchema = z.object({ ExclusiveStartKey: z.object({ sk: z.object({ S: z.string() }) }).optional() })
const sqsBatchSchema = z.object({ Entries: z.array(z.object({ Id: z.string() })) })
const target = /\r\nx-amz-target: \w+\.(\w+)\r\n/i

const answer = (head: string, body: Buffer): Buffer => {
  const action = target.exec(head)?.[1]
  switch (action) {
    case 'PutItem':
      return written
    case 'BatchGetItem':
      return notThere
    case 'Query': {
      const { ExclusiveStartKey: after } = querySchema.parse(JSON.parse(body.toString()))
      return endpointPages.get(after?.sk.S ?? '') ?? written
    }
    case 'SendMessageBatch':
    case 'DeleteMessageBatch': {
      const { Entries } = sqsBatchSchema.parse(JSON.parse(body.toString()))
      return json(
        JSON.stringify({ Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id })), Failed: [] }),
      )
    }
    default:
      // The SDK would try again for seconds; nobody waits for that.
      console.error(`no answer was canned for ${action}`)
      process.exit(1)
  }
}

process.send?.(await startCannedServer(answer))
process.on('disconnect', () => process.exit(0))
