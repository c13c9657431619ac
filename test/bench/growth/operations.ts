import { randomUUID } from 'node:crypto'
import { createHandler as createDispatcherHandler } from '../../../functions/dispatcher/handler.ts'
import { createHandler as createPollerHandler } from '../../../functions/poller/handler.ts'
import { createHandler as createReleaserHandler } from '../../../functions/releaser/handler.ts'
import { readStatus } from '../../../infra/cli/status/read-status.ts'
import type { OperatorBridge } from '../../../infra/cli/target/operator-bridge.ts'
import { localClientSettings } from '../../../infra/local/emulators.ts'
import { createCursorStore } from '../../../shared/adapters/dynamodb/cursor-store.ts'
import { createDeliveryStore } from '../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createPaceStore } from '../../../shared/adapters/dynamodb/pace-store.ts'
import { createQuarantine } from '../../../shared/adapters/dynamodb/quarantine.ts'
import { createReconcileMarks } from '../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createRunLease } from '../../../shared/adapters/dynamodb/run-lease.ts'
import { createSourceStore } from '../../../shared/adapters/dynamodb/source-store.ts'
import { createMemorySecretStore } from '../../../shared/adapters/secrets/memory-secret-store.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { DeliveryQueue } from '../../../shared/domain/delivery/delivery-queue.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Happening, Reporter } from '../../../shared/domain/happenings.ts'
import { measureBacklog } from '../../../shared/domain/release/measure-backlog.ts'
import { reconcile } from '../../../shared/domain/release/reconcile.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { createBatches, fastQueueArn } from '../dispatch/bench-batches.ts'
import { anySecret } from '../price/any-secret.ts'
import type { CountedTable } from './counted-table.ts'

const silent: Reporter = { report: () => {} }
const random = (): number => 0.5
const runMs = 50_000

/** Everything of AWS that the functions have, the table's part of it by the real adapters. */
const portsOf = ({ table }: Pick<CountedTable, 'table'>, clock: Clock) => {
  const now = (): number => clock.now()
  const secrets = createMemorySecretStore({ secrets: new Map([[masterSecretName, anySecret]]) })
  const queue: DeliveryQueue = { send: async entries => entries.map(() => ({ kind: 'sent' })) }
  return {
    ...{ clock, queue, secrets, newId: randomUUID, schedule: defaultRetrySchedule },
    sources: createSourceStore(table),
    endpoints: createEndpointStore(table),
    cursors: createCursorStore(table),
    store: createDeliveryStore(table),
    log: createEventLog(table),
    marks: createReconcileMarks(table),
    quarantine: createQuarantine(table),
    lease: createRunLease(table),
    paces: createPaceStore({ ...table, now }),
    heartbeats: createHeartbeatStore({ ...table, now }),
    credentials: createEndpointCredentials({ secrets, clock }),
  }
}

export type Ports = ReturnType<typeof portsOf>
export { portsOf }

/** A process of the poller; each call is a run that ends once both streams were polled. */
export const startPoller = (ports: Ports, api: Parameters<typeof createPollerHandler>[0]['apiOf']) => {
  let onPoll = (_: Happening): void => {}
  const reporter: Reporter = { report: happening => onPoll(happening) }
  const poll = createPollerHandler({
    ...ports,
    ...{ reporter, apiOf: api, newRunId: randomUUID },
    endpoints: () => ports.endpoints.list(),
  })
  return async (): Promise<void> => {
    const over = new AbortController()
    const polled = new Set<string>()
    onPoll = happening => {
      if (happening.kind === 'poll_fault' || (happening.kind === 'poll' && happening.outcome === 'failed'))
        throw new Error(JSON.stringify(happening))
      if (happening.kind === 'poll') polled.add(happening.stream)
      if (polled.size === 2) over.abort()
    }
    await poll({}, { signal: over.signal })
  }
}

/** A process of the dispatcher whose endpoints answer at once; each call is a batch of ten for the first endpoint. */
export const startDispatcher = (ports: Ports) => {
  const { clock, endpoints } = ports
  const directory = createEndpointDirectory({ endpoints, clock, reporter: silent })
  const handler = createDispatcherHandler({
    ...ports,
    ...{ directory, random, reporter: silent, deadlineMs: 15_000 },
    health: createHealthKeeper({ endpoints, directory, reporter: silent, clock, random }),
    sender: {
      send: async () => ({ kind: 'answered', status: 204, retryAtMs: null, answer: '', tookMs: 1 }),
    },
    deadLetters: { send: async entries => entries.map(() => ({ kind: 'sent' })) },
    deleter: { deleteMessages: async () => {} },
    laneOfQueue: new Map([[fastQueueArn, 'fast']]),
  })
  return async (endpoint: Parameters<typeof createBatches>[1][number]): Promise<void> => {
    const batch = createBatches(10, [endpoint], Math.floor(clock.now() / 1_000) - 5).flat()
    const { batchItemFailures } = await handler({ Records: batch.map(({ record }) => record) })
    if (batchItemFailures.length > 0) throw new Error('deliveries failed')
  }
}

/** A process of the releaser, without the count of its backlog. */
export const startReleaser = (ports: Ports) =>
  createReleaserHandler({
    ...ports,
    ...{ reporter: silent, operator: { tellDisabled: async () => [] }, queuesOutlive: true, measures: false },
    heartbeat: ports,
  })

export const countBacklog = (ports: Ports): Promise<void> =>
  measureBacklog({ endsAtMs: ports.clock.now() + runMs }, { ...ports, reporter: silent })

export const reconcileOnce = (ports: Ports) =>
  reconcile({ endsAtMs: ports.clock.now() + runMs }, { ...ports, reporter: silent, queuesOutlive: true })

/** The operator's screen. */
export const lookAtStatus = async (ports: Ports, { table }: Pick<CountedTable, 'table'>): Promise<void> => {
  const bridge: OperatorBridge = {
    ...ports,
    table,
    target: { kind: 'local', dataDir: '', isRunning: false },
    queueClient: createQueueClient({ ...localClientSettings, endpoint: 'http://queue.invalid' }),
    queueUrls: { fast: '', slow: '', deadLetters: '' },
    secretWriter: { put: async () => {}, remove: async () => {} },
    close: async () => {},
  }
  await readStatus(bridge, { nowMs: ports.clock.now(), onLooked: () => {} })
  bridge.queueClient.destroy()
}
