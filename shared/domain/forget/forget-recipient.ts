import type { KeptEvent } from '../polling/event-log.ts'
import { forgottenRecordReason, type Quarantine } from '../polling/quarantine.ts'
import type { AddressMatch } from './address-match.ts'
import { type ForgetDeliveriesDeps, type FormerState, forgetDeliveries } from './forget-deliveries.ts'
import type { Forgettable, ForgettableItems, QuarantinedHead } from './forgettable-items.ts'

/**
 * A page of 1 MB no sooner than this: 1,300 read units a second, where a partition has 3,000 for all who read it (DynamoDB
 * Developer Guide, "Best practices for designing and using partition keys effectively").
 */
export const pageEveryMs = 100

export type ForgetDeps = ForgetDeliveriesDeps & {
  items: ForgettableItems
  quarantine: Pick<Quarantine, 'read'>
}

export type ToForget = {
  match: AddressMatch
  /** All that there are, removed ones included. */
  endpointIds: readonly string[]
  /** Nothing is written: what would be done is counted. */
  isDryRun: boolean
  /** Aborted: the item under way is finished, and no other begun. */
  signal: AbortSignal
  onLooked: (items: number) => void
}

export type ForgottenCounts = {
  /** Events and quarantined records that were looked at. */
  looked: number
  events: number
  /** Of these events, by what they were before. */
  deliveries: Record<FormerState, number>
  quarantined: number
  /** Events of other recipients that mention the address somewhere: left as they are. */
  mentions: number
  /** Items that this code can't read: nobody knows what they hold. */
  unreadable: number
  complete: boolean
}

/**
 * Forgets a recipient in the table: of each event the deliveries first, the log's item last, so that an interruption leaves
 * what finds the event again, and the same call goes on.
 */
export const forgetRecipient = async (of: ToForget, deps: ForgetDeps): Promise<ForgottenCounts> => {
  const counts: ForgottenCounts = {
    looked: 0,
    events: 0,
    deliveries: { queued: 0, waiting: 0, held: 0, delivered: 0, dead: 0, cancelled: 0 },
    quarantined: 0,
    mentions: 0,
    unreadable: 0,
    complete: false,
  }
  let after: unknown = null
  do {
    const startedAtMs = deps.clock.now()
    const page = await deps.items.page(after)
    for (const item of page.items) {
      if (of.signal.aborted) return counts
      counts.looked += 1
      await forgetItem(item, of, counts, deps)
    }
    of.onLooked(counts.looked)
    after = page.after
    const leftMs = startedAtMs + pageEveryMs - deps.clock.now()
    if (after !== null && leftMs > 0) await deps.clock.sleep(leftMs, of.signal)
    if (of.signal.aborted) return counts
  } while (after !== null)
  return { ...counts, complete: true }
}

const forgetItem = async (
  item: Forgettable,
  of: ToForget,
  counts: ForgottenCounts,
  deps: ForgetDeps,
): Promise<void> => {
  switch (item.kind) {
    case 'unreadable':
      counts.unreadable += 1
      return
    case 'event':
      return forgetEvent(item.event, of, counts, deps)
    case 'quarantined':
      return forgetQuarantined(item.head, of, counts, deps)
  }
}

const forgetEvent = async (
  event: KeptEvent,
  of: ToForget,
  counts: ForgottenCounts,
  deps: ForgetDeps,
): Promise<void> => {
  const bearing = event.body === null ? 'none' : of.match.ofBody(event.body)
  if (bearing === 'mention') counts.mentions += 1
  if (bearing !== 'recipient') return
  const former = await forgetDeliveries({ ...of, event }, deps)
  if (!of.isDryRun) {
    await deps.items.forgetEvent({ ...event, eventId: event.id }, deps.clock.now())
    // A replay may have begun in between, and the releaser have read the body: its message is dropped by this.
    await forgetDeliveries({ ...of, event }, deps)
  }
  counts.events += 1
  for (const state of former) counts.deliveries[state] += 1
}

const forgetQuarantined = async (
  head: QuarantinedHead,
  of: ToForget,
  counts: ForgottenCounts,
  deps: ForgetDeps,
): Promise<void> => {
  if (head.reason === forgottenRecordReason) {
    // Left by a run that was interrupted, perhaps for another address.
    if (head.parts > 1 && !of.isDryRun) await deps.items.forgetQuarantined(head)
    return
  }
  const record = await deps.quarantine.read(head)
  if (record === null || !of.match.isIn(record.text)) return
  if (!of.isDryRun) await deps.items.forgetQuarantined(head)
  counts.quarantined += 1
}
