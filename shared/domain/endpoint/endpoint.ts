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

/** A customer's webhook URL with its settings. */
export type Endpoint = {
  id: string
  url: string
  /** Exact types or a trailing wildcard: `email.bounce.hard`, `email.bounce.*`, `*`. */
  types: readonly string[]
  filters: SubscriptionFilters
  keys: readonly SigningKey[]
  /** removed: kept until its unsettled deliveries are cancelled. */
  state: 'active' | 'disabled' | 'removed'
  /** Why it is not active, as `answered_410`. */
  stateReason: string | null
  /** Its deliveries belong to the slow lane (DESIGN.md, section 6, "Two lanes"). */
  slow: boolean
}
