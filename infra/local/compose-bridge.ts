import { randomUUID } from 'node:crypto'
import { createHandler as createDispatcherHandler } from '../../functions/dispatcher/handler.ts'
import { createHandler as createPollerHandler } from '../../functions/poller/handler.ts'
import { createHandler as createReleaserHandler } from '../../functions/releaser/handler.ts'
import { createCursorStore } from '../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../shared/adapters/dynamodb/delivery-store.ts'
import { createDocumentClient } from '../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../shared/adapters/dynamodb/pace-store.ts'
import { createQuarantine } from '../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createRunLease } from '../../shared/adapters/dynamodb/run-lease.ts'
import { createSourceStore } from '../../shared/adapters/dynamodb/source-store.ts'
import { createFeedbackClient, type FeedbackClient } from '../../shared/adapters/feedback-api/client.ts'
import { createQueueClient } from '../../shared/adapters/sqs/client.ts'
import { createDeadLetterQueue } from '../../shared/adapters/sqs/dead-letter-queue.ts'
import { createDeliveryQueue } from '../../shared/adapters/sqs/delivery-queue.ts'
import { createMessageDeleter } from '../../shared/adapters/sqs/message-deleter.ts'
import { systemClock } from '../../shared/adapters/system-clock.ts'
import { createWebhookSender } from '../../shared/adapters/webhook/undici-webhook-sender.ts'
import { createEndpointCredentials } from '../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../shared/domain/delivery/health-keeper.ts'
import type { Reporter } from '../../shared/domain/happenings.ts'
import type { SweepPlan } from '../../shared/domain/polling/sweeps.ts'
import { type HeartbeatDeps, sendHeartbeats } from '../../shared/domain/release/send-heartbeats.ts'
import type { SecretStore } from '../../shared/domain/secret-store.ts'
import type { Source } from '../../shared/domain/source.ts'
import { createBackpressure } from './backpressure.ts'
import { type Emulators, localClientSettings } from './emulators.ts'
import { toldOnTerminal } from './operator-events.ts'
import { releaseEveryMs } from './schedule.ts'
import type { BridgeSettings } from './settings.ts'
import { tokenOf } from './sources.ts'

/** One run of the releaser may take this long: locally nothing else ends it, and a start may have much to send again. */
const releaserRunMs = 600_000

export type ComposeOptions = {
  settings: Pick<BridgeSettings, 'retrySchedule' | 'deadlineMs' | 'allowPrivate'>
  emulators: Pick<Emulators, 'dynamodb' | 'sqs' | 'queueUrls'>
  secrets: SecretStore
  reporter: Reporter
  /** Resolves when whoever reads our output can take more. */
  admission: () => Promise<void>
  /** Default: those of the domain. */
  sweeps?: readonly SweepPlan[]
}

export type ComposedBridge = ReturnType<typeof composeBridge>

/** The three functions with their adapters: as on AWS, but for the addresses. */
export const composeBridge = (options: ComposeOptions) => {
  const { settings, emulators, reporter, secrets } = options
  const { queueUrls } = emulators
  const clock = systemClock
  const now = () => clock.now()
  const document = createDocumentClient({ ...localClientSettings, endpoint: emulators.dynamodb.endpoint })
  const client = createQueueClient({ ...localClientSettings, endpoint: emulators.sqs.endpoint })
  const table = { client: document, tableName: emulators.dynamodb.tableName }
  const sources = createSourceStore(table)
  const endpoints = createEndpointStore(table)
  const store = createDeliveryStore(table)
  const log = createEventLog(table)
  const marks = createReconcileMarks(table)
  const queue = createDeliveryQueue({ client, queueUrls })
  const deleter = createMessageDeleter({ client, queueUrls })
  const sender = createWebhookSender({ allowPrivate: settings.allowPrivate, now })
  const credentials = createEndpointCredentials({ secrets, clock })
  const backpressure = createBackpressure({ queue, client, queueUrls, clock, admission: options.admission })
  const shared = { reporter, clock, newId: randomUUID, endpoints, store, log, credentials }
  const directory = createEndpointDirectory({ endpoints, clock, reporter })
  const cursors = createCursorStore(table)
  const heartbeats = createHeartbeatStore({ ...table, now })
  const feedbackClients: FeedbackClient[] = []

  const apiOf = (source: Source): FeedbackClient => {
    const token = () => tokenOf(secrets, source)
    const feedback = createFeedbackClient({ ...source, token, now })
    feedbackClients.push(feedback)
    return feedback
  }
  return {
    sources,
    endpoints,
    store,
    deleter,
    queue,
    queueClient: client,
    clock,
    poller: createPollerHandler({
      ...shared,
      sources,
      marks,
      cursors,
      lease: createRunLease(table),
      quarantine: createQuarantine(table),
      queue: backpressure.queue,
      endpoints: () => endpoints.list(),
      apiOf,
      newRunId: randomUUID,
      ...(options.sweeps !== undefined && { sweeps: options.sweeps }),
    }),
    dispatcher: createDispatcherHandler({
      ...shared,
      queue,
      deadLetters: createDeadLetterQueue({ client, queueUrls }),
      directory,
      health: createHealthKeeper({ endpoints, directory, reporter, clock, random: Math.random }),
      paces: createPaceStore({ ...table, now }),
      heartbeats,
      sender,
      deleter,
      random: Math.random,
      schedule: settings.retrySchedule,
      deadlineMs: settings.deadlineMs,
      // The pump names a queue by its URL, where AWS names it by its ARN.
      laneOfQueue: new Map([
        [queueUrls.fast, 'fast'],
        [queueUrls.slow, 'slow'],
      ]),
    }),
    releaser: createReleaserHandler({
      ...shared,
      sources,
      marks,
      queue: backpressure.queue,
      operator: toldOnTerminal,
      heartbeat: null,
      runMs: releaserRunMs,
      releaseEveryMs,
      schedule: settings.retrySchedule,
      queuesOutlive: false,
    }),
    /**
     * On AWS the releaser sends them. Here a run of it may wait for minutes for room in a queue, where one endpoint's
     * backlog is; the heartbeats of the others are not to wait for that.
     */
    heartbeats: (runEveryMs: number): Promise<void> => {
      const deps: HeartbeatDeps = {
        ...shared,
        sources,
        cursors,
        heartbeats,
        queue,
        releaseEveryMs: runEveryMs,
      }
      return sendHeartbeats({ endsAtMs: now() + runEveryMs }, deps)
    },
    /** Lets go of whoever waits for room, so that runs can end. */
    release: backpressure.release,
    close: async (): Promise<void> => {
      await Promise.all([sender.close(), ...feedbackClients.map(feedback => feedback.close())])
      client.destroy()
      document.destroy()
    },
  }
}
