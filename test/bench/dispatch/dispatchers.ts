import { randomUUID } from 'node:crypto'
import { createHandler } from '../../../functions/dispatcher/handler.ts'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../../shared/adapters/dynamodb/pace-store.ts'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import { createMemorySecretStore } from '../../../shared/adapters/secrets/memory-secret-store.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../../shared/adapters/sqs/dead-letter-queue.ts'
import { createDeliveryQueue } from '../../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../../shared/adapters/sqs/message-deleter.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'
import { createTelemetry, type Telemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import type { EntryResult } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { DispatcherDeps } from '../../../shared/domain/delivery/dispatch.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../../shared/domain/endpoint/endpoint-store.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { lambdaContext } from '../lambda-context.ts'
import { anySecret } from '../price/any-secret.ts'
import { fastQueueArn, type ToPost } from './bench-batches.ts'

const clock = systemClock
const now = () => clock.now()
const deadlineMs = 15_000

type Stores = Pick<DispatcherDeps, 'store' | 'paces' | 'heartbeats' | 'queue' | 'deadLetters' | 'deleter'> & {
  endpoints: EndpointStore
}

/** Everything that AWS has of it, in memory. */
export const twinStores = async (endpoints: readonly Endpoint[]): Promise<Stores> => {
  const store = createMemoryEndpointStore()
  for (const endpoint of endpoints) await store.put(endpoint)
  const sent = async (entries: readonly unknown[]): Promise<EntryResult[]> =>
    entries.map(() => ({ kind: 'sent' }))
  return {
    endpoints: store,
    store: createMemoryDeliveryStore(),
    paces: createMemoryPaceStore(),
    heartbeats: createMemoryHeartbeatStore(),
    queue: { send: sent },
    deadLetters: { send: sent },
    deleter: { deleteMessages: async () => {} },
  }
}

/** The same of the SDK's clients, with the address of whoever answers them. */
export const sdkStores = (endpoint: string): Stores => {
  const table = { client: createDocumentClient({ ...localClientSettings, endpoint }), tableName: 'bench' }
  const client = createQueueClient({ ...localClientSettings, endpoint })
  const [fast, slow, deadLetters] = ['fast', 'slow', 'dead'].map(name => `${endpoint}/000000000000/${name}`)
  const queueUrls = { fast: fast ?? '', slow: slow ?? '', deadLetters: deadLetters ?? '' }
  return {
    endpoints: createEndpointStore(table),
    store: createDeliveryStore(table),
    paces: createPaceStore({ ...table, now }),
    heartbeats: createHeartbeatStore({ ...table, now }),
    queue: createDeliveryQueue({ client, queueUrls }),
    deadLetters: createDeadLetterQueue({ client, queueUrls }),
    deleter: createMessageDeleter({ client, queueUrls }),
  }
}

/** What a function has around its handler; its lines go nowhere. */
export const lambdaTelemetry = (): Telemetry =>
  createTelemetry({ service: 'bench', logLevel: 'INFO', write: () => {} })

/** A twin of it: nobody is told of anything. */
export const noTelemetry: Telemetry = { reporter: { report: () => {} }, around: handler => handler }

/**
 * An instance of the dispatcher, composed as functions/dispatcher/index.ts does. Each call is one batch of the fast
 * lane; `delivered` says how many deliveries it has told of.
 */
export const startDispatcher = ({ endpoints, ...stores }: Stores, telemetry: Telemetry) => {
  let delivered = 0
  const reporter: DispatcherDeps['reporter'] = {
    report: happening => {
      if (happening.kind === 'delivered') delivered += 1
      telemetry.reporter.report(happening)
    },
  }
  const directory = createEndpointDirectory({ endpoints, clock, reporter })
  const secrets = createMemorySecretStore({ secrets: new Map([[masterSecretName, anySecret]]) })
  const handler = telemetry.around(
    createHandler({
      ...stores,
      directory,
      health: createHealthKeeper({ endpoints, directory, reporter, clock, random: Math.random }),
      credentials: createEndpointCredentials({ secrets, clock }),
      sender: createWebhookSender({ allowPrivate: true, now }),
      ...{ reporter, clock, deadlineMs, random: Math.random, newId: randomUUID },
      schedule: defaultRetrySchedule,
      laneOfQueue: new Map([[fastQueueArn, 'fast']]),
    }),
  )
  return {
    delivered: () => delivered,
    handle: async (batch: readonly ToPost[]): Promise<void> => {
      const { batchItemFailures } = await handler(
        { Records: batch.map(({ record }) => record) },
        lambdaContext(60_000),
      )
      if (batchItemFailures.length > 0) throw new Error(`${batchItemFailures.length} deliveries failed`)
    },
  }
}
