import type { Endpoint, SubscriptionFilters } from '../endpoint/endpoint.ts'
import { normalizeDomain } from './addresses.ts'
import type { EventFacts } from './build-event.ts'
import { eventTypes } from './event-types.ts'

/** What a subscription is matched against. */
export type SubscribedEvent = { type: string; facts: EventFacts; sourceId: string }

export type TypePattern = { kind: 'pattern'; pattern: string } | { kind: 'invalid'; problem: string }

/**
 * Whether an endpoint wants an event: one of its type patterns fits, and every filter that is set has a value that
 * fits (DESIGN.md, section 5). What is unknown of an event fits no filter on it, and a filter without values fits
 * nothing. A domain means itself, not its subdomains: who wants `mail.example.com` too names it.
 */
export const matchesEndpoint = (
  event: SubscribedEvent,
  endpoint: Pick<Endpoint, 'types' | 'filters'>,
): boolean =>
  endpoint.types.some(pattern => matchesType(event.type, pattern)) && passesFilters(event, endpoint.filters)

/** Whether a type fits a pattern: the type itself, `*`, or a trailing wildcard after a dot (`email.bounce.*`). */
export const matchesType = (type: string, pattern: string): boolean => {
  if (pattern === '*' || pattern === type) return true
  // The dot stays, so that email.bounce.* does not fit email.bouncefoo.
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}

/** Checks a type pattern that a person wrote; one that no event can fit is refused with what would be right. */
export const parseTypePattern = (text: string): TypePattern => {
  const pattern = text.trim()
  const wellFormed = /^(?:\*|[a-z]+(?:\.[a-z]+)*(?:\.\*)?)$/.test(pattern)
  if (wellFormed && eventTypes.some(type => matchesType(type, pattern))) return { kind: 'pattern', pattern }
  return { kind: 'invalid', problem: noTypes([pattern]) }
}

/** What may have been meant for a type; anything else may be a secret that was given to the wrong flag. */
const typeLike = /^[a-z_.*-]{0,80}$/i
const shownType = (text: string): string =>
  typeLike.test(text) ? JSON.stringify(text) : 'a text of another form'

/** What is wrong with texts that are no types, with the list of types once. */
export const noTypes = (texts: readonly string[]): string => {
  const shown = texts.map(text => shownType(text.trim())).join(', ')
  const [are, each] = texts.length === 1 ? ['is no type of event', 'It'] : ['are no types of event', 'Each']
  const known = eventTypes.join(', ')
  return `${shown} ${are}. ${each} must be one of ${known}, or end in a wildcard, as email.bounce.* or *.`
}

const passesFilters = (event: SubscribedEvent, filters: SubscriptionFilters): boolean =>
  passes(event.sourceId, filters.sources, value => value) &&
  passes(event.facts.bounceCategory, filters.bounceCategories, value => value.trim().toLowerCase()) &&
  passes(event.facts.senderDomain, filters.senderDomains, normalizeDomain) &&
  passes(event.facts.recipientDomain, filters.recipientDomains, normalizeDomain)

const passes = (
  value: string | null,
  allowed: readonly string[] | null,
  normalize: (value: string) => string,
): boolean => {
  if (allowed === null) return true
  if (value === null) return false
  const normalized = normalize(value)
  return allowed.some(candidate => normalize(candidate) === normalized)
}
