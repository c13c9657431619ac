import { randomUUID } from 'node:crypto'
import { createHandler as createDispatcherHandler } from '../../../functions/dispatcher/handler.ts'
import { createHandler as createPollerHandler } from '../../../functions/poller/handler.ts'
import { createHandler as createReleaserHandler } from '../../../functions/releaser/handler.ts'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../../shared/adapters/dynamodb/pace-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { createFeedbackClient } from '../../../shared/adapters/feedback-api/client.ts'
import {
  createSecretsClient,
  createSecretsManagerStore,
} from '../../../shared/adapters/secrets/secrets-manager-store.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../../shared/adapters/sqs/dead-letter-queue.ts'
import { createDeliveryQueue } from '../../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../../shared/adapters/sqs/message-deleter.ts'
import type { QueueUrls } from '../../../shared/adapters/sqs/queues.ts'
import { systemClock } from '../../../shared/adapters/system-clock.ts'
import { createTelemetry } from '../../../shared/adapters/telemetry/telemetry.ts'
import { createWebhookSender } from '../../../shared/adapters/webhook/undici-webhook-sender.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import { runEveryMinutes } from '../../../shared/domain/polling/run-schedule.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { lambdaContext } from '../lambda-context.ts'
import { amongSuccesses } from './among-successes.ts'

export type CountedAws = {
  dynamodb: string
  tableName: string
  sqs: string
  queueUrls: QueueUrls
  secrets: string
  endpointUrl: string
}
export type FunctionsOptions = { aws: CountedAws; clock: Clock; onLine: (line: string) => void }

const tokenCachedSeconds = 300
const deadlineMs = 15_000

const context = lambdaContext(180_000)

/** What a process of any function has: clients of its own, and caches that it begins with empty. */
const surroundings = ({ aws, clock, onLine }: FunctionsOptions) => {
  const document = createDocumentClient({ ...localClientSettings, endpoint: aws.dynamodb })
  const client = createQueueClient({ ...localClientSettings, endpoint: aws.sqs })
  const table = { client: document, tableName: aws.tableName }
  const secretsOf = (cacheSeconds: number) =>
    createSecretsManagerStore({
      client: createSecretsClient({ ...localClientSettings, endpoint: aws.secrets }),
      prefix: 'bench/',
      cacheSeconds,
      now: () => clock.now(),
    })
  return {
    client,
    table,
    queueUrls: aws.queueUrls,
    secretsOf,
    stores: {
      sources: createSourceStore(table),
      endpoints: createEndpointStore(table),
      store: createDeliveryStore(table),
      log: createEventLog(table),
      marks: createReconcileMarks(table),
      queue: createDeliveryQueue({ client, queueUrls: aws.queueUrls }),
    },
    telemetry: createTelemetry({ service: 'bench', logLevel: 'INFO', write: onLine }),
  }
}

/** A process of the poller, composed as functions/poller/index.ts does, but for addresses and clock. */
export const startPoller = (options: FunctionsOptions & { pollEverySeconds: number }) => {
  const { stores, table, secretsOf, telemetry } = surroundings(options)
  const { clock } = options
  const secrets = secretsOf(tokenCachedSeconds)
  const poll = createPollerHandler({
    ...stores,
    cursors: createCursorStore(table),
    lease: createRunLease(table),
    quarantine: createQuarantine(table),
    endpoints: () => stores.endpoints.list(),
    apiOf: source =>
      createFeedbackClient({
        ...source,
        token: () => secrets.read(source.tokenSecret),
        now: () => clock.now(),
      }),
    reporter: telemetry.reporter,
    clock,
    newRunId: randomUUID,
    pollEverySecondsMin: options.pollEverySeconds,
    tickEveryMs: runEveryMinutes(options.pollEverySeconds) * minuteMs,
  })
  const handler = telemetry.around((signal: AbortSignal) => poll({}, { signal }))
  return (signal: AbortSignal): Promise<void> => handler(signal, context)
}

/**
 * A process of the dispatcher, as functions/dispatcher/index.ts composes it. How long something takes, it is told by
 * the clock on the wall: on a fast one an endpoint would be slow, and its deliveries would change their lane.
 * `breakerStaysClosed`: what is written of an endpoint's health is written, and counted, but never opens its breaker.
 */
export const startDispatcher = (options: FunctionsOptions & { breakerStaysClosed: boolean }) => {
  const { stores, table, client, queueUrls, secretsOf, telemetry } = surroundings(options)
  const clock = { now: () => options.clock.now(), sleep: systemClock.sleep }
  const { reporter } = telemetry
  const directory = createEndpointDirectory({ endpoints: stores.endpoints, clock, reporter })
  const ofHealth = { endpoints: stores.endpoints, directory }
  const noted = options.breakerStaysClosed ? amongSuccesses(ofHealth) : ofHealth
  const handler = telemetry.around(
    createDispatcherHandler({
      ...stores,
      deadLetters: createDeadLetterQueue({ client, queueUrls }),
      deleter: createMessageDeleter({ client, queueUrls }),
      directory,
      health: createHealthKeeper({ ...noted, reporter, clock, random: Math.random }),
      paces: createPaceStore({ ...table, now: () => clock.now() }),
      heartbeats: createHeartbeatStore({ ...table, now: () => clock.now() }),
      credentials: createEndpointCredentials({ secrets: secretsOf(0), clock }),
      sender: createWebhookSender({ allowPrivate: true, now: () => systemClock.now() }),
      reporter,
      clock,
      random: Math.random,
      newId: randomUUID,
      schedule: defaultRetrySchedule,
      deadlineMs,
      // What receives names a queue by its URL.
      laneOfQueue: new Map([
        [queueUrls.fast, 'fast'],
        [queueUrls.slow, 'slow'],
      ]),
    }),
  )
  return (event: Parameters<typeof handler>[0]) => handler(event, context)
}

/** A process of the releaser, as functions/releaser/index.ts composes it. */
export const startReleaser = (options: FunctionsOptions & { measures: boolean }) => {
  const { stores, table, secretsOf, telemetry } = surroundings(options)
  const { clock, measures } = options
  const now = (): number => clock.now()
  const handler = telemetry.around(
    createReleaserHandler({
      ...stores,
      // No endpoint is disabled, so nothing is put on the bus.
      operator: { tellDisabled: async () => [] },
      heartbeat: { cursors: createCursorStore(table), heartbeats: createHeartbeatStore({ ...table, now }) },
      credentials: createEndpointCredentials({ secrets: secretsOf(0), clock }),
      reporter: telemetry.reporter,
      clock,
      newId: randomUUID,
      schedule: defaultRetrySchedule,
      queuesOutlive: true,
      measures,
    }),
  )
  return () => handler({}, context)
}
