import { describe, expect, it } from 'vitest'
import {
  Forbidden,
  RateLimited,
  RedirectRefused,
  Rejected,
  ServerError,
  Unauthorized,
  ValidationFailed,
} from '../../../shared/adapters/feedback-api/errors.ts'
import { createMask } from '../../../shared/adapters/feedback-api/mask.ts'
import { refusalOf } from '../../../shared/adapters/feedback-api/refusals.ts'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { answerOf, atMs, where } from './answers.ts'

const token = 'secret-token'
const refusal = (status: number, body = '', headers: Record<string, string> = {}) =>
  refusalOf(answerOf(status, body, headers), where, createMask([token]))

describe('an answer outside 2xx', () => {
  it.each([
    [301, RedirectRefused, 'feedback_redirect_refused', 'unreadable'],
    [304, RedirectRefused, 'feedback_redirect_refused', 'unreadable'],
    [308, RedirectRefused, 'feedback_redirect_refused', 'unreadable'],
    [400, Rejected, 'feedback_rejected', 'rejected'],
    [401, Unauthorized, 'feedback_unauthorized', 'refused'],
    [403, Forbidden, 'feedback_forbidden', 'refused'],
    [404, Rejected, 'feedback_rejected', 'rejected'],
    [410, Rejected, 'feedback_rejected', 'rejected'],
    [422, ValidationFailed, 'feedback_validation_failed', 'rejected'],
    [429, RateLimited, 'feedback_rate_limited', 'rate_limited'],
    [499, Rejected, 'feedback_rejected', 'rejected'],
    [500, ServerError, 'feedback_server_error', 'server_error'],
    [503, ServerError, 'feedback_server_error', 'server_error'],
    [599, ServerError, 'feedback_server_error', 'server_error'],
  ])(
    'of %i is an error of its own name, with a code, a failure and a hint',
    (status, kind, code, failure) => {
      const error = refusal(status, '{"detail":"Because."}')
      expect(error).toBeInstanceOf(kind)
      expect(error).toBeInstanceOf(FeedbackApiError)
      expect(error.name).toBe(kind.name)
      expect({ code: error.code, failure: error.failure, status: error.status }).toEqual({
        code,
        failure,
        status,
      })
      expect(error.message).toBe(`${where} was answered ${status}: Because.`)
      expect(error.hint.length).toBeGreaterThan(20)
    },
  )

  it('says so where its body is empty', () => {
    expect(refusal(502).message).toBe(`${where} was answered 502, with an empty body`)
  })

  it('keeps what the headers say', () => {
    const error = refusal(500, '', {
      date: 'Fri, 20 Nov 2026 09:30:00 GMT',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '11',
      'retry-after': '5',
    })
    expect(error.facts).toEqual({
      serverDateMs: atMs,
      rateLimit: { limit: 60, remaining: 7, resetAtMs: atMs + 11_000 },
    })
    expect(error.retryAtMs).toBe(atMs + 5000)
    expect(refusal(500).retryAtMs).toBeNull()
  })

  it('of 429 always says when to ask again: Retry-After, else the reset, else a minute', () => {
    const body = '{"errors": ["Too many requests."]}'
    expect(refusal(429, body, { 'retry-after': '9', 'x-ratelimit-reset': '20' }).retryAtMs).toBe(atMs + 9000)
    expect(refusal(429, body, { 'x-ratelimit-reset': '20' }).retryAtMs).toBe(atMs + 20_000)
    expect(refusal(429, body).retryAtMs).toBe(atMs + 60_000)
  })

  it('of 422 says which field is wrong, and what belongs to none', () => {
    const error = refusal(422, '{"last_id":["Unknown."],"non_field_errors":["No."]}')
    if (!(error instanceof ValidationFailed)) throw error
    expect(error.fields).toEqual({ last_id: ['Unknown.'] })
    expect(error.nonFieldErrors).toEqual(['No.'])
    expect(error.message).toBe(`${where} was answered 422: No.; last_id: Unknown.`)
  })

  it('that redirects says where to in its hint, without the query', () => {
    const error = refusal(302, '', { location: `https://other.example/api/v3?api_key=${token}` })
    expect(error.hint).toContain('https://other.example/api/v3')
    expect(error.hint).not.toContain('api_key')
    expect(refusal(302).hint).not.toContain('null')
  })

  it.each([301, 400, 401, 403, 404, 422, 429, 500])('of %i never repeats the token or an address', status => {
    const echo = `${token} for jo@example.com`
    for (const body of [echo, `{"detail":"${echo}"}`, `{"${token}":["${echo}"]}`, `<p>${echo}</p>`]) {
      const error = refusal(status, body, { location: `https://h/${token}/${echo}` })
      const all = `${error.message} ${error.hint} ${JSON.stringify(error)} ${error.stack}`
      expect(all).not.toContain(token)
      expect(all).not.toContain('jo@')
      expect(all).toContain('[token]')
    }
  })
})
