import { randomUUID } from 'node:crypto'
import type { Context } from 'aws-lambda'
import { createCursorStore } from '../../shared/adapters/dynamodb/cursor-store.ts'
import { createDocumentClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createQuarantine } from '../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createRunLease } from '../../shared/adapters/dynamodb/run-lease.ts'
import { createSourceStore } from '../../shared/adapters/dynamodb/source-store.ts'
import { readEnvironment } from '../../shared/adapters/environment.ts'
import { createFeedbackClient } from '../../shared/adapters/feedback-api/client.ts'
import {
  createSecretsClient,
  createSecretsManagerStore,
} from '../../shared/adapters/secrets/secrets-manager-store.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { systemClock } from '../../shared/adapters/system-clock.ts'
import { createTelemetry } from '../../shared/adapters/telemetry/telemetry.ts'
import { runEveryMinutes } from '../../shared/domain/polling/run-schedule.ts'
import { minuteMs } from '../../shared/domain/time-units.ts'
import { pollerEnvironment } from './config.ts'
import { createHandler } from './handler.ts'

/** Each reading of a secret costs something; a token that is refused is read again at once. */
const tokenCachedSeconds = 300
/**
 * A page of 1,000 real records has 0.6 MB. Two larger than this at once, parsed, would not fit the function's 256 MB: a
 * run that dies of one stream's page reads neither.
 */
const pageBytesMax = 16 * 1024 * 1024
/** What a run needs after its last poll began: to send, record and commit what that one read. */
const finishMs = 25_000

const config = readEnvironment(pollerEnvironment, process.env)
const telemetry = createTelemetry({ service: config.SERVICE_NAME, logLevel: config.LOG_LEVEL })
const clock = systemClock
const now = () => clock.now()
const table = { client: createDocumentClient({}), tableName: config.TABLE_NAME }
const secrets = createSecretsManagerStore({
  client: createSecretsClient({}),
  prefix: config.SECRET_PREFIX,
  cacheSeconds: tokenCachedSeconds,
  now,
})
const endpoints = createEndpointStore(table)

const poll = createHandler({
  sources: createSourceStore(table),
  cursors: createCursorStore(table),
  lease: createRunLease(table),
  log: createEventLog(table),
  quarantine: createQuarantine(table),
  marks: createReconcileMarks(table),
  queue: createDeliveryQueue({
    client: createQueueClient({}),
    queueUrls: { fast: config.FAST_QUEUE_URL, slow: config.SLOW_QUEUE_URL },
  }),
  endpoints: () => endpoints.list(),
  apiOf: source => {
    const { tokenSecret } = source
    const token = () => secrets.read(tokenSecret)
    const onTokenRefused = () => secrets.forget(tokenSecret)
    return createFeedbackClient({ ...source, token, onTokenRefused, pageBytesMax, now })
  },
  reporter: telemetry.reporter,
  clock,
  newRunId: randomUUID,
  pollEverySecondsMin: config.POLL_EVERY_SECONDS,
  tickEveryMs: runEveryMinutes(config.POLL_EVERY_SECONDS) * minuteMs,
})

export const handler = telemetry.around(
  (tick: unknown, context: Context) =>
    poll(tick, { endsAtMs: clock.now() + context.getRemainingTimeInMillis() - finishMs }),
  // Without a source there is no walk to wait for, and the alarm on missing data is to stay silent.
  { zeroWhenIdle: ['sinceCompleteWalk'] },
)
