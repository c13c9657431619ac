import { randomUUID } from 'node:crypto'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createHeartbeatStore } from '../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../shared/adapters/dynamodb/pace-store.ts'
import { readEnvironment } from '../../shared/adapters/environment.ts'
import {
  createSecretsClient,
  createSecretsManagerStore,
} from '../../shared/adapters/secrets/secrets-manager-store.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../shared/adapters/sqs/dead-letter-queue.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../shared/adapters/sqs/message-deleter.ts'
import { systemClock } from '../../shared/adapters/system-clock.ts'
import { createTelemetry } from '../../shared/adapters/telemetry/telemetry.ts'
import { createWebhookSender } from '../../shared/adapters/webhook/undici-webhook-sender.ts'
import { createEndpointCredentials } from '../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../shared/domain/delivery/health-keeper.ts'
import { defaultRetrySchedule } from '../../shared/domain/delivery/retry-policy.ts'
import { dispatcherEnvironment } from './config.ts'
import { createHandler } from './handler.ts'

const config = readEnvironment(dispatcherEnvironment, process.env)
const { reporter, around } = createTelemetry({ service: config.SERVICE_NAME, logLevel: config.LOG_LEVEL })
const clock = systemClock
const now = () => clock.now()
const table = { client: createDocumentClient({}), tableName: config.TABLE_NAME }
const client = createQueueClient({})
const queueUrls = {
  fast: config.FAST_QUEUE_URL,
  slow: config.SLOW_QUEUE_URL,
  deadLetters: config.DEAD_LETTERS_QUEUE_URL,
}
// The endpoints' credentials keep the secrets themselves.
const secrets = createSecretsManagerStore({
  client: createSecretsClient({}),
  prefix: config.SECRET_PREFIX,
  cacheSeconds: 0,
  now,
})

const endpoints = createEndpointStore(table)
const directory = createEndpointDirectory({ endpoints, clock, reporter })
const { random } = Math

export const handler = around(
  createHandler({
    store: createDeliveryStore(table),
    queue: createDeliveryQueue({ client, queueUrls }),
    deadLetters: createDeadLetterQueue({ client, queueUrls }),
    deleter: createMessageDeleter({ client, queueUrls }),
    directory,
    health: createHealthKeeper({
      endpoints,
      directory,
      reporter,
      clock,
      random,
      disableAfterMs: config.DISABLE_AFTER_MS,
    }),
    paces: createPaceStore({ ...table, now }),
    heartbeats: createHeartbeatStore({ ...table, now }),
    credentials: createEndpointCredentials({ secrets, clock }),
    // The cloud never sends to private addresses: what is there are other people's machines, or AWS's own.
    sender: createWebhookSender({ allowPrivate: false, now }),
    reporter,
    clock,
    random,
    newId: randomUUID,
    schedule: defaultRetrySchedule,
    deadlineMs: config.DEADLINE_MS,
    laneOfQueue: new Map([
      [config.FAST_QUEUE_ARN, 'fast'],
      [config.SLOW_QUEUE_ARN, 'slow'],
    ]),
  }),
)
