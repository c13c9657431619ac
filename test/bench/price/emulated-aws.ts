import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import * as z from 'zod'
import { startEmulators } from '../../../infra/local/emulators.ts'
import { listen } from '../../../infra/local/loopback.ts'
import { anySecret } from './any-secret.ts'
import { createDynamodbCounter } from './count-dynamodb.ts'
import { createSqsCounter } from './count-sqs.ts'
import { startCountingProxy } from './counting-proxy.ts'

/**
 * What a counted bridge speaks to, in a process of its own so that its work is not counted as the bridge's: emulators
 * behind counting proxies, a stub of Secrets Manager, and an endpoint. Arguments: the endpoint's status, and its body.
 */
const [status, answer] = z.tuple([z.coerce.number().int(), z.string()]).parse(process.argv.slice(2))

const usage = {
  sqsRequests: 0,
  sqsFairRequests: 0,
  writeUnits: 0,
  readUnits: 0,
  tableBytes: 0,
  secretReads: 0,
  calls: 0,
}
const emulators = await startEmulators()
const dynamodb = await startCountingProxy({
  upstream: emulators.dynamodb.endpoint,
  counter: createDynamodbCounter(usage),
})
const sqs = await startCountingProxy({
  upstream: emulators.sqs.endpoint,
  counter: createSqsCounter(usage),
})

const secretSchema = z.looseObject({ SecretId: z.string() })
const secrets = createServer(async (request, response) => {
  const { SecretId } = secretSchema.parse(await json(request))
  usage.secretReads += 1
  usage.calls += 1
  response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
  response.end(JSON.stringify({ Name: SecretId, SecretString: anySecret, VersionStages: ['AWSCURRENT'] }))
})

const endpoint = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(status).end(answer))
})

process.send?.({
  dynamodb: dynamodb.endpoint,
  tableName: emulators.dynamodb.tableName,
  sqs: sqs.endpoint,
  queueUrls: emulators.queueUrls,
  secrets: await listen(secrets),
  endpointUrl: `${await listen(endpoint)}/webhook`,
})
process.on('message', () => process.send?.(usage))
process.on('disconnect', () => process.exit(0))
