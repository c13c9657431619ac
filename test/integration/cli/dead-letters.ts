import { randomUUID } from 'node:crypto'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { deliveryOf, endpointOf, openTable, sourceOf } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

const writesAtOnce = 16

/** A folder whose table holds these events and deliveries, beside a source and the endpoints crm and shop. */
export const holdTable = async (of: {
  events: readonly LoggedEvent[]
  deliveries: readonly Delivery[]
  endpoints?: readonly Endpoint[]
}) => {
  const folder = await holdFolder()
  const table = openTable(folder.emulators)
  await table.sources.put(sourceOf('main'))
  const endpoints = of.endpoints ?? [endpointOf('crm'), endpointOf('shop')]
  for (const endpoint of endpoints) await table.endpoints.put(endpoint)
  if (of.events.length > 0) await table.log.record(of.events)
  const write = (delivery: Delivery) =>
    table.store.write(delivery, { kind: 'unsettled_before', rank: 999_999 })
  await mapBounded(of.deliveries, writesAtOnce, write)
  const read = (endpointId: string, eventId: string) => table.store.read({ endpointId, eventId })
  return {
    ...folder,
    ...table,
    /** What the dispatcher does with a delivery that the releaser sent. */
    deliver: async (delivery: Delivery): Promise<void> => {
      const { round, attempt } = delivery.position
      const settled = {
        position: { round, attempt: attempt + 1 },
        retryAtMs: null,
        dueMs: null,
        reason: null,
      }
      await table.store.write(
        { ...delivery, ...settled, state: 'delivered', writeId: randomUUID(), updatedAtMs: Date.now() },
        { kind: 'unchanged', writeId: delivery.writeId },
      )
    },
    read,
    countIn: async (endpointId: string, state: 'waiting' | 'dead', limit: number): Promise<number> => {
      const untilMs = Date.now() + 365 * 86_400_000
      return (await table.store.due({ endpointId, state, untilMs, limit })).length
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      table[Symbol.dispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Given up a minute ago. */
export const deadOf = (event: LoggedEvent, fields: Partial<Delivery> = {}) => {
  const diedAtMs = Date.now() - 60_000
  return deliveryOf(event, {
    state: 'dead',
    reason: 'http_500',
    position: { round: 1, attempt: 10 },
    dueMs: diedAtMs,
    updatedAtMs: diedAtMs,
    ...fields,
  })
}
