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
 * Why there is no answer: stable codes, shown to people and listed in the README.
 * - `timeout`: the deadline passed, be it before a byte or in the middle of the body
 * - `dns_failed`, `dns_timeout`: the host's name has no address; the resolver did not answer in time
 * - `address_refused`: the host is, or one of its addresses is, none that we connect to (loopback, private, ...)
 * - `url_refused`: the URL itself is none that we send to
 * - `connection_refused`, `connection_reset`: as TCP has it; reset also where it was closed before a byte came
 * - `connection_failed`: no way to the host, or no socket for it
 * - `tls_failed`: no handshake, or a certificate that is not trusted or not this host's
 * - `invalid_response`: what came is not HTTP/1.1, is cut off within its head, or has too large a head
 */
export type SendFailure =
  | 'timeout'
  | 'dns_failed'
  | 'dns_timeout'
  | 'address_refused'
  | 'url_refused'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'tls_failed'
  | 'invalid_response'

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
