import {
  type AnswerFacts,
  FeedbackApiError,
  type FeedbackFailure,
} from '../../domain/polling/feedback-api.ts'

/** An answer that was a refusal. `where` is method, origin and path; `said` is what the body says, masked. */
export type Refusal = {
  where: string
  status: number
  said: string
  facts: AnswerFacts
  retryAtMs: number | null
}

type Meaning = { code: string; failure: FeedbackFailure; hint: string }

abstract class RefusedRequest extends FeedbackApiError {
  constructor({ where, said, ...refusal }: Refusal, meaning: Meaning) {
    const saying = said === '' ? ', with an empty body' : `: ${said}`
    super({ ...refusal, ...meaning, message: `${where} was answered ${refusal.status}${saying}` })
  }
}

/** 401: the token is missing, unknown, or sent in a way that the service does not take. */
export class Unauthorized extends RefusedRequest {
  constructor(refusal: Refusal) {
    super(refusal, {
      code: 'feedback_unauthorized',
      failure: 'refused',
      hint: 'Check the API token and the auth scheme: Token, Bearer or X-API-Key. The contacts API takes X-API-Key only, and a token that is linked to a customer profile.',
    })
  }
}

/** 403: the token is known, but has no profile (field notes, "401 / 403"). */
export class Forbidden extends RefusedRequest {
  constructor(refusal: Refusal) {
    super(refusal, {
      code: 'feedback_forbidden',
      failure: 'refused',
      hint: 'The API token is known but not allowed here, as one without a customer profile: ask the account manager to link it.',
    })
  }
}

/** 422: a parameter failed validation. `fields` says which and why, `nonFieldErrors` what belongs to none. */
export class ValidationFailed extends RefusedRequest {
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly nonFieldErrors: readonly string[]

  constructor(
    refusal: Refusal,
    body: { fields: Readonly<Record<string, readonly string[]>>; nonFieldErrors: readonly string[] },
  ) {
    super(refusal, {
      code: 'feedback_validation_failed',
      failure: 'rejected',
      hint: 'The service refused a parameter. last_id: the anchor is unknown to it and another is tried. page_size or include_soft: leave the setting out.',
    })
    this.fields = body.fields
    this.nonFieldErrors = body.nonFieldErrors
  }
}

/** 429: `retryAtMs` is always set. */
export class RateLimited extends RefusedRequest {
  constructor(refusal: Refusal & { retryAtMs: number }) {
    super(refusal, {
      code: 'feedback_rate_limited',
      failure: 'rate_limited',
      hint: 'Nothing is asked before the time that the service named. If this repeats, others use the same API key: lower requests-per-minute.',
    })
  }
}

/** Any other 4xx. */
export class Rejected extends RefusedRequest {
  constructor(refusal: Refusal) {
    super(refusal, {
      code: 'feedback_rejected',
      failure: 'rejected',
      hint:
        refusal.status === 404
          ? 'Check the base URL and the path prefix (default /api/v2); a service may also answer so to an unknown last_id.'
          : 'The service refused the request as it stands; a service may answer so to an unknown last_id.',
    })
  }
}

/** 5xx. */
export class ServerError extends RefusedRequest {
  constructor(refusal: Refusal) {
    super(refusal, {
      code: 'feedback_server_error',
      failure: 'server_error',
      hint: 'The service failed; it is asked again. If this lasts, ask its support.',
    })
  }
}

/** 3xx, or a status outside HTTP's classes: never followed, for the token goes to the source's origin only. */
export class RedirectRefused extends RefusedRequest {
  constructor(refusal: Refusal & { target: string | null }) {
    const { target, ...rest } = refusal
    super(rest, {
      code: 'feedback_redirect_refused',
      failure: 'unreadable',
      hint:
        target === null
          ? 'Redirects are never followed. Check the base URL and the path prefix.'
          : `Redirects are never followed, as the token would go along. If the service really moved, set the base URL or the path prefix to match ${target}`,
    })
  }
}

/** Why there was no whole answer: stable words, the same as for endpoints where the cause is the same. */
export type UnreachableReason =
  | 'timeout'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_failed'
  | 'tls_failed'
  | 'invalid_response'
  /** The caller's signal ended it: the run is over. */
  | 'aborted'

const unreachableHints: Readonly<Record<UnreachableReason, string>> = {
  timeout: 'The service did not answer in time; it is asked again.',
  dns_failed: 'The host name of the base URL was not found: check its spelling and the name server.',
  connection_refused: 'Nothing listens there: check host and port of the base URL.',
  connection_reset: 'The connection broke before the answer was whole; the page is asked for again.',
  connection_failed: 'No connection to the service: check the network and the base URL.',
  tls_failed:
    'The certificate or the TLS handshake was refused: check that the base URL is https and its host name right.',
  invalid_response: 'What answers is no HTTP server: check scheme, host and port of the base URL.',
  aborted: 'The run that asked has ended; the next one asks again.',
}

/** No answer, or not a whole one. `reason` says why; `code` is `feedback_<reason>`. */
export class Unreachable extends FeedbackApiError {
  readonly reason: UnreachableReason

  constructor(fault: {
    where: string
    reason: UnreachableReason
    detail: string
    status: number | null
    facts?: AnswerFacts
  }) {
    const { where, reason, detail, ...rest } = fault
    super({
      ...rest,
      code: `feedback_${reason}`,
      failure: 'unreachable',
      message: `${where} brought no answer: ${detail}`,
      hint: unreachableHints[reason],
    })
    this.reason = reason
  }
}

/** An answer of 2xx that is no page. `problem` says where in it, and what would be right. */
export class UnreadablePage extends FeedbackApiError {
  constructor(fault: { where: string; problem: string; status: number; facts: AnswerFacts }) {
    const { where, problem, ...rest } = fault
    super({
      ...rest,
      code: 'feedback_unreadable_page',
      failure: 'unreadable',
      message: `${where} brought no readable page: ${problem}`,
      hint: 'Nothing was taken from it; it is asked for again. If this lasts, check the base URL and the path prefix: a page is a JSON object with an array "results".',
    })
  }
}

/** An answer over the bound: given up while it was being read. */
export class PageTooLarge extends FeedbackApiError {
  constructor(fault: { where: string; bytesMax: number; status: number; facts: AnswerFacts }) {
    const { where, bytesMax, ...rest } = fault
    super({
      ...rest,
      code: 'feedback_page_too_large',
      failure: 'unreachable',
      message: `${where} brought more than ${bytesMax} bytes`,
      hint: 'A page may not be larger than that: set a smaller page-size.',
    })
  }
}

/** The token can't go into a header: empty, or with characters that are not visible ASCII. Nothing was sent. */
export class TokenUnusable extends FeedbackApiError {
  constructor(where: string) {
    super({
      code: 'feedback_token_unusable',
      failure: 'refused',
      status: null,
      message: `${where} was not sent: the API token is empty, too long, or holds characters that no header can carry`,
      hint: 'Give the token as the service issued it: one word, without quotes, spaces or line breaks.',
    })
  }
}

/** The contacts API lies on another origin than the source, and the source's token must not go there. */
export class ContactsTokenMissing extends FeedbackApiError {
  constructor(origin: string) {
    super({
      code: 'feedback_contacts_token_missing',
      failure: 'refused',
      status: null,
      message: `No request was sent to ${origin}: it is another origin than the source's, and has no token of its own`,
      hint: 'Set a token for the contacts API.',
    })
  }
}
