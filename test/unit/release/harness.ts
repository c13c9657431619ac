import type { HandlerDeps } from '../../../functions/releaser/handler.ts'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { createMemorySourceStore } from '../../../shared/adapters/memory/source-store.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import {
  createTestClock,
  deliveryOf,
  endpointOf,
  idOf,
  messageIn,
  nowMs,
  second,
} from '../delivery/harness.ts'

export const eventOf = (uuid: string, of: Partial<LoggedEvent> = {}): LoggedEvent => {
  const at = of.second ?? second
  return {
    id: idOf(uuid, at),
    sourceId: 'main',
    stream: 'bounces',
    type: 'email.bounce.hard',
    recordId: uuid,
    second: at,
    body: `{"id":"${uuid}"}`,
    endpointIds: ['endpoint'],
    loggedAtMs: nowMs - 50_000,
    expiresAtSeconds: second + 35 * 86_400,
    ...of,
  }
}

/** A delivery that is due. */
export const waiting: Partial<Delivery> = {
  position: { round: 1, attempt: 3 },
  retryAtMs: nowMs - 1,
  dueMs: nowMs - 1,
}
/** One that is held, and may go. */
export const held: Partial<Delivery> = {
  state: 'held',
  position: { round: 1, attempt: 0 },
  retryAtMs: null,
  dueMs: nowMs - 10,
  reason: 'endpoint_disabled',
}

/** A releaser on twins, with everything that it did. */
export const createHarness = async (of: { endpoints?: Endpoint[] } = {}) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryDeliveryStore()
  const endpoints = createMemoryEndpointStore()
  for (const endpoint of of.endpoints ?? [endpointOf()]) await endpoints.put(endpoint)
  const sources = createMemorySourceStore()
  await sources.put({ ...sourceDefaults, id: 'main', baseUrl: 'https://service.example', tokenSecret: 't' })
  const log = createMemoryEventLog()
  const marks = createMemoryReconcileMarks()
  const sent: QueueEntry[] = []
  const happenings: Happening[] = []
  let ids = 0
  const deps: HandlerDeps = {
    ...{ clock, store, endpoints, sources, log, marks },
    queue: {
      send: async (entries): Promise<EntryResult[]> => {
        sent.push(...entries)
        return entries.map(() => ({ kind: 'sent' }))
      },
    },
    credentials: {
      credentialsOf: async () => ({ kind: 'credentials', keys: [new Uint8Array(32)], authorization: null }),
      noteRefused: () => {},
    },
    operator: { tellDisabled: async disabled => disabled.map(() => ({ kind: 'told' })) },
    heartbeat: null,
    reporter: { report: happening => void happenings.push(happening) },
    newId: () => `release-${++ids}`,
    schedule: defaultRetrySchedule,
    queuesOutlive: true,
  }
  const put = async (delivery: Partial<Delivery>): Promise<void> => {
    const whole = deliveryOf(delivery)
    await store.write(whole, { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER })
  }
  return {
    ...{ turn, store, endpoints, sources, log, marks, sent, happenings, deps, put },
    /** An event in the log with a delivery of it. */
    given: async (uuid: string, delivery: Partial<Delivery> = {}, event: Partial<LoggedEvent> = {}) => {
      const logged = eventOf(uuid, event)
      await log.record([logged])
      await put({ eventId: logged.id, ...delivery })
      return logged
    },
    item: (uuid: string, endpointId = 'endpoint') => store.read({ endpointId, eventId: idOf(uuid) }),
    sentIds: () => sent.map(entry => messageIn(entry).eventId).sort(),
    endsAtMs: nowMs + 50_000,
  }
}
