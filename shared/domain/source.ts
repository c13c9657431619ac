/** The two lists of the email service (feedback-api.md, sections 4.1 and 4.2). */
export const streamNames = ['bounces', 'complaints'] as const
export type StreamName = (typeof streamNames)[number]

/** How the token is sent (feedback-api.md, section 5; field notes, "authorization"). */
export const authSchemes = ['Token', 'Bearer', 'X-API-Key'] as const
export type AuthScheme = (typeof authSchemes)[number]

/** Where the first walk of a stream begins (DESIGN.md, section 4, "Start"). */
export type StartAt = { kind: 'latest' } | { kind: 'earliest' } | { kind: 'time'; second: number }

/** An account at the email service, and how it is polled. */
export type Source = {
  id: string
  /** Scheme, host and port; the path prefix stands apart. */
  baseUrl: string
  pathPrefix: string
  authScheme: AuthScheme
  /** The name under which the secret store holds the API token. */
  tokenSecret: string
  includeSoft: boolean
  /** Sent as `page_size` only where it is set: the parameter is not in the specification. */
  pageSize: number | null
  startAt: StartAt
  pollEverySeconds: number
  overlapSeconds: number
  /** The limit that the service states; what is spent is 80 % of it. */
  requestsPerMinute: number
  state: 'active' | 'paused'
}

export const sourceDefaults = {
  pathPrefix: '/api/v2',
  authScheme: 'Token',
  includeSoft: false,
  pageSize: null,
  startAt: { kind: 'latest' },
  pollEverySeconds: 5,
  overlapSeconds: 120,
  requestsPerMinute: 60,
  state: 'active',
} as const satisfies Partial<Source>
