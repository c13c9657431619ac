import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import type { World } from '../functions/world.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { idOf, isBeyondMemory, isExpired } from './cursor-rules.ts'

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
      const isExpired = event.expiresAtSeconds * 1_000 <= scheduler.now()
      // A delivery lives as long as the first message of it said: no longer than its event, and perhaps shorter.
      if (isExpired || world.ledger.expired.has(name) || table.seen.deliveries.has(name)) continue
      if (!world.removed.has(endpointId) && event.body !== null)
        scheduler.violate(`1: ${name} has no delivery at the end`)
    }
  }
  for (const delivery of table.seen.deliveries.values()) {
    if (delivery.expiresAtSeconds * 1_000 <= scheduler.now()) continue
    // The queue refused it once, so it is in quarantine for an operator, whatever a later poller sent and could not record.
    if (world.refused.has(delivery.eventId) && !table.seen.events.has(delivery.eventId)) continue
    if (!isRecordable(world, delivery)) continue
    checkState(world, delivery, endpoints.get(delivery.endpointId))
  }
}

/** Two runs of the releaser. */
const justBegunMs = 2 * minuteMs

/**
 * Its event is in the log, or could be: the service shows the record still, and the last walk could take it. What the
 * service has dropped before the poller could record it, by its retention or because it forgets, and what was beyond the
 * log's memory by then (seed 1303: no poller ran for 13 days), is kept until it expires, with nothing to send.
 */
const isRecordable = ({ services, table }: World, { eventId, sourceId, stream }: Delivery): boolean => {
  if (table.seen.events.has(eventId)) return true
  const service = services.get(sourceId)
  const record = service?.records(stream).find(each => idOf(sourceId, stream, each) === eventId)
  if (service === undefined || record === undefined || isExpired(service, record)) return false
  const cursor = table.seen.cursors.get(`${sourceId} ${stream} main`)
  return !isBeyondMemory(record, cursor?.lastCompleteWalkAtMs ?? 0)
}

const checkState = (world: World, delivery: Delivery, endpoint: Endpoint | undefined): void => {
  const { scheduler } = world
  const name = nameOfDelivery(delivery)
  const { state, reason } = delivery
  // What an operator began with the last of these days is sent by the releaser's next run (seed 173614).
  const isJustBegun = scheduler.now() - delivery.updatedAtMs < justBegunMs
  if (state === 'waiting' && !isJustBegun) scheduler.violate(`1: ${name} still waits at the end: ${reason}`)
  if (state === 'cancelled' && !cancelReasons.has(reason ?? ''))
    scheduler.violate(`1: ${name} was cancelled: ${reason}`)
  if (state === 'held' && endpoint?.state === 'active' && world.hasSecrets(endpoint)) {
    scheduler.violate(`1: ${name} is held at the end: ${reason}`)
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
