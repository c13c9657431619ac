import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryReplayPlans } from '../../../shared/adapters/memory/replay-plans.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import type {
  DeadLetterMessage,
  DeadLetterMessages,
} from '../../../shared/domain/replay/dead-letter-messages.ts'
import type { ToRecover } from '../../../shared/domain/replay/recover.ts'
import type { ReplayPlan } from '../../../shared/domain/replay/replay-plan.ts'
import { createTestClock, deliveryOf, endpointOf, idOf, nowMs, second } from '../delivery/harness.ts'

export const planOf = (fields: Partial<ReplayPlan> = {}): ReplayPlan => ({
  name: 'replay-1',
  startedAtMs: nowMs,
  fromSecond: second - 86_400,
  toSecond: second + 86_400,
  nextDueMs: nowMs,
  placeId: null,
  ...fields,
})

export const deadOf = (uuid: string, fields: Partial<Delivery> = {}): Delivery =>
  deliveryOf({
    eventId: idOf(uuid),
    state: 'dead',
    position: { round: 1, attempt: 10 },
    retryAtMs: null,
    dueMs: nowMs - 60_000,
    updatedAtMs: nowMs - 60_000,
    writeId: `dead-${uuid}`,
    ...fields,
  })

/** Stores on twins, with everything that replay and recover need. */
export const createHarness = async (deliveries: readonly Delivery[] = []) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryDeliveryStore()
  const log = createMemoryEventLog()
  const plans = createMemoryReplayPlans()
  const put = async (delivery: Delivery): Promise<void> => {
    await store.write(delivery, { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER })
  }
  for (const delivery of deliveries) await put(delivery)
  let ids = 0
  return {
    ...{ clock, turn, store, log, plans, put },
    deps: { store, clock, log, plans, newId: () => `begin-${++ids}` },
    item: (uuid: string, endpointId = 'endpoint') => store.read({ endpointId, eventId: idOf(uuid) }),
  }
}

export async function* pagesOf<T>(...pages: T[]): AsyncGenerator<T> {
  yield* pages
}

export const messageIn = (body: string, messageId: string): DeadLetterMessage => ({
  messageId,
  receiptHandle: `receipt-${messageId}`,
  body,
  reason: null,
  sentAtMs: nowMs,
})

/** A queue that hands out its messages two at a time, and says what became of them. */
export const createFakeMessages = (queued: readonly DeadLetterMessage[]) => {
  const waiting = [...queued]
  const removed: string[] = []
  const released: string[] = []
  const idsOf = (messages: readonly DeadLetterMessage[]) => messages.map(({ messageId }) => messageId)
  const messages: DeadLetterMessages = {
    receive: async () => waiting.splice(0, 2),
    remove: async gone => removed.push(...idsOf(gone)) && gone.length,
    release: async kept => void released.push(...idsOf(kept)),
  }
  return { messages, waiting, removed, released }
}

/** To recover these at an endpoint; whatever is to be otherwise is said. */
export const toRecover = (events: readonly LoggedEvent[], of: Partial<ToRecover> = {}): ToRecover => ({
  endpoint: endpointOf(),
  only: 'missing',
  events: pagesOf(...events),
  plan: planOf(),
  floorSecondOf: () => null,
  ratePerSecond: 10,
  isDryRun: false,
  signal: new AbortController().signal,
  onProgress: () => undefined,
  ...of,
})
