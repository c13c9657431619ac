import type { StreamName } from '../../shared/domain/source.ts'
import { type Answer, errorAnswer } from './answer.ts'
import {
  type Credential,
  type Headers,
  readContactsCredential,
  readCredential,
  refuseOnContacts,
  refuseOnLists,
} from './authentication.ts'
import { answerContacts } from './contacts.ts'
import { answerList } from './list-answer.ts'
import type { ServiceOptions } from './options.ts'
import type { PageLink } from './paging.ts'
import type { RateLimiter } from './rate-limit.ts'
import type { StreamRecords } from './stream-records.ts'

/** A request as the server hands it in; names of headers are in lower case. */
export type SimulatorRequest = {
  method: string
  path: string
  /** Without the question mark. */
  query: string
  headers: Headers
  /** Host and port as the caller knows them: what `next` is made of. */
  host: string
  /** Before it; http unless given. */
  scheme?: 'http' | 'https'
}

export type Route = { kind: 'list'; stream: StreamName } | { kind: 'contacts' } | { kind: 'nothing' }

/** The paths of section 4 of feedback-api.md, exactly as written there. */
export const findRoute = (path: string, { pathPrefix }: ServiceOptions): Route => {
  if (path === `${pathPrefix}/bounces`) return { kind: 'list', stream: 'bounces' }
  if (path === `${pathPrefix}/fbl`) return { kind: 'list', stream: 'complaints' }
  return path === `${pathPrefix}/contacts-lists/` ? { kind: 'contacts' } : { kind: 'nothing' }
}

export const credentialOf = (route: Route, headers: Headers): Credential | null =>
  route.kind === 'contacts' ? readContactsCredential(headers) : readCredential(headers)

export type Service = {
  streams: Readonly<Record<StreamName, StreamRecords>>
  limiter: RateLimiter
}

/** What the service answers when nothing goes wrong; spends a request of the key. */
export const answerRequest = (
  request: SimulatorRequest,
  nowMs: number,
  options: ServiceOptions,
  { streams, limiter }: Service,
): Answer => {
  const route = findRoute(request.path, options)
  const credential = credentialOf(route, request.headers)
  const allowance = limiter.spend(credential?.token ?? '', nowMs, options)
  const answer = allowance.allowed
    ? answerAllowed(request, { route, credential, nowMs, options, streams })
    : errorAnswer(options.errorBody, 429)

  const { 'retry-after': retryAfter, ...limits } = allowance.headers
  const statesLimits = options.rateLimitHeaders === 'always' || route.kind === 'contacts'
  const headers = {
    date: new Date(nowMs).toUTCString(),
    ...(statesLimits ? limits : {}),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    ...answer.headers,
  }
  return { ...answer, headers }
}

const answerAllowed = (
  request: SimulatorRequest,
  facts: {
    route: Route
    credential: Credential | null
    nowMs: number
    options: ServiceOptions
    streams: Service['streams']
  },
): Answer => {
  const { route, credential, nowMs, options, streams } = facts
  if (route.kind === 'nothing') return errorAnswer(options.errorBody, 404)
  if (request.method !== 'GET') {
    const refused = errorAnswer(options.errorBody, 405)
    return { ...refused, headers: { ...refused.headers, allow: 'GET' } }
  }
  const refusal =
    route.kind === 'contacts' ? refuseOnContacts(credential, options) : refuseOnLists(credential, options)
  if (refusal !== null) return errorAnswer(options.errorBody, refusal)

  const parameters = new URLSearchParams(request.query)
  const urlOf = (link: PageLink): string => neighbourUrl(request, options, link)
  if (route.kind === 'contacts') return answerContacts(parameters, options, urlOf)
  const { stream } = route
  return answerList(streams[stream], { stream, parameters, nowMs, urlOf }, options)
}

/** The URL of a neighbouring page: the request's own, with another place (feedback-api.md, 4.1, rule 4). */
const neighbourUrl = (request: SimulatorRequest, options: ServiceOptions, link: PageLink): string => {
  const parameters = new URLSearchParams(request.query)
  parameters.delete('page')
  parameters.delete('cursor')
  parameters.set(link.name, link.value)
  return `${request.scheme ?? 'http'}://${options.nextHost ?? request.host}${request.path}?${parameters}`
}
