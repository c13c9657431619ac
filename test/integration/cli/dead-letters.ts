import { randomUUID } from 'node:crypto'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { deliveryOf, holdFilled } from './filled-table.ts'

/** A held folder with its stores at hand, and what tests of dead letters do with them. */
export const holdTable = async (of: Parameters<typeof holdFilled>[0]) => {
  const { table, ...folder } = await holdFilled(of)
  const { [Symbol.dispose]: _, ...stores } = table
  return {
    ...folder,
    ...stores,
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
    read: (endpointId: string, eventId: string) => table.store.read({ endpointId, eventId }),
    countIn: async (endpointId: string, state: 'waiting' | 'dead', limit: number): Promise<number> => {
      const untilMs = Date.now() + 365 * 86_400_000
      return (await table.store.due({ endpointId, state, untilMs, limit })).length
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
