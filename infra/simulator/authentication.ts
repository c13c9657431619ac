import { createHash, timingSafeEqual } from 'node:crypto'
import type { AuthScheme } from '../../shared/domain/source.ts'
import type { ServiceOptions } from './options.ts'

/** What a request brought to be let in; the token itself goes into no log. */
export type Credential = { scheme: AuthScheme | 'other'; token: string }

const schemes = new Map<string, AuthScheme>([
  ['token', 'Token'],
  ['bearer', 'Bearer'],
])

export type Headers = Readonly<Record<string, string | undefined>>

/** The credential of a list request: `Authorization`, or else `X-API-Key` (feedback-api.md, 5.1; field notes). */
export const readCredential = (headers: Headers): Credential | null => {
  const { authorization, 'x-api-key': apiKey } = headers
  if (authorization !== undefined) {
    const [word = '', token = ''] = authorization.split(' ')
    const scheme = schemes.get(word.toLowerCase())
    return scheme === undefined ? { scheme: 'other', token: authorization } : { scheme, token }
  }
  return apiKey === undefined ? null : { scheme: 'X-API-Key', token: apiKey }
}

/** The contacts API takes `X-API-Key` only (feedback-api.md, 5.2). */
export const readContactsCredential = (headers: Headers): Credential | null => {
  const apiKey = headers['x-api-key']
  return apiKey === undefined ? null : { scheme: 'X-API-Key', token: apiKey }
}

/** Takes as long for a near miss as for any other: deployed, the simulator answers whoever finds its URL. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The status that turns a list request away, or null. */
export const refuseOnLists = (credential: Credential | null, options: ServiceOptions): 401 | 403 | null => {
  if (credential === null || credential.scheme === 'other' || !isSame(credential.token, options.token))
    return 401
  if (credential.scheme === 'X-API-Key' && options.auth === 'token') return 401
  return options.profile ? null : 403
}

/** The contacts API answers 401 for a token without a profile too (feedback-api.md, 7.1). */
export const refuseOnContacts = (credential: Credential | null, options: ServiceOptions): 401 | null =>
  credential !== null && isSame(credential.token, options.contactsToken ?? options.token) && options.profile
    ? null
    : 401
