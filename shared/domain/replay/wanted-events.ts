import type { Endpoint } from '../endpoint/endpoint.ts'
import { factsOfBody } from '../event/body-facts.ts'
import { matchesEndpoint, matchesType } from '../event/subscriptions.ts'
import type { EventLog, EventSummary } from '../polling/event-log.ts'

type Subscription = Pick<Endpoint, 'types' | 'filters'>

/** What a summary alone can say: the type. */
export const fitsTypes = ({ type }: EventSummary, { types }: Subscription): boolean =>
  types.some(pattern => matchesType(type, pattern))

const unknownFacts = { senderDomain: null, recipientDomain: null, bounceCategory: null }

/** Whether an endpoint wants an event of the log; its body is read only where a filter needs it. */
export const fitsFilters = async (
  { id: eventId, sourceId, stream, type }: EventSummary,
  endpoint: Subscription,
  log: Pick<EventLog, 'read'>,
): Promise<boolean> => {
  const { senderDomains, recipientDomains, bounceCategories } = endpoint.filters
  const readsBody = [senderDomains, recipientDomains, bounceCategories].some(filter => filter !== null)
  const body = readsBody ? ((await log.read({ sourceId, stream, eventId }))?.body ?? null) : null
  const facts = (body === null ? null : factsOfBody(body)) ?? unknownFacts
  return matchesEndpoint({ type, sourceId, facts: { ...facts, suggestedAction: 'none' } }, endpoint)
}
