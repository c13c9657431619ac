import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import {
  type DeliveryMessage,
  decodeMessage,
  encodeMessage,
} from '../../../shared/domain/delivery/delivery-message.ts'
import type {
  DeadLetterEntry,
  EntryResult,
  QueueEntry,
} from '../../../shared/domain/delivery/delivery-queue.ts'
import { createDispatcher, type DispatcherDeps } from '../../../shared/domain/delivery/dispatch.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import type { ReceivedMessage } from '../../../shared/domain/delivery/received-message.ts'
import type { SendResult, WebhookRequest } from '../../../shared/domain/delivery/webhook-sender.ts'
import { type Endpoint, endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'

export const nowMs = Date.UTC(2026, 10, 20, 9, 30)
export const second = nowMs / 1000 - 60

export const idOf = (uuid: string, at = second): string =>
  eventId({ sourceId: 'main', stream: 'bounces', uuid, second: at })

/** A clock that stands still until it is turned; who sleeps on it wakes when it is turned far enough. */
export const createTestClock = (startMs = nowMs) => {
  let atMs = startMs
  let sleeping: { untilMs: number; wake: () => void }[] = []
  const clock: Clock = {
    now: () => atMs,
    sleep: (ms, signal) =>
      new Promise(resolve => {
        sleeping.push({ untilMs: atMs + ms, wake: resolve })
        signal?.addEventListener('abort', () => resolve(), { once: true })
      }),
  }
  const turn = async (ms: number): Promise<void> => {
    atMs += ms
    const awake = sleeping.filter(({ untilMs }) => untilMs <= atMs)
    sleeping = sleeping.filter(({ untilMs }) => untilMs > atMs)
    for (const { wake } of awake) wake()
    await settled()
  }
  return { clock, turn }
}

/** Until nothing more happens by itself. */
export const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

export const endpointOf = (of: Partial<Endpoint> = {}): Endpoint => ({
  ...endpointDefaults,
  id: 'endpoint',
  url: 'https://receiver.example/hook',
  types: ['*'],
  keys: [{ version: 1, secret: null, signsUntilMs: null }],
  ...of,
})

export const messageOf = (of: Partial<DeliveryMessage> = {}): DeliveryMessage => ({
  v: 1,
  eventId: idOf('one'),
  endpointId: 'endpoint',
  sourceId: 'main',
  stream: 'bounces',
  type: 'email.bounce.hard',
  round: 1,
  attempt: 1,
  enqueuedAtMs: nowMs - 1_000,
  expiresAtSeconds: second + 35 * 86_400,
  body: '{"id":"one"}',
  deliveredBy: null,
  ...of,
})

export const deliveryOf = (of: Partial<Delivery> = {}): Delivery => ({
  endpointId: 'endpoint',
  eventId: idOf('one'),
  sourceId: 'main',
  stream: 'bounces',
  state: 'waiting',
  position: { round: 1, attempt: 1 },
  retryAtMs: nowMs,
  dueMs: nowMs,
  firstFailureAtMs: nowMs - 5_000,
  reason: 'http_503',
  attempts: [],
  writeId: 'before',
  updatedAtMs: nowMs - 5_000,
  expiresAtSeconds: second + 35 * 86_400,
  ...of,
})

let receipts = 0
export const receivedOf = (
  message: Partial<DeliveryMessage> | string = {},
  of: Partial<ReceivedMessage> = {},
): ReceivedMessage => {
  receipts += 1
  return {
    lane: 'fast',
    messageId: `message-${receipts}`,
    receiptHandle: `receipt-${receipts}`,
    body: typeof message === 'string' ? message : encodeMessage(messageOf(message)),
    group: 'endpoint',
    faults: null,
    sentAtMs: nowMs - 500,
    ...of,
  }
}

export const answered = (status: number, of: { retryAtMs?: number; tookMs?: number } = {}): SendResult => ({
  kind: 'answered',
  status,
  retryAtMs: of.retryAtMs ?? null,
  tookMs: of.tookMs ?? 20,
  answer: `answer ${status}`,
})

const keep =
  <T>(into: T[]) =>
  async (entries: readonly T[]): Promise<EntryResult[]> => {
    into.push(...entries)
    return entries.map(() => ({ kind: 'sent' }))
  }

/** A dispatcher on twins, with everything that it did. */
export const createHarness = async (
  of: { endpoints?: Endpoint[]; answer?: (request: WebhookRequest) => SendResult | Promise<SendResult> } = {},
) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryDeliveryStore()
  const endpoints = createMemoryEndpointStore()
  for (const endpoint of of.endpoints ?? [endpointOf()]) await endpoints.put(endpoint)
  const happenings: Happening[] = []
  const reporter = { report: (happening: Happening) => void happenings.push(happening) }
  const posts: WebhookRequest[] = []
  const sent: QueueEntry[] = []
  const deadLetters: DeadLetterEntry[] = []
  const deleted: string[] = []
  let ids = 0
  const directory = createEndpointDirectory({ endpoints, clock, reporter })
  const random = () => 0.5
  const deps: DispatcherDeps = {
    store,
    directory,
    health: createHealthKeeper({ endpoints, directory, reporter, clock, random }),
    paces: createMemoryPaceStore(),
    heartbeats: createMemoryHeartbeatStore(),
    queue: { send: keep(sent) },
    deadLetters: { send: keep(deadLetters) },
    deleter: {
      deleteMessages: async (_, handles) => void deleted.push(...handles.map(({ messageId }) => messageId)),
    },
    reporter,
    clock,
    newId: () => `write-${++ids}`,
    credentials: {
      credentialsOf: async () => ({
        kind: 'credentials',
        keys: [new Uint8Array(32).fill(1)],
        authorization: null,
      }),
      noteRefused: () => {},
    },
    sender: {
      send: async request => {
        posts.push(request)
        return (of.answer ?? (() => answered(200)))(request)
      },
    },
    random,
    schedule: [5_000, 300_000, 1_800_000],
    deadlineMs: 15_000,
  }
  return {
    ...{ clock, turn, store, endpoints, happenings, posts, sent, deadLetters, deleted, deps },
    dispatch: (batch: readonly ReceivedMessage[], other: Partial<DispatcherDeps> = {}) =>
      createDispatcher({ ...deps, ...other })(batch),
    item: (uuid = 'one', endpointId = 'endpoint') => store.read({ endpointId, eventId: idOf(uuid) }),
    kinds: () => happenings.map(({ kind }) => kind),
  }
}

/** The message that an entry carries. */
export const messageIn = ({ body }: { body: string }): DeliveryMessage => {
  const decoded = decodeMessage(body)
  if (decoded.kind !== 'message') throw new Error(`this is ${decoded.kind}`)
  return decoded.message
}
