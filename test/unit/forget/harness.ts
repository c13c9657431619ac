import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryForgettableItems } from '../../../shared/adapters/memory/forgettable-items.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import {
  type ForgetDeps,
  forgetRecipient,
  type ToForget,
} from '../../../shared/domain/forget/forget-recipient.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { deliveryOf as filledDelivery, loggedEvent } from '../../integration/cli/filled-table.ts'

export const address = 'jo@example.com'
export const nowMs = Date.UTC(2026, 10, 20, 9, 30)
export const second = nowMs / 1_000 - 3_600

export const eventOf = (uuid: string, rcpt: string | null = address, endpointIds = ['crm']): LoggedEvent =>
  loggedEvent({ second, uuid, fields: { bounce_type: 'h', rcpt }, endpointIds })

/** A delivery whose endpoint quoted in its answer what it was sent. */
export const quotedOf = (event: LoggedEvent, fields: Partial<Delivery> = {}): Delivery =>
  filledDelivery(event, {
    attempts: [
      {
        position: { round: 1, attempt: 1 },
        atMs: nowMs - 5_000,
        tookMs: 20,
        status: 500,
        reason: 'http_500',
        answer: `no ${address} here`,
      },
    ],
    ...fields,
  })

/** A table on twins, and whoever forgets in it. */
export const createHarness = async (of: {
  events?: readonly LoggedEvent[]
  deliveries?: readonly Delivery[]
}) => {
  const log = createMemoryEventLog()
  const store = createMemoryDeliveryStore()
  const quarantine = createMemoryQuarantine()
  await log.record(of.events ?? [])
  for (const delivery of of.deliveries ?? []) {
    await store.write(delivery, { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER })
  }
  let ids = 0
  const deps: ForgetDeps = {
    store,
    quarantine,
    items: createMemoryForgettableItems({ log, quarantine }),
    clock: { now: () => nowMs, sleep: async () => undefined },
    newId: () => `forget-${++ids}`,
  }
  const match = createAddressMatch(address)
  if (match === null) throw new Error('no address')
  return {
    ...{ log, store, quarantine, deps, match },
    forget: (how: Partial<ToForget> = {}, other: Partial<ForgetDeps> = {}) =>
      forgetRecipient(
        {
          match,
          endpointIds: ['crm', 'shop'],
          isDryRun: false,
          signal: new AbortController().signal,
          onLooked: () => undefined,
          ...how,
        },
        { ...deps, ...other },
      ),
    eventNow: (event: LoggedEvent) => log.read({ ...event, eventId: event.id }),
    deliveryNow: (event: LoggedEvent, endpointId = 'crm') => store.read({ endpointId, eventId: event.id }),
    /** Everything that the table holds, as text. */
    held: async (events: readonly LoggedEvent[]): Promise<string> => {
      const keys = events.flatMap(({ id }) =>
        ['crm', 'shop'].map(endpointId => ({ endpointId, eventId: id })),
      )
      return JSON.stringify([log.all(), quarantine.all(), await store.readMany(keys)])
    },
  }
}

export type Harness = Awaited<ReturnType<typeof createHarness>>

/** A store that runs `meddle` once, right before a method's call reaches it. */
export const meddling = (
  store: DeliveryStore,
  method: 'write' | 'readMany',
  meddle: () => Promise<unknown>,
): DeliveryStore => {
  let open = true
  const first = async (): Promise<void> => {
    if (!open) return
    open = false
    await meddle()
  }
  return {
    ...store,
    ...(method === 'write'
      ? {
          write: async (...args: Parameters<DeliveryStore['write']>) => {
            await first()
            return store.write(...args)
          },
        }
      : {
          readMany: async (...args: Parameters<DeliveryStore['readMany']>) => {
            await first()
            return store.readMany(...args)
          },
        }),
  }
}
