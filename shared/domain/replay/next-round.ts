import type { Clock } from '../clock.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import { beforeAttempt, firstPosition, nextRound, rank } from '../delivery/position.ts'
import type { EventSummary } from '../polling/event-log.ts'
import { hourMs } from '../time-units.ts'

/** What is replayed is due so long before its event expires, however slow the rate: else a TTL would lose it. */
export const dueBeforeExpiryMs = 24 * hourMs

export type BeginDeps = {
  store: DeliveryStore
  clock: Clock
  /** A new id for each write. */
  newId: () => string
}

/** Why a delivery waits for the first attempt of a round that an operator began. */
export type BeginReason = 'replayed_by_operator' | 'recovered_by_operator'

type Begin = { dueMs: number; reason: BeginReason }

/**
 * Sets a delivery to waiting in its next round, unless it moved on since it was read: the releaser sends it when it is due
 * (DESIGN.md, section 6.5). `moved_on`: another write came first, and nothing was done.
 */
export const beginNextRound = async (
  delivery: Delivery,
  begin: Begin,
  deps: BeginDeps,
): Promise<'begun' | 'moved_on'> => {
  // No attempt of it was made yet: a message of the first one is greater, one of the round before is not.
  const position = beforeAttempt(nextRound(delivery.position))
  const next: Delivery = {
    ...delivery,
    position,
    ...waitingFrom(begin, delivery.expiresAtSeconds, deps),
    writeId: deps.newId(),
  }
  const written = await deps.store.write(next, { kind: 'unchanged', writeId: delivery.writeId })
  return written === 'written' ? 'begun' : 'moved_on'
}

/** Makes the delivery of an event that an endpoint has none of. `moved_on`: there is one by now. */
export const beginFirstRound = async (
  event: EventSummary,
  begin: Begin & { endpointId: string },
  deps: BeginDeps,
): Promise<'begun' | 'moved_on'> => {
  const position = beforeAttempt(firstPosition)
  const first: Delivery = {
    endpointId: begin.endpointId,
    eventId: event.id,
    sourceId: event.sourceId,
    stream: event.stream,
    position,
    ...waitingFrom(begin, event.expiresAtSeconds, deps),
    attempts: [],
    writeId: deps.newId(),
    expiresAtSeconds: event.expiresAtSeconds,
  }
  // No position is below this one: it is written only where there is no item.
  const written = await deps.store.write(first, { kind: 'unsettled_before', rank: rank(position) })
  return written === 'written' ? 'begun' : 'moved_on'
}

const waitingFrom = ({ dueMs, reason }: Begin, expiresAtSeconds: number, { clock }: BeginDeps) => {
  const nowMs = clock.now()
  const atMs = Math.round(Math.min(dueMs, Math.max(nowMs, expiresAtSeconds * 1_000 - dueBeforeExpiryMs)))
  return {
    state: 'waiting',
    retryAtMs: atMs,
    dueMs: atMs,
    // A new round starts its schedule's time anew.
    firstFailureAtMs: null,
    reason,
    updatedAtMs: nowMs,
  } as const
}
