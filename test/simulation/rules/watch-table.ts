import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { queueDelayMsMax } from '../../../shared/domain/delivery/delivery-queue.ts'
import { isForgotten } from '../../../shared/domain/delivery/forgotten-delivery.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import {
  jitterShare,
  type RetrySchedule,
  retryAfterMsMax,
  roundMsMax,
} from '../../../shared/domain/delivery/retry-policy.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { matchesType } from '../../../shared/domain/event/subscriptions.ts'
import { eventDay } from '../../../shared/domain/feedback/event-id.ts'
import type { KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import type { ReconcileMark } from '../../../shared/domain/release/reconcile-marks.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import { staleMsMax } from '../functions/stale-views.ts'
import type { Queues } from '../twins/queues.ts'
import { nameOfDelivery, type Table } from '../twins/table.ts'
import type { LeakRule } from './leaks.ts'
import type { Ledger } from './ledger.ts'

type Deps = {
  scheduler: Scheduler
  ledger: Ledger
  leaks: LeakRule
  table: () => Table
  queues: () => Queues
  /** Endpoints that an operator removed. */
  removed: ReadonlySet<string>
  schedule: RetrySchedule
  /** Which endpoints an event must have been sent to, and which it may. */
  endpoints: () => ReadonlyMap<string, Endpoint>
}

/** What must hold of deliveries and the log at every step. */
export const createDeliveryRules = (deps: Deps) => {
  const { scheduler, ledger, removed } = deps
  const isOperator = (): boolean => ledger.actor?.kind === 'operator'

  /**
   * Invariant 10: at every moment an unsettled delivery has a message in a queue, or an entry with a due time in the
   * index, or will get one from reconcile.
   */
  const checkStranded = (endpointId: string, eventId: string): void => {
    const { deliveries, events, marks } = deps.table().seen
    const name = nameOfDelivery({ endpointId, eventId })
    const delivery = deliveries.get(name)
    if (delivery !== undefined) {
      const isUnsettled = delivery.state === 'waiting' || delivery.state === 'held'
      if (isUnsettled && delivery.dueMs === null)
        scheduler.violate(`10: ${name} is ${delivery.state} without a due time`)
      return
    }
    const event = events.get(eventId)
    if (event === undefined || event.body === null || !event.endpointIds.includes(endpointId)) return
    if (
      ledger.expired.has(name) ||
      removed.has(endpointId) ||
      event.expiresAtSeconds * 1_000 <= scheduler.now()
    )
      return
    if (deps.queues().isAbout(name)) return
    const day = eventDay(eventId)
    for (const mark of marks.values()) if (isUnder(mark, event, day)) return
    scheduler.violate(`10: ${name} is stranded: no message, no item, and no mark for reconcile`)
  }

  const checkWrite = (after: Delivery, before: Delivery | null): void => {
    const name = nameOfDelivery(after)
    const story = ledger.storyOf(after)
    const { state, position } = after
    if (state === 'waiting' && isOperator() && position.attempt === 0) {
      story.begun.add(position.round)
      story.recordedAt = null
    }
    if (state === 'dead') {
      story.dead.add(position.round)
      checkGivenUp(after)
    }
    if (state === 'delivered') {
      story.recordedAt ??= scheduler.steps
      if (!story.posts.some(({ isAccepted }) => isAccepted)) {
        scheduler.violate(`1: ${name} is recorded as delivered, and nobody took it`)
      }
    }
    if (before === null || isOperator()) return
    // A failure or a hold must never undo a success, nor what an operator cancelled, nor a later attempt.
    if (before.state === 'delivered' && state !== 'delivered')
      scheduler.violate(`2: ${name} was delivered and became ${state}`)
    if (before.state === 'cancelled' && state !== 'delivered' && !isForgotten(after)) {
      scheduler.violate(`1: ${name} was cancelled and became ${state}`)
    }
    if (rank(position) < rank(before.position) && state !== 'delivered') {
      scheduler.violate(
        `2: the position of ${name} went back from ${rank(before.position)} to ${rank(position)}`,
      )
    }
  }

  const isStarting = ({ sourceId, stream, endpointIds }: KeptEvent): boolean =>
    endpointIds.length === 0 &&
    (deps.table().seen.cursors.get(`${sourceId} ${stream} main`)?.floorSecond ?? null) === null

  /**
   * When the endpoints that an event was sent to were listed: after its look-up in the log. The walks of one process list
   * them one beside the other, so the last listing may be another's (seed 4693: a poller stood still for minutes in between).
   */
  const listedFor = (event: KeptEvent): number => {
    const by = ledger.actor
    if (by === null) return 0
    const lookedUpAt = by.logReads.findLast(({ covers }) => covers(event))?.step ?? Number.POSITIVE_INFINITY
    return (by.listings.find(({ step }) => step > lookedUpAt) ?? by.listings.at(-1))?.atMs ?? 0
  }

  /** An event is for every endpoint that wants its type, disabled ones too, and for no other. */
  const checkMatches = (event: KeptEvent): void => {
    const { sourceId, stream, type } = event
    // A start at the latest record logs those of its second as seen, for nobody.
    const floorSecond = deps.table().seen.cursors.get(`${sourceId} ${stream} main`)?.floorSecond ?? null
    const isSeenOnly = floorSecond === null || event.second <= floorSecond
    const listedAtMs = listedFor(event)
    for (const { id, types, state } of deps.endpoints().values()) {
      const isWanted = types.some(pattern => matchesType(type, pattern))
      const isSent = event.endpointIds.includes(id)
      if (isSent && !isWanted) scheduler.violate(`4: ${event.id} was sent to ${id}, which did not ask for it`)
      // An endpoint that is being removed may be one or the other; its events are for it or not. One that was added
      // since the endpoints were listed, or some seconds before, is not known yet.
      const isNew = (ledger.addedAtMs.get(id) ?? 0) > listedAtMs - staleMsMax
      if (isWanted && !isSent && state !== 'removed' && !isSeenOnly && !isNew) {
        scheduler.violate(`4: ${event.id} was not sent to ${id}`)
      }
    }
  }

  /** A dead letter has had its attempts or its time: nothing else gives up. */
  const checkGivenUp = (dead: Delivery): void => {
    const { position, firstFailureAtMs, reason } = dead
    const isOver =
      firstFailureAtMs !== null && dead.updatedAtMs - firstFailureAtMs > roundMsMax(deps.schedule)
    if (position.attempt <= deps.schedule.length && !isOver && reason !== 'queue_refused') {
      scheduler.violate(
        `1: ${nameOfDelivery(dead)} was given up after attempt ${position.attempt}: ${reason}`,
      )
    }
  }

  return {
    checkStranded,

    written: (after: Delivery, before: Delivery | null, by: 'write' | 'move'): void => {
      if (by === 'write') checkWrite(after, before)
      if (after.attempts.length > 0)
        deps.leaks.search(JSON.stringify(after.attempts), `the item of ${nameOfDelivery(after)}`)
      // Invariant 9: nothing is put off beyond its bound.
      if (after.state === 'waiting' && after.retryAtMs !== null && before?.retryAtMs !== after.retryAtMs) {
        const mostMs = isOperator()
          ? Number.POSITIVE_INFINITY
          : Math.max(...deps.schedule, retryAfterMsMax) * (1 + jitterShare) + queueDelayMsMax
        if (after.retryAtMs - scheduler.now() > mostMs)
          scheduler.violate(`9: ${nameOfDelivery(after)} waits too long`)
      }
      checkStranded(after.endpointId, after.eventId)
    },

    /** Invariant 4: in the log means, enqueued for every endpoint that matched. */
    logged: (events: readonly KeptEvent[]): void => {
      for (const event of events) {
        if (!ledger.loggedAt.has(event.id)) ledger.loggedAt.set(event.id, scheduler.steps)
        if (!ledger.inLogSince.has(event.id)) ledger.inLogSince.set(event.id, scheduler.steps)
        if (!ledger.recordedAtMs.has(event.id)) ledger.recordedAtMs.set(event.id, scheduler.now())
        if (isStarting(event)) ledger.seenAtStart.add(event.id)
        checkMatches(event)
        for (const endpointId of event.endpointIds) {
          const name = nameOfDelivery({ endpointId, eventId: event.id })
          if ((ledger.stories.get(name)?.enqueued ?? 0) === 0) {
            scheduler.violate(`4: ${event.id} was logged before it was sent to ${endpointId}`)
          }
          checkStranded(endpointId, event.id)
        }
      }
    },

    markRemoved: (mark: ReconcileMark): void => {
      for (const event of deps.table().seen.events.values()) {
        if (!isUnder(mark, event, eventDay(event.id))) continue
        for (const endpointId of event.endpointIds) checkStranded(endpointId, event.id)
      }
    },
  }
}

const isUnder = (mark: ReconcileMark, event: KeptEvent, day: string): boolean =>
  mark.sourceId === event.sourceId &&
  mark.stream === event.stream &&
  mark.day === day &&
  mark.lowestId <= event.id
