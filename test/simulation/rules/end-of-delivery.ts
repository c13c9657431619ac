import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { World } from '../functions/world.ts'
import { nameOfDelivery } from '../twins/table.ts'

/** Cancelled only by an operator's command, or because nobody could have sent it any more. */
const cancelReasons: ReadonlySet<string> = new Set([
  'endpoint_removed',
  'dropped_by_operator',
  'purged_by_operator',
  'forgotten',
  'event_expired',
])

/**
 * Invariant 1, second half: with the faults over, every event is delivered to every endpoint that matched it, or in the
 * state that an operator or a limit put it in. To be called when nothing is left to do.
 */
export const checkDeliveries = (world: World, endpoints: ReadonlyMap<string, Endpoint>): void => {
  const { table, scheduler } = world
  for (const event of table.seen.events.values()) {
    for (const endpointId of event.endpointIds) {
      const name = nameOfDelivery({ endpointId, eventId: event.id })
      const delivery = table.seen.deliveries.get(name)
      const endpoint = endpoints.get(endpointId)
      const isExpired = event.expiresAtSeconds * 1_000 <= scheduler.now()
      // A delivery lives as long as the first message of it said: no longer than its event, and perhaps shorter.
      if (isExpired || world.ledger.expired.has(name)) continue
      if (delivery === undefined) {
        if (!world.removed.has(endpointId) && event.body !== null)
          scheduler.violate(`1: ${name} has no delivery at the end`)
        continue
      }
      const { state, reason } = delivery
      if (state === 'waiting') scheduler.violate(`1: ${name} still waits at the end: ${reason}`)
      if (state === 'cancelled' && !cancelReasons.has(reason ?? ''))
        scheduler.violate(`1: ${name} was cancelled: ${reason}`)
      if (state === 'held' && endpoint?.state === 'active' && world.hasSecrets(endpoint)) {
        scheduler.violate(`1: ${name} is held at the end: ${reason}`)
      }
    }
  }
}

/** What AWS's own redrive put back was tried, or waits for its endpoint. */
export const checkRedriven = (world: World, endpoints: ReadonlyMap<string, Endpoint>): void => {
  for (const [name, round] of world.redriven) {
    const delivery = world.table.seen.deliveries.get(name)
    const endpoint = delivery === undefined ? undefined : endpoints.get(delivery.endpointId)
    // Purged or replayed meanwhile, or nobody there to be asked.
    if (delivery?.state !== 'dead' || delivery.position.round >= round || endpoint?.state !== 'active')
      continue
    if (!world.hasSecrets(endpoint) || delivery.expiresAtSeconds * 1_000 <= world.scheduler.now()) continue
    world.scheduler.violate(`1: ${name} was redriven in round ${round} and never tried`)
  }
}

/** Every dead letter that could be replayed was, and is delivered now. */
export const checkNoneDead = (world: World, endpoints: ReadonlyMap<string, Endpoint>): void => {
  for (const delivery of world.table.seen.deliveries.values()) {
    if (delivery.state !== 'dead' || endpoints.get(delivery.endpointId)?.state !== 'active') continue
    if (delivery.expiresAtSeconds * 1_000 <= world.scheduler.now()) continue
    world.scheduler.violate(
      `1: ${nameOfDelivery(delivery)} is dead though it was replayed: ${delivery.reason}`,
    )
  }
}
