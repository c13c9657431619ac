import type { Clock } from '../clock.ts'
import type { Happening, Reporter } from '../happenings.ts'
import { type Attempt, ageOfEventMs, endOf, statusOf } from './attempt.ts'
import type { Delivery } from './delivery.ts'
import { type DeliveryMessage, encodeMessage } from './delivery-message.ts'
import type { DeadLetterQueue, DeliveryQueue, EntryResult, Lane } from './delivery-queue.ts'
import { type Action, conditionOf, goesByQueue, recordOf } from './delivery-record.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { EndpointDirectory } from './endpoint-directory.ts'
import { isForgotten, withoutAnswers } from './forgotten-delivery.ts'
import { sendOne } from './own-fault.ts'
import { nextAttempt, nextRound } from './position.ts'
import type { DropReason } from './reasons.ts'

export type SettleDeps = {
  store: DeliveryStore
  directory: EndpointDirectory
  queue: DeliveryQueue
  deadLetters: DeadLetterQueue
  reporter: Reporter
  clock: Clock
  /** A new id for each write. */
  newId: () => string
}

export type ToSettle = {
  message: DeliveryMessage
  before: Delivery | null
  action: Action
  attempt: Attempt | null
  lane: Lane
}

/**
 * Turns what becomes of a delivery into its writes and sends: the one place that does. The order is the protocol of
 * DESIGN.md, section 6.3: the state first, then the message that goes on from it, and the caller deletes the old one
 * last. A message sent before its state would be tried beside the old one, if the write then failed.
 * Throws what the table throws; nothing has been sent then.
 */
export const settle = async (of: ToSettle, deps: SettleDeps): Promise<void> => {
  const { message, action } = of
  if (action.kind === 'gone') await deps.directory.disable(message.endpointId, action.reason)
  const nowMs = deps.clock.now()
  const record = recordOf({ ...of, nowMs, writeId: deps.newId() })
  if (!(await wrote(record, of, deps))) {
    reportDrop(message, 'settled_elsewhere', deps.reporter)
    return
  }
  deps.reporter.report(happeningOf(of, nowMs))
  if (action.kind === 'retry' && goesByQueue(action, nowMs)) {
    // Where this fails nothing is lost: the releaser finds the delivery in the index.
    const next = encodeMessage({ ...message, ...nextAttempt(message) })
    const delayMs = Math.max(0, action.atMs - nowMs)
    const entry = { lane: of.lane, group: message.endpointId, body: next, delayMs, faults: null }
    reportUnsent(await sendOne(() => deps.queue.send([entry])), message, deps.reporter)
  }
  if (action.kind === 'dead') {
    // In the next round, so that AWS's own redrive of the copy is taken; the table is the truth.
    const body = encodeMessage({ ...message, ...nextRound(message), deliveredBy: null })
    const entry = { group: message.endpointId, body, reason: action.reason }
    reportUnsent(await sendOne(() => deps.deadLetters.send([entry])), message, deps.reporter)
  }
}

/** A message that was handled before, or by another: counted by cause. */
export const reportDrop = (message: DeliveryMessage, reason: DropReason, reporter: Reporter): void =>
  reporter.report({
    kind: 'duplicate',
    event: message.eventId,
    endpoint: message.endpointId,
    attempt: message.attempt,
    reason,
  })

const wrote = async (record: Delivery, of: ToSettle, deps: SettleDeps): Promise<boolean> => {
  if ((await deps.store.write(record, conditionOf(of.action, of.message))) === 'written') return true
  const found = await deps.store.read(record)
  // It may have been this very write, sent again by the client after its first reply was lost.
  if (found?.writeId === record.writeId) return true
  if (found === null || record.state !== 'delivered' || !isForgotten(found)) return false
  // The recipient was forgotten during the POST. That it was delivered is the truth; what was answered before is not kept.
  const condition = { kind: 'unchanged', writeId: found.writeId } as const
  return (await deps.store.write(withoutAnswers(record), condition)) === 'written'
}

const happeningOf = ({ message, action, attempt }: ToSettle, nowMs: number): Happening => {
  const told = {
    event: message.eventId,
    endpoint: message.endpointId,
    attempt: message.attempt,
    round: message.round,
    status: attempt === null ? null : statusOf(attempt.result),
  }
  switch (action.kind) {
    case 'delivered': {
      const ageMs = ageOfEventMs(message.eventId, attempt === null ? nowMs : endOf(attempt))
      return { kind: 'delivered', ...told, reason: null, ageMs }
    }
    case 'retry':
      return { kind: 'waiting', ...told, reason: action.reason, retryAtMs: action.atMs }
    case 'hold':
    case 'gone':
      return { kind: 'held', ...told, reason: action.reason }
    case 'dead':
    case 'cancelled':
      return { kind: action.kind, ...told, reason: action.reason }
  }
}

const reportUnsent = (result: EntryResult, message: DeliveryMessage, reporter: Reporter): void => {
  if (result.kind === 'sent') return
  const hint = 'The delivery is in the table, and goes on from there.'
  const { eventId: event, endpointId: endpoint } = message
  reporter.report({ kind: 'fault', event, endpoint, reason: result.reason, hint, delayMs: 0 })
}
