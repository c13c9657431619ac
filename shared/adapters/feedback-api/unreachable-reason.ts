import { errors } from 'undici'
import type { UnreachableReason } from './errors.ts'

const reasonOfCode: Readonly<Record<string, UnreachableReason>> = {
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EAI_FAIL: 'dns_failed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  UND_ERR_HEADERS_OVERFLOW: 'invalid_response',
  EPROTO: 'tls_failed',
}

/** TLS codes of Node and OpenSSL, as CERT_HAS_EXPIRED, UNABLE_TO_VERIFY_LEAF_SIGNATURE, ERR_TLS_CERT_ALTNAME_INVALID. */
const tlsCode = /^ERR_(?:TLS|SSL)_|CERT|^UNABLE_TO_|_SIGNATURE/

/** Why a request brought no answer; null for what is no failure of the network, but a fault of ours. */
export function unreachableReason(error: unknown): { reason: UnreachableReason; detail: string } | null {
  // Its code is not always set.
  if (error instanceof errors.HTTPParserError) return { reason: 'invalid_response', detail: 'it was no HTTP' }
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG') return null
  if (code !== null) return { reason: reasonOf(code), detail: code }
  // What Node throws where each of several addresses failed in a way of its own.
  return error instanceof AggregateError
    ? { reason: 'connection_failed', detail: 'no address answered' }
    : null
}

function reasonOf(code: string): UnreachableReason {
  const known = Object.hasOwn(reasonOfCode, code) ? reasonOfCode[code] : undefined
  if (known !== undefined) return known
  return tlsCode.test(code) ? 'tls_failed' : 'connection_failed'
}

function codeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}
