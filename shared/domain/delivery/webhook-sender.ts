import type { Endpoint } from '../endpoint/endpoint.ts'

/** One signed POST: the bytes of `body` are the bytes that were signed. */
export type WebhookRequest = {
  endpoint: Pick<Endpoint, 'id' | 'url'>
  headers: Readonly<Record<string, string>>
  body: string
  /** For everything from DNS to the last byte that is read. */
  deadlineMs: number
}

/** Why there is no answer: stable codes, shown to people and listed in the README. */
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
      kind: 'answered'
      status: number
      /** `Retry-After` as a Unix time in milliseconds, of whatever status. */
      retryAtMs: number | null
      /** The first bytes of the answer, as text; at most `answerKeptBytesMax`. */
      answer: string
    }
  | { kind: 'failed'; reason: SendFailure }
)

export interface WebhookSender {
  send(request: WebhookRequest): Promise<SendResult>
}
