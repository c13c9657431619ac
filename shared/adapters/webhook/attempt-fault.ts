import { errors } from 'undici'
import type { SendFailure } from '../../domain/delivery/webhook-sender.ts'

/** Ends an attempt with a code of its own; never leaves this folder. */
export class AttemptFault extends Error {
  readonly reason: SendFailure

  constructor(reason: SendFailure) {
    super(reason)
    this.name = 'AttemptFault'
    this.reason = reason
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** First what says most: who resets was there, who refuses has a host at least. */
const connectFailures: readonly (readonly [string, SendFailure])[] = [
  ['ECONNRESET', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['ECONNREFUSED', 'connection_refused'],
  ['ETIMEDOUT', 'connect_timeout'],
]

/** Names why no address of a host took a connection; there is an error for each that was tried. */
export const connectFailure = (tried: readonly Error[]): SendFailure => {
  const codes = tried.map(codeOf)
  const [, failure] = connectFailures.find(([code]) => codes.includes(code)) ?? []
  return failure ?? 'connection_failed'
}

/** Codes of Node, and of OpenSSL's X509_verify_cert ("TLS (SSL)", X509 certificate error codes, in Node's documentation). */
const tlsFailures: ReadonlyMap<string, SendFailure> = new Map([
  ['ECONNRESET', 'tls_reset'],
  ['EPIPE', 'tls_reset'],
  ['ETIMEDOUT', 'tls_timeout'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name_mismatch'],
  ['HOSTNAME_MISMATCH', 'tls_name_mismatch'],
  ['CERT_HAS_EXPIRED', 'tls_expired'],
  ['CERT_NOT_YET_VALID', 'tls_not_yet_valid'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_untrusted'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT', 'tls_untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_untrusted'],
  ['CERT_UNTRUSTED', 'tls_untrusted'],
  ['INVALID_CA', 'tls_untrusted'],
  // It was offered HTTP/1.1 alone (RFC 7301, section 3.2).
  ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'only_http2'],
  // What OpenSSL makes of bytes that are no record of TLS.
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_not_spoken'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls_not_spoken'],
  ['ERR_SSL_ENCRYPTED_LENGTH_TOO_LONG', 'tls_not_spoken'],
  ['ERR_SSL_BAD_RECORD_TYPE', 'tls_not_spoken'],
])

/** Names why a handshake failed. OpenSSL has codes without end: what is not listed is `tls_failed`. */
export const tlsFailure = (error: Error): SendFailure =>
  error instanceof AttemptFault ? error.reason : (tlsFailures.get(codeOf(error)) ?? 'tls_failed')

/**
 * undici's parser tells its faults apart in the message alone (its codes `HPE_…` are always undefined, 8.12); what is not
 * listed is `invalid_response`.
 */
const parserFailures: readonly (readonly [RegExp, SendFailure])[] = [
  [/Expected HTTP\//, 'not_http'],
  [/Content-Length/, 'content_length_invalid'],
]

const parserFailure = (error: Error): SendFailure => {
  const [, failure] = parserFailures.find(([pattern]) => pattern.test(error.message)) ?? []
  return failure ?? 'invalid_response'
}

const headFailures: ReadonlyMap<string, SendFailure> = new Map([
  ['UND_ERR_HEADERS_OVERFLOW', 'headers_too_large'],
  // undici's word for any fault of a head that has told a length before; nearly always it is the length.
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'content_length_invalid'],
])

const isTls = (code: string): boolean => code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')

/** Names why no head of an answer came over a connection; `begun`: a byte of it had come. */
export const exchangeFailure = (error: Error, begun: boolean): SendFailure => {
  if (error instanceof AttemptFault) return error.reason
  const code = codeOf(error)
  const failure = headFailures.get(code)
  if (failure !== undefined) return failure
  if (error instanceof errors.HTTPParserError) return parserFailure(error)
  // The system gave up on an established connection: nobody acknowledged what was sent.
  if (code === 'ETIMEDOUT') return begun ? 'head_timeout' : 'timeout'
  // undici has a code of its own for "closed".
  if (code === 'ECONNRESET' || code === 'EPIPE' || code.startsWith('UND_ERR_'))
    return begun ? 'head_cut_off' : 'connection_reset'
  return isTls(code) ? 'tls_failed' : 'connection_failed'
}

/** undici refused what we gave it: a fault of ours, not of the endpoint. */
export const isOurFault = (error: Error): boolean =>
  ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'].includes(
    codeOf(error),
  )
