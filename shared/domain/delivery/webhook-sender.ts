import type { Endpoint } from '../endpoint/endpoint.ts'

/** One signed POST: the bytes of `body` are the bytes that were signed. */
export type WebhookRequest = {
  endpoint: Pick<Endpoint, 'id' | 'url'>
  headers: Readonly<Record<string, string>>
  body: string
  /** For everything from DNS to the last byte that is read. */
  deadlineMs: number
}

/** Of an answer's body: read at most (then the connection is closed and the status counts), and kept. */
export const answerReadBytesMax = 16_384
export const answerKeptBytesMax = 1_024

/**
 * The deadline (or that of the resolver) passed, each in a phase of its own: waiting for one of our connections to the
 * host, asking DNS, connecting, in the TLS handshake, before a byte of the answer, in its head, in its body.
 */
const timeouts = [
  'connections_busy',
  'dns_timeout',
  'connect_timeout',
  'tls_timeout',
  'timeout',
  'head_timeout',
  'body_timeout',
] as const

/** Why there is no answer: stable codes, shown to people; `reasons.ts` says what each means. */
export type SendFailure =
  | (typeof timeouts)[number]
  | 'dns_failed'
  | 'dns_not_found'
  | 'address_refused'
  | 'url_refused'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'tls_reset'
  | 'tls_not_spoken'
  | 'tls_untrusted'
  | 'tls_expired'
  | 'tls_not_yet_valid'
  | 'tls_name_mismatch'
  | 'tls_failed'
  | 'not_http'
  | 'only_http2'
  | 'head_cut_off'
  | 'headers_too_large'
  | 'content_length_invalid'
  | 'interim_endless'
  | 'protocol_switch'
  | 'invalid_response'

/** Whether the attempt ended because its time did: such an endpoint holds others up, whatever the phase. */
export const isTimeout = (reason: string): boolean => timeouts.some(timeout => timeout === reason)

/** What one attempt met. The sender never throws for what an endpoint does. */
export type SendResult = {
  /** Milliseconds from the start to the end of the attempt. */
  tookMs: number
} & (
  | {
      /** The whole head of an answer came. A body that breaks off, or that is over the bound, does not undo it. */
      kind: 'answered'
      status: number
      /** `Retry-After` as a Unix time in milliseconds, of whatever status. */
      retryAtMs: number | null
      /** The first bytes of the answer's body, as harmless text; at most `answerKeptBytesMax` in UTF-8. */
      answer: string
    }
  | { kind: 'failed'; reason: SendFailure }
)

export interface WebhookSender {
  send(request: WebhookRequest): Promise<SendResult>
}
