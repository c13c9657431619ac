import type { DeliveryPages } from '../../../shared/adapters/dynamodb/delivery-pages.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { dayOfSecond, eventIdRange } from '../../../shared/domain/feedback/event-id.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'

/** Deliveries looked at of an endpoint: the newest ones. */
const recentDeliveriesMax = 500
/** Pages of the table that are read for them; one may hold few, since a failure's item is large. */
const pagesMax = 4
/** Parts of them, the oldest first, each with its own share. */
export const successSlots = 8

export type SuccessShare = {
  deliveries: number
  delivered: number
  /** Shares of parts of equal size, the oldest first; null where there are too few deliveries for one. */
  bySlot: readonly (number | null)[]
}

/** Of the newest deliveries of the last day's events, how many are delivered; cancelled ones count for nothing. */
export const successShare = async (
  pages: DeliveryPages,
  of: { endpointId: string; nowMs: number },
): Promise<SuccessShare> => {
  const states = (await newestDeliveries(pages, of))
    .filter(({ state }) => state !== 'cancelled')
    .slice(0, recentDeliveriesMax)
    .map(({ state }) => state === 'delivered')
    .toReversed()
  const delivered = states.filter(isDelivered => isDelivered).length
  return { deliveries: states.length, delivered, bySlot: slotsOf(states) }
}

const newestDeliveries = async (
  pages: DeliveryPages,
  { endpointId, nowMs }: { endpointId: string; nowMs: number },
): Promise<Delivery[]> => {
  const toSecond = Math.floor(nowMs / 1_000)
  const fromSecond = toSecond - daySeconds
  const range = eventIdRange(fromSecond, toSecond)
  const found: Delivery[] = []
  let read = 0
  for (const day of [dayOfSecond(toSecond), dayOfSecond(fromSecond)]) {
    let after: string | null = null
    do {
      if (read >= pagesMax || found.length >= recentDeliveriesMax) return found
      const query = {
        endpointId,
        day,
        fromId: range.first,
        toId: range.last,
        order: 'newest',
        states: null,
      } as const
      const page: Awaited<ReturnType<DeliveryPages['page']>> = await pages.page({ ...query, after })
      found.push(...page.items)
      after = page.after
      read += 1
    } while (after !== null)
  }
  return found
}

/** Few deliveries have a slot each, on the right, where the newest are. */
const slotsOf = (states: readonly boolean[]): (number | null)[] => {
  const padded = [...Array.from({ length: Math.max(0, successSlots - states.length) }, () => null), ...states]
  const edge = (slot: number): number => Math.round((slot * padded.length) / successSlots)
  return Array.from({ length: successSlots }, (_, at) => {
    const part = padded.slice(edge(at), edge(at + 1)).filter(isDelivered => isDelivered !== null)
    return part.length === 0 ? null : part.filter(isDelivered => isDelivered).length / part.length
  })
}
