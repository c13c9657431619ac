import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { localClientSettings } from '../../infra/local/emulators.ts'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../shared/adapters/sqs/message-deleter.ts'
import { createMessageReceiver } from '../../shared/adapters/sqs/message-receiver.ts'
import { eventId } from '../../shared/domain/feedback/event-id.ts'
import type { Bench } from './bench.ts'
import { forkChild, startBridge } from './children.ts'
import { cpuSeconds, peakMemoryBytes } from './process-usage.ts'

const backlog = 10_000
const megabyte = 1024 * 1024
/** While the bridge works, memory is looked at this often; the kernel's own peak is what counts. */
const lookEveryMs = 200
const givenUpAfterMs = 300_000

const readySchema = z.object({
  url: z.string(),
  token: z.string(),
  receiver: z.string(),
  visible: z.number(),
})
const arrivedSchema = z.object({
  distinct: z.number(),
  posts: z.number(),
  lastAtMs: z.number(),
  requests: z.number(),
})

/**
 * A backlog of 10,000 records from the simulator to a receiver: from the start of the process to the last verified
 * arrival. Memory is the process's peak, less the peak of a process with the emulators alone that took the same
 * writes, messages and deletions.
 */
export const backlogBench: Bench = {
  name: 'backlog',
  about: `${backlog} records, page size 1,000, no rate limit: time, records a second, memory beyond the emulators`,
  run: async () => {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const world = forkChild('world-child.ts', [String(backlog), secret])
    const ready = await world.first(readySchema)
    const startedMs = Date.now()
    const bridge = startBridge(
      [
        ...['--source-url', ready.url, '--token', ready.token, '--endpoint', ready.receiver],
        ...['--secret', secret, '--allow-private-endpoints', '--start-at', 'earliest', '--include-soft'],
        ...['--page-size', '1000', '--requests-per-minute', '1000000'],
      ],
      () => {},
    )
    try {
      let peak = 0
      let cpu = 0
      let arrived = await world.ask(arrivedSchema)
      while (arrived.distinct < ready.visible && Date.now() - startedMs < givenUpAfterMs) {
        await new Promise(resolve => setTimeout(resolve, lookEveryMs))
        peak = peakMemoryBytes(bridge.pid)
        cpu = cpuSeconds(bridge.pid)
        arrived = await world.ask(arrivedSchema)
      }
      if (arrived.distinct < ready.visible) {
        throw new Error(`only ${arrived.distinct} of ${ready.visible} arrived:\n${bridge.complaints()}`)
      }
      const seconds = (arrived.lastAtMs - startedMs) / 1000
      const emulators = await emulatorsAlone(ready.visible)
      return {
        records: ready.visible,
        duplicates: arrived.posts - arrived.distinct,
        seconds,
        recordsPerSecond: ready.visible / seconds,
        cpuMsPerRecord: (cpu * 1000) / ready.visible,
        peakMb: peak / megabyte,
        emulatorsPeakMb: emulators / megabyte,
        beyondEmulatorsMb: (peak - emulators) / megabyte,
      }
    } finally {
      await bridge.stop()
      world.end()
    }
  },
}

const emulatorsSchema = z.object({
  dynamodb: z.object({ endpoint: z.string(), tableName: z.string() }),
  sqs: z.object({ endpoint: z.string() }),
  queueUrls: z.object({ fast: z.string(), slow: z.string(), deadLetters: z.string() }),
})

/** Peak memory of the emulators in a process of their own, after the same work: bytes. */
const emulatorsAlone = async (count: number): Promise<number> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-emulators-'))
  const child = forkChild('emulators-child.ts', [dataDir])
  try {
    const { dynamodb, sqs, queueUrls } = await child.first(emulatorsSchema)
    const client = createDocumentClient({ ...localClientSettings, endpoint: dynamodb.endpoint })
    const queueClient = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
    const table = { client, tableName: dynamodb.tableName }
    const log = createEventLog(table)
    const deliveries = createDeliveryStore(table)
    const queue = createDeliveryQueue({ client: queueClient, queueUrls })
    const deleter = createMessageDeleter({ client: queueClient, queueUrls })
    const receiver = createMessageReceiver({ client: queueClient, queueUrl: queueUrls.fast })
    const body = 'x'.repeat(1_500)
    const second = Math.floor(Date.now() / 1000)
    const of = { sourceId: 'main', stream: 'bounces' } as const
    for (let from = 0; from < count; from += 1_000) {
      const ids = Array.from({ length: 1_000 }, (_, at) => eventId({ ...of, uuid: `${from + at}`, second }))
      await queue.send(
        ids.map(() => ({ lane: 'fast', group: 'ep', body: `${body}${body}`, delayMs: 0, faults: null })),
      )
      await log.record(
        ids.map(id => ({
          ...{ id, ...of, type: 'email.bounce.hard', recordId: id, second, body, endpointIds: ['ep'] },
          ...{ loggedAtMs: Date.now(), expiresAtSeconds: second + 1_000 },
        })),
      )
      for (let at = 0; at < ids.length; at += 10) {
        const records = await receiver.receive({ max: 10, waitSeconds: 0 })
        await Promise.all(
          ids.slice(at, at + 10).map(id =>
            deliveries.write(
              {
                ...{ endpointId: 'ep', eventId: id, ...of, state: 'delivered' },
                ...{ position: { round: 1, attempt: 1 }, retryAtMs: null, dueMs: null },
                ...{ firstFailureAtMs: null, reason: null, attempts: [], writeId: id },
                ...{ updatedAtMs: Date.now(), expiresAtSeconds: second + 1_000 },
              },
              { kind: 'round_not_passed', rank: 2_000 },
            ),
          ),
        )
        await deleter.deleteMessages('fast', records)
      }
    }
    const peak = peakMemoryBytes(child.pid)
    client.destroy()
    queueClient.destroy()
    return peak
  } finally {
    child.end()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
