import type { Delivery } from '../delivery/delivery.ts'
import { normalizeDomain } from '../event/addresses.ts'
import { factsOfBody } from '../event/body-facts.ts'
import { matchesType } from '../event/subscriptions.ts'
import type { KeptEvent } from '../polling/event-log.ts'

/** Which dead letters are meant; null: any. */
export type DeadLetterSelection = {
  types: readonly string[] | null
  /** Codes, or beginnings with a trailing `*`: `http_5*`. */
  reasons: readonly string[] | null
  recipientDomains: readonly string[] | null
}

/** Whether the delivery's own item decides, or its event must be read. */
export const needsEvent = ({ types, recipientDomains }: DeadLetterSelection): boolean =>
  types !== null || recipientDomains !== null

export const hasReason = (
  { reason }: Pick<Delivery, 'reason'>,
  { reasons }: Pick<DeadLetterSelection, 'reasons'>,
): boolean =>
  reasons === null ||
  (reason !== null &&
    reasons.some(wanted =>
      wanted.endsWith('*') ? reason.startsWith(wanted.slice(0, -1)) : reason === wanted,
    ))

/** Whether a dead letter's event is meant. What is unknown of an event fits no selection by it. */
export const hasEvent = (
  event: Pick<KeptEvent, 'type' | 'body'> | null,
  { types, recipientDomains }: DeadLetterSelection,
): boolean => {
  if (types !== null && !(event !== null && types.some(pattern => matchesType(event.type, pattern)))) {
    return false
  }
  if (recipientDomains === null) return true
  const body = event?.body ?? null
  const domain = body === null ? null : (factsOfBody(body)?.recipientDomain ?? null)
  return (
    domain !== null && recipientDomains.some(wanted => normalizeDomain(wanted) === normalizeDomain(domain))
  )
}
