import type { SQSRecord } from 'aws-lambda'
import * as z from 'zod'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { batchEntriesMax } from '../../../shared/adapters/sqs/limits.ts'
import { createMessageDeleter } from '../../../shared/adapters/sqs/message-deleter.ts'
import { createMessageReceiver, type MessageReceiver } from '../../../shared/adapters/sqs/message-receiver.ts'
import { endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { tokenSecretName } from '../../../shared/domain/secret-store.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { forkChild } from '../children.ts'
import { anySecret } from './any-secret.ts'
import { type FunctionsOptions, startDispatcher } from './counted-functions.ts'
import { createFastClock } from './fast-clock.ts'
import { batchGbSeconds, logBytesOf, platformLines } from './lambda-model.ts'
import { collectMetricNames } from './metric-lines.ts'
import { noUsage, plus, type Usage } from './usage.ts'

const sourceId = 'main'
/** So long that all but a few of a backlog are older than the overlap; and a quarter of an hour later all is of the last hour. */
const backlogSpanSeconds = 40 * 60

/** What an endpoint says where it fails: a page of a web server, as is usual. */
const endpointAnswer = `<html>
<head><title>500 Internal Server Error</title></head>
<body>
<center><h1>500 Internal Server Error</h1></center>
<hr><center>nginx/1.24.0 (Ubuntu)</center>
</body>
</html>
`

export type BridgeSettings = {
  /** How many times as fast its clock runs. What the emulators take is stretched alike. */
  speed: number
  endpoints: number
  /** What each of them answers. */
  status: number
  /** As where the endpoint takes other deliveries meanwhile. */
  breakerStaysClosed: boolean
  pollEverySeconds: number
  /** Records before the start, over the last minutes. */
  backlog: number
  /** Records that come from the start on: so many in all, at this rate a second. */
  records: number
  rate: number
}

const awsSchema = z.object({
  dynamodb: z.string(),
  tableName: z.string(),
  sqs: z.string(),
  queueUrls: z.object({ fast: z.string(), slow: z.string(), deadLetters: z.string() }),
  secrets: z.string(),
  endpointUrl: z.string(),
})
const countedSchema = z.object({
  sqsRequests: z.number(),
  sqsFairRequests: z.number(),
  writeUnits: z.number(),
  readUnits: z.number(),
  tableBytes: z.number(),
  secretReads: z.number(),
  calls: z.number(),
})

export type CountedBridge = Awaited<ReturnType<typeof startCountedBridge>>

/** A bridge whose every call of AWS is counted, with a simulated service, on a fast clock. */
export const startCountedBridge = async (settings: BridgeSettings) => {
  const child = forkChild('price/emulated-aws.ts', [String(settings.status), endpointAnswer])
  const aws = await child.first(awsSchema)
  const clock = createFastClock(settings.speed)
  const { rate, records, backlog } = settings
  const simulator = await startSimulator({
    ...{ rate, backlog, rateLimit: 0, seed: 7, token: anySecret, now: () => clock.now() },
    backlogSpanSeconds,
    ...(rate > 0 && { count: records }),
  })
  const metrics = new Set<string>()
  let own: Usage = noUsage
  let deadLetters = 0
  const onLine = (line: string): void => {
    if (line.includes('"message":"dead"')) deadLetters += 1
    own = plus(own, { ...noUsage, logBytes: logBytesOf([line]) })
    collectMetricNames(line, metrics)
  }
  const functions: FunctionsOptions = { aws, clock, onLine }
  await putSettings(settings, aws, { url: simulator.url, pathPrefix: simulator.pathPrefix })

  const client = createQueueClient({ ...localClientSettings, endpoint: aws.sqs })
  const deleter = createMessageDeleter({ client, queueUrls: aws.queueUrls })
  const dispatch = startDispatcher({ ...functions, ...settings })

  /** Notes an invocation that was billed so much. */
  const invoked = (gbSeconds: number, scheduled = 0): void => {
    const logBytes = logBytesOf(platformLines)
    own = plus(own, { ...noUsage, invocations: 1, gbSeconds, scheduled, logBytes })
  }

  /** What a queue holds, in batches of this size, as an event source mapping hands them on; says how many messages. */
  const drain = async (batchSize: number): Promise<number> => {
    let messages = 0
    for (const lane of ['fast', 'slow'] as const) {
      const receiver = createMessageReceiver({ client, queueUrl: aws.queueUrls[lane] })
      for (;;) {
        const batch = await gather(receiver, batchSize)
        if (batch.length === 0) break
        const before = process.cpuUsage()
        await dispatch({ Records: batch })
        const { user, system } = process.cpuUsage(before)
        await deleter.deleteMessages(lane, batch)
        invoked(batchGbSeconds((user + system) / 1_000))
        messages += batch.length
      }
    }
    return messages
  }

  return {
    clock,
    functions,
    invoked,
    drain,
    metrics,
    /** Told of so far. */
    deadLetters: () => deadLetters,
    requestsToService: () => simulator.requestCount,
    usage: async (): Promise<Usage> => plus(own, { ...noUsage, ...(await child.ask(countedSchema)) }),
    stop: async (): Promise<void> => {
      client.destroy()
      await simulator.close()
      child.end()
    },
  }
}

/** A larger batch is of several receives: each brings ten at most. */
const gather = async (receiver: MessageReceiver, size: number): Promise<SQSRecord[]> => {
  const batch: SQSRecord[] = []
  while (batch.length < size) {
    const max = Math.min(batchEntriesMax, size - batch.length)
    const some = await receiver.receive({ max, waitSeconds: 0 })
    if (some.length === 0) break
    batch.push(...some)
  }
  return batch
}

const putSettings = async (
  { endpoints, pollEverySeconds }: BridgeSettings,
  aws: z.infer<typeof awsSchema>,
  service: { url: string; pathPrefix: string },
): Promise<void> => {
  const client = createDocumentClient({ ...localClientSettings, endpoint: aws.dynamodb })
  const table = { client, tableName: aws.tableName }
  const store = createEndpointStore(table)
  for (let at = 1; at <= endpoints; at += 1) {
    await store.put({
      ...endpointDefaults,
      ...{ id: `ep-bench-${at}`, url: aws.endpointUrl, types: ['*'] },
      keys: [{ version: 1, secret: null, signsUntilMs: null }],
    })
  }
  await createSourceStore(table).put({
    ...sourceDefaults,
    ...{ id: sourceId, baseUrl: service.url, pathPrefix: service.pathPrefix },
    ...{ tokenSecret: tokenSecretName(sourceId), startAt: { kind: 'earliest' }, pollEverySeconds },
    ...{ includeSoft: true, pageSize: 1_000 },
  })
  client.destroy()
}
