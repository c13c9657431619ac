import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { Endpoint, SubscriptionFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { factsOfBody } from '../../../shared/domain/event/body-facts.ts'
import { matchesEndpoint, type SubscribedEvent } from '../../../shared/domain/event/subscriptions.ts'
import type { EventSummary } from '../../../shared/domain/polling/event-log.ts'
import { newestEvents } from '../../../shared/domain/polling/newest-events.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Of the newest events of the log. */
export const previewedEventsMax = 1_000
const readsAtOnce = 32

type Subscription = Pick<Endpoint, 'types' | 'filters'>

export type MatchPreview = {
  events: number
  before: number
  after: number
  byType: readonly { type: string; events: number; before: number; after: number }[]
}

/** How many of the newest events an endpoint matches as it is, and would match as it is to be. */
export const previewMatches = async (
  bridge: OperatorBridge,
  of: { before: Subscription; after: Subscription; nowMs: number },
): Promise<MatchPreview> => {
  const newest = await newestEvents(bridge.log, {
    sources: await bridge.sources.list(),
    nowSecond: Math.floor(of.nowMs / 1_000),
    limit: previewedEventsMax,
  })
  const readsBodies = [of.before, of.after].some(({ filters }) => needsBody(filters))
  const events = await mapBounded(newest, readsAtOnce, summary => subscribed(bridge, summary, readsBodies))
  const counts = new Map<string, { events: number; before: number; after: number }>()
  for (const event of events) {
    const count = counts.get(event.type) ?? { events: 0, before: 0, after: 0 }
    counts.set(event.type, {
      events: count.events + 1,
      before: count.before + Number(matchesEndpoint(event, of.before)),
      after: count.after + Number(matchesEndpoint(event, of.after)),
    })
  }
  const byType = [...counts].map(([type, count]) => ({ type, ...count })).sort((a, b) => b.events - a.events)
  const sum = (name: 'before' | 'after') => byType.reduce((total, count) => total + count[name], 0)
  return { events: events.length, before: sum('before'), after: sum('after'), byType }
}

/** Types and sources stand beside the body. */
const needsBody = ({ senderDomains, recipientDomains, bounceCategories }: SubscriptionFilters): boolean =>
  [senderDomains, recipientDomains, bounceCategories].some(filter => filter !== null)

const unknownFacts = { senderDomain: null, recipientDomain: null, bounceCategory: null }

const subscribed = async (
  { log }: OperatorBridge,
  { id, sourceId, stream, type }: EventSummary,
  readsBodies: boolean,
): Promise<SubscribedEvent> => {
  const logged = readsBodies ? await log.read({ sourceId, stream, eventId: id }) : null
  const body = logged?.body ?? null
  const facts = (body === null ? null : factsOfBody(body)) ?? unknownFacts
  return { type, sourceId, facts: { ...facts, suggestedAction: 'none' } }
}
