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

const socketFailures: ReadonlyMap<string, SendFailure> = new Map([
  ['ECONNREFUSED', 'connection_refused'],
  ['ECONNRESET', 'connection_reset'],
  ['EPIPE', 'connection_reset'],
  ['ETIMEDOUT', 'timeout'],
  ['ABORT_ERR', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
])

const isTls = (code: string): boolean => code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')

/** Names why no connection came about. */
export const connectFailure = (error: Error, protocol: string): SendFailure => {
  if (error instanceof AttemptFault) return error.reason
  // Several addresses were tried: refused says most, since somebody was there.
  const codes = error instanceof AggregateError ? error.errors.map(codeOf) : [codeOf(error)]
  for (const [code, failure] of socketFailures) if (codes.includes(code)) return failure
  // What TLS finds (trust, name, dates) has codes of OpenSSL without end, but never a system call.
  const ofSystem = error instanceof AggregateError || 'syscall' in error
  return protocol === 'https:' && (!ofSystem || codes.includes('EPROTO')) ? 'tls_failed' : 'connection_failed'
}

/** Names why no head of an answer came over a connection; `begun`: a byte of it had come. */
export const exchangeFailure = (error: Error, begun: boolean): SendFailure => {
  if (error instanceof AttemptFault) return error.reason
  const code = codeOf(error)
  const failure = socketFailures.get(code)
  if (failure !== undefined) return failure
  if (error instanceof errors.HTTPParserError || code === 'UND_ERR_HEADERS_OVERFLOW')
    return 'invalid_response'
  // undici's "closed": cut off within the head, or an upgrade that nobody asked for, where the answer had begun.
  if (code.startsWith('UND_ERR_')) return begun ? 'invalid_response' : 'connection_reset'
  return isTls(code) ? 'tls_failed' : 'connection_failed'
}

/** undici refused what we gave it: a fault of ours, not of the endpoint. */
export const isOurFault = (error: Error): boolean =>
  ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'].includes(
    codeOf(error),
  )
