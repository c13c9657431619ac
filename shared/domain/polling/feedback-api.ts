import { BridgeError } from '../bridge-error.ts'
import type { RawRecord } from '../feedback/record.ts'
import type { StreamName } from '../source.ts'

/** What the service says of its limit (feedback-api.md, section 8), with the reset as a Unix time. */
export type RateLimit = { limit: number | null; remaining: number | null; resetAtMs: number | null }

/** What every answer says beside its body, an error's too. */
export type AnswerFacts = {
  /** The service's `Date` header as Unix milliseconds; null where it sent none. */
  serverDateMs: number | null
  rateLimit: RateLimit | null
}

export type Page = AnswerFacts & {
  records: readonly RawRecord[]
  /** `next` as the service gave it, or null on the last page. Only its query is ever used. */
  next: string | null
  bytes: number
}

/** Which page: the first one after a record, or the one that a `next` named. */
export type PageRequest = {
  stream: StreamName
  order: 'asc' | 'desc'
  lastId: string | null
  /** The query of a `next` (without `?`); it replaces order and last_id. */
  nextQuery: string | null
}

/** The lists of one source. Throws a `FeedbackApiError`, and nothing else that is expected. */
export interface FeedbackApi {
  listPage(request: PageRequest, signal?: AbortSignal): Promise<Page>
}

/** What went wrong with a request, by what the poller does about it. */
export type FeedbackFailure =
  /** 401 or 403: asked again, seldom. */
  | 'refused'
  /** 429: not before `retryAtMs`. */
  | 'rate_limited'
  /** Any other 4xx: with `last_id` set, the anchor may be unknown to the service. */
  | 'rejected'
  /** 5xx. */
  | 'server_error'
  /** No answer, or no whole one: time-out, reset, DNS, too many bytes. */
  | 'unreachable'
  /** An answer that is no page: nothing moves. */
  | 'unreadable'

/** A request to the email service that brought no page; subclasses name the status, `hint` what to do. */
export class FeedbackApiError extends BridgeError {
  readonly failure: FeedbackFailure
  /** The HTTP status, or null where there was no answer. */
  readonly status: number | null
  readonly facts: AnswerFacts
  /** From `Retry-After`, as a Unix time in milliseconds. */
  readonly retryAtMs: number | null

  constructor(fault: {
    code: string
    message: string
    hint: string
    failure: FeedbackFailure
    status: number | null
    facts?: AnswerFacts
    retryAtMs?: number | null
    cause?: unknown
  }) {
    super(fault)
    this.failure = fault.failure
    this.status = fault.status
    this.facts = fault.facts ?? { serverDateMs: null, rateLimit: null }
    this.retryAtMs = fault.retryAtMs ?? null
  }
}
