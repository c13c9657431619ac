import { type EndpointHealth, goodHealth } from './endpoint-health.ts'

/** A key version that signs until a time; null is without end. Rotation gives the old one an end. */
export type SigningKey = {
  version: number
  /** The secret store's name of an own secret (`whsec_…`); null: derived from the stack's master secret. */
  secret: string | null
  signsUntilMs: number | null
}

/** An event must pass every filter that is set; within one, any of its values will do. */
export type SubscriptionFilters = {
  senderDomains: readonly string[] | null
  recipientDomains: readonly string[] | null
  bounceCategories: readonly string[] | null
  sources: readonly string[] | null
}

export const noFilters: SubscriptionFilters = {
  senderDomains: null,
  recipientDomains: null,
  bounceCategories: null,
  sources: null,
}

/** How an endpoint wants to be asked in; the secret store has what is sent. */
export type Authorization = {
  /** `basic`: the secret is `user:password`; `bearer`: a token. */
  scheme: 'basic' | 'bearer'
  /** The secret store's name of it. */
  secret: string
}

/** What an endpoint takes at most; null: as much as there is. Kept approximately over all dispatchers. */
export type EndpointLimits = {
  /** Attempts begun a second. */
  maxPerSecond: number | null
  /** Attempts under way at the same time. */
  maxInFlight: number | null
}

export const noLimits: EndpointLimits = { maxPerSecond: null, maxInFlight: null }

/** A customer's webhook URL with its settings. */
export type Endpoint = {
  id: string
  url: string
  /** Exact types or a trailing wildcard: `email.bounce.hard`, `email.bounce.*`, `*`. */
  types: readonly string[]
  filters: SubscriptionFilters
  keys: readonly SigningKey[]
  limits: EndpointLimits
  /** Sent with every POST, beside ours and never in place of ours; names in lower case. */
  headers: Readonly<Record<string, string>>
  authorization: Authorization | null
  /** Asks for `webhook.heartbeat` this often; null: never. */
  heartbeatEverySeconds: number | null
  /** removed: kept until its unsettled deliveries are cancelled. */
  state: 'active' | 'disabled' | 'removed'
  /** Why it is not active, as `answered_410`. */
  stateReason: string | null
  /** When the state was set: Unix milliseconds; null where it is not known. */
  stateSinceMs: number | null
  /** Its deliveries belong to the slow lane (DESIGN.md, section 6, "Two lanes"). */
  slow: boolean
  /** Written by the dispatchers. */
  health: EndpointHealth
}

/** What an endpoint has unless it is said otherwise. */
export const endpointDefaults = {
  filters: noFilters,
  limits: noLimits,
  headers: {},
  authorization: null,
  heartbeatEverySeconds: null,
  state: 'active',
  stateReason: null,
  stateSinceMs: null,
  slow: false,
  health: goodHealth,
} as const satisfies Partial<Endpoint>
