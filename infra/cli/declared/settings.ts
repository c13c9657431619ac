import { type Endpoint, endpointDefaults, noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { authorizationSecretName, tokenSecretName } from '../../../shared/domain/secret-store.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { isoOfSecond } from '../output/moments.ts'
import type { DeclaredEndpoint, DeclaredSource } from './file-schema.ts'

/** A setting as the file has it; undefined is one that the file leaves out. */
export type Setting = string | number | boolean | readonly string[] | HeaderSetting | undefined
/** Values by name, which may be secrets; null is one that is not told. */
export type HeaderSetting = Readonly<Record<string, string | null>>
export type Settings = Readonly<Record<string, Setting>>

/** What a file says of a source that is as this one. Its token is not of it. */
export const settingsOfSource = (source: Source): Settings => ({
  url: source.baseUrl,
  'path-prefix': source.pathPrefix,
  'auth-scheme': source.authScheme,
  'include-soft': source.includeSoft,
  'page-size': source.pageSize ?? undefined,
  'start-at':
    source.startAt.kind === 'time' ? (isoOfSecond(source.startAt.second) ?? undefined) : source.startAt.kind,
  'poll-every': source.pollEverySeconds,
  overlap: source.overlapSeconds,
  'requests-per-minute': source.requestsPerMinute,
  paused: source.state === 'paused' ? true : undefined,
})

/** What a file says of an endpoint that is as this one. Its keys are not of it. */
export const settingsOfEndpoint = (endpoint: Endpoint): Settings => ({
  url: endpoint.url,
  types: endpoint.types,
  ...filterSettings(endpoint),
  headers: Object.keys(endpoint.headers).length === 0 ? undefined : endpoint.headers,
  authorization: endpoint.authorization?.scheme,
  'max-per-second': endpoint.limits.maxPerSecond ?? undefined,
  'max-in-flight': endpoint.limits.maxInFlight ?? undefined,
  'heartbeat-every':
    endpoint.heartbeatEverySeconds === null ? undefined : `${endpoint.heartbeatEverySeconds}s`,
  disabled: endpoint.state === 'disabled' ? true : undefined,
})

const filterSettings = ({ filters }: Endpoint): Settings => ({
  'sender-domains': filters.senderDomains ?? undefined,
  'recipient-domains': filters.recipientDomains ?? undefined,
  'bounce-categories': filters.bounceCategories ?? undefined,
  sources: filters.sources ?? undefined,
})

/** The source that is declared; `before` is the one that is there. Where the file names no state, it stays. */
export const sourceOf = (id: string, declared: DeclaredSource, before: Source | null): Source => {
  const { paused } = declared
  const kept = before?.state ?? sourceDefaults.state
  return {
    id,
    baseUrl: declared.url,
    pathPrefix: declared['path-prefix'] ?? sourceDefaults.pathPrefix,
    authScheme: declared['auth-scheme'] ?? sourceDefaults.authScheme,
    tokenSecret: before?.tokenSecret ?? tokenSecretName(id),
    includeSoft: declared['include-soft'] ?? sourceDefaults.includeSoft,
    pageSize: declared['page-size'] ?? sourceDefaults.pageSize,
    startAt: declared['start-at'] ?? sourceDefaults.startAt,
    pollEverySeconds: declared['poll-every'] ?? sourceDefaults.pollEverySeconds,
    overlapSeconds: declared.overlap ?? sourceDefaults.overlapSeconds,
    requestsPerMinute: declared['requests-per-minute'] ?? sourceDefaults.requestsPerMinute,
    state: paused === undefined ? kept : paused ? 'paused' : 'active',
  }
}

const firstKeys: Endpoint['keys'] = [{ version: 1, secret: null, signsUntilMs: null }]

/** The endpoint that is declared. Its keys are derived, unless it has others already; these, and its lane, stay. */
export const endpointOf = (id: string, declared: DeclaredEndpoint, before: Endpoint | null): Endpoint => ({
  ...(before ?? endpointDefaults),
  id,
  // As the URL standard writes it: what can't be read as one is refused with the plan.
  url: URL.parse(declared.url)?.href ?? declared.url,
  types: declared.types ?? ['*'],
  filters: {
    ...noFilters,
    senderDomains: declared['sender-domains'] ?? null,
    recipientDomains: declared['recipient-domains'] ?? null,
    bounceCategories: declared['bounce-categories'] ?? null,
    sources: declared.sources ?? null,
  },
  limits: {
    maxPerSecond: declared['max-per-second'] ?? null,
    maxInFlight: declared['max-in-flight'] ?? null,
  },
  headers: headersOf(declared, before),
  authorization: authorizationOf(id, declared, before),
  heartbeatEverySeconds: declared['heartbeat-every'] ?? null,
  keys: before?.keys ?? firstKeys,
  ...stateOf(declared, before),
})

/** One that is to keep a value that it does not have is refused with the plan. */
const headersOf = ({ headers }: DeclaredEndpoint, before: Endpoint | null): Endpoint['headers'] =>
  Object.fromEntries(
    Object.entries(headers ?? {}).flatMap(([name, declared]) => {
      const value = declared ?? before?.headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Names of declared headers that are to keep a value that they do not have. */
export const headersWithoutValue = ({ headers }: DeclaredEndpoint, before: Endpoint | null): string[] =>
  Object.entries(headers ?? {}).flatMap(([name, value]) =>
    value === null && before?.headers[name] === undefined ? [name] : [],
  )

const authorizationOf = (
  id: string,
  { authorization: scheme }: DeclaredEndpoint,
  before: Endpoint | null,
): Endpoint['authorization'] =>
  scheme === undefined
    ? null
    : { scheme, secret: before?.authorization?.secret ?? authorizationSecretName(id) }

const stateOf = (
  { disabled }: DeclaredEndpoint,
  before: Endpoint | null,
): Pick<Endpoint, 'state' | 'stateReason'> => {
  const kept = { state: before?.state ?? 'active', stateReason: before?.stateReason ?? null } as const
  if (disabled === undefined || disabled === (kept.state === 'disabled')) return kept
  return disabled
    ? { state: 'disabled', stateReason: 'endpoint_disabled' }
    : { state: 'active', stateReason: null }
}
