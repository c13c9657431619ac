import type { FeedbackApiError } from '../../domain/polling/feedback-api.ts'
import { answerFacts, first, retryAtMs } from './answer-facts.ts'
import { readErrorBody } from './error-body.ts'
import {
  Forbidden,
  RateLimited,
  RedirectRefused,
  Rejected,
  ServerError,
  Unauthorized,
  ValidationFailed,
} from './errors.ts'
import type { Answer } from './exchange.ts'
import { type Mask, shown } from './mask.ts'

/** The window of the service's limit (feedback-api.md, section 8): waited for where a 429 names no time. */
const limitWindowMs = 60_000

/** The error that an answer outside 2xx stands for: one class for each status of feedback-api.md, section 7. */
export function refusalOf(answer: Answer, where: string, mask: Mask): FeedbackApiError {
  const { status, headers, atMs } = answer
  const facts = answerFacts(headers, atMs)
  const body = readErrorBody(answer.text(), mask)
  const refusal = { where, status, said: body.said, facts, retryAtMs: retryAtMs(headers, atMs) }
  if (status === 401) return new Unauthorized(refusal)
  if (status === 403) return new Forbidden(refusal)
  if (status === 422) return new ValidationFailed(refusal, body)
  if (status === 429) {
    const resetAtMs = facts.rateLimit?.resetAtMs ?? null
    return new RateLimited({
      ...refusal,
      retryAtMs: refusal.retryAtMs ?? resetAtMs ?? atMs + limitWindowMs,
    })
  }
  if (status >= 400 && status < 500) return new Rejected(refusal)
  if (status >= 500 && status < 600) return new ServerError(refusal)
  return new RedirectRefused({ ...refusal, target: targetOf(first(headers, 'location'), mask) })
}

/** Where a redirect points, without its query, in which a service may repeat what it was sent. */
function targetOf(location: string | null, mask: Mask): string | null {
  if (location === null) return null
  const withoutQuery = location.replace(/[?#].*$/s, '')
  return withoutQuery === '' ? null : shown(withoutQuery, mask)
}
