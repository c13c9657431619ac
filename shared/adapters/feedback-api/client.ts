import { Agent, type Dispatcher } from 'undici'
import type { FeedbackApi, PageRequest } from '../../domain/polling/feedback-api.ts'
import type { AuthScheme, StreamName } from '../../domain/source.ts'
import { type ApiAddress, apiAddress } from './api-address.ts'
import { type ContactLists, readContactLists } from './contact-lists.ts'
import { ContactsTokenMissing, TokenUnusable } from './errors.ts'
import { type Answer, get } from './exchange.ts'
import { createMask, type Mask } from './mask.ts'
import { type ListPage, readPage } from './page.ts'
import { pageQuery, type QuerySettings } from './query.ts'
import {
  type BounceRecord,
  bounceRecordSchema,
  type ComplaintRecord,
  complaintRecordSchema,
  type TypedPage,
  typedPage,
} from './records.ts'
import { refusalOf } from './refusals.ts'

/** A page of 1,000 real records has about 0.6 MB: this is fifty times that. */
export const pageBytesMaxDefault = 32 * 1024 * 1024
export const requestTimeoutMsDefault = 30_000

/** A page in flight for each stream, and one to spare. */
const connectionsMax = 4
/** Longer than the usual wait between two polls (5 s), so that polling costs no TLS handshakes. */
const idleConnectionMs = 10_000
/** Node's own bound for all headers of a request is 16 KiB. */
const tokenCharsMax = 8_192

const pathOfStream = { bounces: '/bounces', complaints: '/fbl' } as const satisfies Record<StreamName, string>

export type FeedbackClientOptions = QuerySettings & {
  /** Scheme, host and port, perhaps a path; the prefix stands apart. */
  baseUrl: string
  /** `/api/v2` by the specification. */
  pathPrefix: string
  authScheme: AuthScheme
  /** Asked before each request. What it throws is passed on. */
  token: () => Promise<string>
  /** Called where the service refused the token: one that is kept somewhere may have been rotated. */
  onTokenRefused?: () => void
  /** Default: `baseUrl`. Of another origin, it needs a token of its own. */
  contactsBaseUrl?: string
  contactsToken?: () => Promise<string>
  /** Unix time in milliseconds. */
  now: () => number
  /** Default: a keep-alive pool of the client's own. A given one is not closed by `close`. */
  dispatcher?: Dispatcher
  /** For everything from DNS to the last byte of an answer. */
  requestTimeoutMs?: number
  pageBytesMax?: number
}

export type ListRequest = Omit<PageRequest, 'stream'>

/** The whole API of the email service (feedback-api.md, section 4). Every method throws as `FeedbackApi` does. */
export interface FeedbackClient extends FeedbackApi {
  listPage(request: PageRequest, signal?: AbortSignal): Promise<ListPage>
  listBounces(request: ListRequest, signal?: AbortSignal): Promise<TypedPage<BounceRecord>>
  listComplaints(request: ListRequest, signal?: AbortSignal): Promise<TypedPage<ComplaintRecord>>
  /** `nextQuery`: the query of the envelope's `next`, if it has one. */
  listContactLists(query?: { nextQuery: string }, signal?: AbortSignal): Promise<ContactLists>
  /** Waits for what is under way; then no connection is left. */
  close(): Promise<void>
}

/**
 * The client of one source. Throws `InvalidApiAddress` for a base URL that is none. Its methods throw subclasses of
 * `FeedbackApiError` (errors.ts); what `token` throws is passed on.
 */
export function createFeedbackClient(options: FeedbackClientOptions): FeedbackClient {
  const dispatcher = options.dispatcher ?? keepAliveAgent()
  const api = apiAddress(options.baseUrl, options.pathPrefix)
  const contacts = apiAddress(options.contactsBaseUrl ?? options.baseUrl, options.pathPrefix)
  const ask = requester(options, dispatcher)

  const listPage = async (request: PageRequest, signal?: AbortSignal): Promise<ListPage> => {
    const url = api.url(pathOfStream[request.stream], pageQuery(request, options))
    const { answer, where, mask } = await ask({
      url,
      token: options.token,
      scheme: options.authScheme,
      signal,
    })
    return readPage(answer, where, mask)
  }
  return {
    listPage,
    listBounces: async (request, signal) =>
      typedPage(await listPage({ ...request, stream: 'bounces' }, signal), bounceRecordSchema),
    listComplaints: async (request, signal) =>
      typedPage(await listPage({ ...request, stream: 'complaints' }, signal), complaintRecordSchema),
    listContactLists: async (query, signal) => {
      const url = contacts.url('/contacts-lists/', query?.nextQuery ?? '')
      const token = contactsTokenOf(options, api, contacts)
      const { answer, where, mask } = await ask({ url, token, scheme: 'X-API-Key', signal })
      return readContactLists(answer, where, mask)
    },
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.close()
    },
  }
}

type Ask = { url: URL; token: () => Promise<string>; scheme: AuthScheme; signal: AbortSignal | undefined }

function requester(
  options: FeedbackClientOptions,
  dispatcher: Dispatcher,
): (ask: Ask) => Promise<{ answer: Answer; where: string; mask: Mask }> {
  return async ({ url, token, scheme, signal }) => {
    const where = `GET ${url.origin}${url.pathname}`
    const secret = (await token()).trim()
    if (!/^[\x21-\x7e]+$/.test(secret) || secret.length > tokenCharsMax) throw new TokenUnusable(where)
    const answer = await get({
      url,
      headers: requestHeaders(scheme, secret),
      where,
      dispatcher,
      timeoutMs: options.requestTimeoutMs ?? requestTimeoutMsDefault,
      bytesMax: options.pageBytesMax ?? pageBytesMaxDefault,
      now: options.now,
      signal,
    })
    if (answer.status === 401 || answer.status === 403) options.onTokenRefused?.()
    const mask = createMask([secret])
    if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, where, mask)
    return { answer, where, mask }
  }
}

function requestHeaders(scheme: AuthScheme, token: string): Record<string, string> {
  return {
    // On a GET as well: section 4 asks for it.
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(scheme === 'X-API-Key' ? { 'x-api-key': token } : { authorization: `${scheme} ${token}` }),
  }
}

/** The source's token goes to the source's origin only (DESIGN.md, invariant 7). */
function contactsTokenOf(
  options: FeedbackClientOptions,
  api: ApiAddress,
  contacts: ApiAddress,
): () => Promise<string> {
  if (options.contactsToken !== undefined) return options.contactsToken
  if (api.origin === contacts.origin) return options.token
  throw new ContactsTokenMissing(contacts.origin)
}

function keepAliveAgent(): Agent {
  // HTTP/2 would gain nothing for one page at a time.
  return new Agent({ connections: connectionsMax, keepAliveTimeout: idleConnectionMs, allowH2: false })
}
