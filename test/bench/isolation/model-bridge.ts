import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import type { Clock, Random } from '../../../shared/domain/clock.ts'
import type { DeliveryQueue, Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import { createDispatcher } from '../../../shared/domain/delivery/dispatch.ts'
import type { EndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper, type HealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import type { WebhookSender } from '../../../shared/domain/delivery/webhook-sender.ts'
import type { Reporter } from '../../../shared/domain/happenings.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { lambdaModel } from '../price/lambda-model.ts'
import { createFairQueue } from './fair-queue.ts'
import { createInstances, startLane } from './lane-model.ts'
import type { Tables } from './tables.ts'

/** What keeps endpoints apart, to be left out one at a time. */
export const mechanisms = ['slow lane', 'fair groups', 'early deletion', 'breaker'] as const
export type Mechanism = (typeof mechanisms)[number]

export type ModelSettings = {
  clock: Clock
  random: Random
  reporter: Reporter
  sender: WebhookSender
  /** What an instance speaks to; the releaser has its own. */
  tablesOf: () => Tables
  concurrency: Readonly<Record<Lane, number>>
  batchingWindowMs: number
  deadlineMs: number
  releaseEveryMs: number
  without: ReadonlySet<Mechanism>
}

const { awsAnswerMs } = lambdaModel

const anyCredentials: EndpointCredentials = {
  credentialsOf: async () => ({ kind: 'credentials', keys: [new Uint8Array(32)], authorization: null }),
  noteRefused: () => {},
}
const noBreaker: HealthKeeper = { claimProbe: async () => false, note: async () => {} }

/**
 * The deployed bridge behind its poller as a model: real dispatchers and releaser, twins of the queues, and as many
 * instances as the lanes have room for.
 */
export const startModelBridge = (of: ModelSettings) => {
  const { clock, random, reporter, without, releaseEveryMs } = of
  const isFair = !without.has('fair groups')
  const lanes = { fast: createFairQueue({ clock, isFair }), slow: createFairQueue({ clock, isFair }) }
  const log = createMemoryEventLog()
  const queue: DeliveryQueue = {
    send: async entries => {
      await clock.sleep(awsAnswerMs)
      for (const { lane, group, body, delayMs } of entries)
        lanes[lane].send({ group: group ?? '', body, delayMs })
      return entries.map(() => ({ kind: 'sent' }))
    },
  }
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `write-${ids}`
  }
  const shared = {
    clock,
    reporter,
    queue,
    newId,
    credentials: anyCredentials,
    schedule: defaultRetrySchedule,
  }
  let failed = 0

  const startInstance = () => {
    const { endpoints, store, paces } = of.tablesOf()
    const known = createEndpointDirectory({ endpoints, clock, reporter })
    const directory = without.has('slow lane') ? { ...known, noteSpeed: async () => {} } : known
    const health = createHealthKeeper({ endpoints, directory, reporter, clock, random })
    return createDispatcher({
      ...shared,
      ...{ store, paces, directory, random, sender: of.sender, deadlineMs: of.deadlineMs },
      health: without.has('breaker') ? noBreaker : health,
      heartbeats: createMemoryHeartbeatStore(),
      deadLetters: { send: async entries => entries.map(() => ({ kind: 'sent' })) },
      deleter: {
        deleteMessages: async (lane, handles) => {
          if (without.has('early deletion')) return
          await clock.sleep(awsAnswerMs)
          for (const { receiptHandle } of handles) lanes[lane].delete(receiptHandle)
        },
      },
    })
  }
  const dispatch = createInstances(startInstance)
  const onFailed = (count: number): void => {
    failed += count
  }
  for (const lane of ['fast', 'slow'] as const) {
    const [concurrencyMax, windowMs] = [of.concurrency[lane], of.batchingWindowMs]
    startLane({ lane, queue: lanes[lane], dispatch, clock, concurrencyMax, windowMs, onFailed })
  }
  const releasing = async (): Promise<never> => {
    const deps = { ...shared, ...of.tablesOf(), log, releaseEveryMs }
    for (;;) {
      const endsAtMs = clock.now() + releaseEveryMs
      await release({ endsAtMs }, deps)
      await clock.sleep(endsAtMs - clock.now())
    }
  }
  void releasing()
  return { log, queue, lanes, failed: () => failed }
}
