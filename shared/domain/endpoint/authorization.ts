import type { Authorization } from './endpoint.ts'

/** Of user and password, or of a token: with the other headers it stays within the 8 KiB that many servers take. */
export const authorizationBytesMax = 3_072

/** What follows `Bearer` (RFC 6750, section 2.1, "b64token"). */
const tokenPattern = /^[A-Za-z0-9\-._~+/]+=*$/
/** User and password may not have them (RFC 7617, section 2). */
const control = /\p{Cc}/u

/** A header's value, or what is wrong with the secret: never the secret. */
export type AuthorizationHeader = { kind: 'header'; value: string } | { kind: 'invalid'; problem: string }

/**
 * The `Authorization` header that a secret makes: of `user:password`, where the user has no colon (RFC 7617), or of a
 * bearer token (RFC 6750). A line end after it does no harm: files have one. Pure.
 */
export const authorizationHeader = (scheme: Authorization['scheme'], secret: string): AuthorizationHeader => {
  const text = secret.replace(/[\r\n]+$/, '')
  if (Buffer.byteLength(text) > authorizationBytesMax) {
    return { kind: 'invalid', problem: `it has over ${authorizationBytesMax} bytes` }
  }
  return scheme === 'basic' ? basicHeader(text) : bearerHeader(text.trim())
}

const basicHeader = (text: string): AuthorizationHeader => {
  if (text.indexOf(':') < 1) return { kind: 'invalid', problem: 'it must be user:password' }
  if (control.test(text) || !text.isWellFormed()) {
    return { kind: 'invalid', problem: 'user and password may not have control characters' }
  }
  return { kind: 'header', value: `Basic ${Buffer.from(text).toString('base64')}` }
}

const bearerHeader = (token: string): AuthorizationHeader =>
  tokenPattern.test(token)
    ? { kind: 'header', value: `Bearer ${token}` }
    : {
        kind: 'invalid',
        problem: 'it must be a token: letters, digits and - . _ ~ + /, with = at its end only',
      }

/** What is secret of such a header: of `Basic`, also what the receiver reads out of it. */
export const secretsInAuthorization = (value: string): string[] => {
  const [scheme, secret = ''] = value.split(' ')
  if (scheme !== 'Basic') return [secret]
  const pair = Buffer.from(secret, 'base64').toString()
  return [secret, pair, pair.slice(pair.indexOf(':') + 1)]
}
