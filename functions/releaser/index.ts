import { randomUUID } from 'node:crypto'
import { createCursorStore } from '../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createReconcileMarks } from '../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createSourceStore } from '../../shared/adapters/dynamodb/source-store.ts'
import { readEnvironment } from '../../shared/adapters/environment.ts'
import { createEventsClient } from '../../shared/adapters/eventbridge/client.ts'
import { createBusEvents } from '../../shared/adapters/eventbridge/operator-events.ts'
import {
  createSecretsClient,
  createSecretsManagerStore,
} from '../../shared/adapters/secrets/secrets-manager-store.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { systemClock } from '../../shared/adapters/system-clock.ts'
import { createTelemetry } from '../../shared/adapters/telemetry/telemetry.ts'
import { createEndpointCredentials } from '../../shared/domain/delivery/endpoint-credentials.ts'
import { defaultRetrySchedule } from '../../shared/domain/delivery/retry-policy.ts'
import { releaserEnvironment } from './config.ts'
import { createHandler } from './handler.ts'

const config = readEnvironment(releaserEnvironment, process.env)
const telemetry = createTelemetry({ service: config.SERVICE_NAME, logLevel: config.LOG_LEVEL })
const clock = systemClock
const now = () => clock.now()
const table = { client: createDocumentClient({}), tableName: config.TABLE_NAME }
// The endpoints' credentials keep the secrets themselves.
const secrets = createSecretsManagerStore({
  client: createSecretsClient({}),
  prefix: config.SECRET_PREFIX,
  cacheSeconds: 0,
  now,
})

export const handler = telemetry.around(
  createHandler({
    sources: createSourceStore(table),
    endpoints: createEndpointStore(table),
    store: createDeliveryStore(table),
    log: createEventLog(table),
    marks: createReconcileMarks(table),
    queue: createDeliveryQueue({
      client: createQueueClient({}),
      queueUrls: { fast: config.FAST_QUEUE_URL, slow: config.SLOW_QUEUE_URL },
    }),
    // Whether what is held for an endpoint may go depends on its secrets.
    credentials: createEndpointCredentials({ secrets, clock }),
    operator: createBusEvents({ client: createEventsClient({}), prefix: config.SERVICE_NAME }),
    heartbeat: { cursors: createCursorStore(table), heartbeats: createHeartbeatStore({ ...table, now }) },
    reporter: telemetry.reporter,
    clock,
    newId: randomUUID,
    schedule: defaultRetrySchedule,
    queuesOutlive: true,
    measures: true,
  }),
)
