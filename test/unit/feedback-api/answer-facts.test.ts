import { describe, expect, it } from 'vitest'
import { answerFacts, retryAtMs } from '../../../shared/adapters/feedback-api/answer-facts.ts'

const nowMs = Date.UTC(2026, 10, 20, 9, 30, 0)
const rateLimit = (headers: Record<string, string>) => answerFacts(headers, nowMs).rateLimit

describe('the facts of an answer', () => {
  it('are null where the service sent no headers', () => {
    expect(answerFacts({}, nowMs)).toEqual({ serverDateMs: null, rateLimit: null })
  })

  it('hold the Date of the service as milliseconds', () => {
    expect(answerFacts({ date: 'Fri, 20 Nov 2026 09:29:58 GMT' }, nowMs).serverDateMs).toBe(nowMs - 2000)
  })

  it.each(['yesterday', '', '60', '2026'])('hold no Date where the header is "%s"', date => {
    expect(answerFacts({ date }, nowMs).serverDateMs).toBeNull()
  })

  it('take a small reset for seconds from now', () => {
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '42' }
    expect(rateLimit(headers)).toEqual({ limit: 60, remaining: 59, resetAtMs: nowMs + 42_000 })
    expect(rateLimit({ 'x-ratelimit-reset': '0.5' })?.resetAtMs).toBe(nowMs + 500)
    expect(rateLimit({ 'x-ratelimit-reset': '999999999' })?.resetAtMs).toBe(nowMs + 999_999_999_000)
  })

  it('take a large reset for a Unix time, in seconds or milliseconds by magnitude', () => {
    const resetAtMs = nowMs + 42_000
    expect(rateLimit({ 'x-ratelimit-reset': String(resetAtMs / 1000) })?.resetAtMs).toBe(resetAtMs)
    expect(rateLimit({ 'x-ratelimit-reset': String(resetAtMs) })?.resetAtMs).toBe(resetAtMs)
    expect(rateLimit({ 'x-ratelimit-reset': '1000000000' })?.resetAtMs).toBe(1e12)
  })

  it('move a time of the service to our clock by its Date', () => {
    const date = 'Fri, 20 Nov 2026 10:30:00 GMT' // an hour ahead of us
    const reset = String((nowMs + 3_600_000 + 42_000) / 1000)
    expect(rateLimit({ date, 'x-ratelimit-reset': reset })?.resetAtMs).toBe(nowMs + 42_000)
    expect(retryAtMs({ date, 'retry-after': 'Fri, 20 Nov 2026 10:30:30 GMT' }, nowMs)).toBe(nowMs + 30_000)
  })

  it.each(['soon', '-1', '', 'NaN', '0x10', '1e9', '9'.repeat(400), '60, 60'])(
    'say null for the garbage "%s"',
    text => {
      const headers = { 'x-ratelimit-limit': text, 'x-ratelimit-remaining': text, 'x-ratelimit-reset': text }
      expect(rateLimit(headers)).toEqual({ limit: null, remaining: null, resetAtMs: null })
      expect(retryAtMs({ 'retry-after': text }, nowMs)).toBeNull()
    },
  )

  it('take the first of repeated headers', () => {
    expect(answerFacts({ 'x-ratelimit-remaining': ['3', '4'] }, nowMs).rateLimit?.remaining).toBe(3)
  })
})

describe('Retry-After', () => {
  it('is seconds from now, or an HTTP date', () => {
    expect(retryAtMs({ 'retry-after': '30' }, nowMs)).toBe(nowMs + 30_000)
    expect(retryAtMs({ 'retry-after': '0' }, nowMs)).toBe(nowMs)
    expect(retryAtMs({ 'retry-after': 'Fri, 20 Nov 2026 09:31:00 GMT' }, nowMs)).toBe(nowMs + 60_000)
    expect(retryAtMs({}, nowMs)).toBeNull()
  })
})
