import type { AnswerFacts, RateLimit } from '../../domain/polling/feedback-api.ts'

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Below this, `X-RateLimit-Reset` is seconds from now, else a Unix time (field notes). */
const resetIsTimeFrom = 1e9
/** From this on, a Unix time is in milliseconds (field notes, "timelogged": the same magnitude). */
const timeIsMillisecondsFrom = 1e11

const plainNumber = /^\d{1,15}(?:\.\d{1,9})?$/
const httpDate = /^[a-z]{3,9},? .*\d/i

/** What an answer's headers say beside its body (feedback-api.md, section 8). `nowMs`: when the answer came. */
export function answerFacts(headers: AnswerHeaders, nowMs: number): AnswerFacts {
  const serverDateMs = dateOf(first(headers, 'date'))
  return { serverDateMs, rateLimit: rateLimitOf(headers, serverDateMs, nowMs) }
}

function rateLimitOf(headers: AnswerHeaders, serverDateMs: number | null, nowMs: number): RateLimit | null {
  const limit = first(headers, 'x-ratelimit-limit')
  const remaining = first(headers, 'x-ratelimit-remaining')
  const reset = first(headers, 'x-ratelimit-reset')
  if (limit === null && remaining === null && reset === null) return null
  return {
    limit: wholeOf(limit),
    remaining: wholeOf(remaining),
    resetAtMs: resetOf(reset, serverDateMs, nowMs),
  }
}

function resetOf(text: string | null, serverDateMs: number | null, nowMs: number): number | null {
  const value = numberOf(text)
  if (value === null) return null
  if (value < resetIsTimeFrom) return nowMs + Math.ceil(value * 1000)
  const timeMs = value < timeIsMillisecondsFrom ? Math.ceil(value * 1000) : Math.ceil(value)
  return onOurClock(timeMs, serverDateMs, nowMs)
}

/** `Retry-After`, seconds or an HTTP date, as a Unix time in milliseconds on our clock; null where it says nothing. */
export function retryAtMs(headers: AnswerHeaders, nowMs: number): number | null {
  const text = first(headers, 'retry-after')
  const seconds = numberOf(text)
  if (seconds !== null) return nowMs + Math.ceil(seconds * 1000)
  const dateMs = dateOf(text)
  return dateMs === null ? null : onOurClock(dateMs, dateOf(first(headers, 'date')), nowMs)
}

/** The service means its own clock; its `Date` says how far ours is from it. */
function onOurClock(timeMs: number, serverDateMs: number | null, nowMs: number): number {
  return serverDateMs === null ? timeMs : timeMs - serverDateMs + nowMs
}

/** A header's value, the first of several, without surrounding space; null where there is none. */
export function first(headers: AnswerHeaders, name: string): string | null {
  const value = headers[name]
  const one = Array.isArray(value) ? value[0] : value
  return one === undefined ? null : one.trim()
}

function numberOf(text: string | null): number | null {
  return text !== null && plainNumber.test(text) ? Number(text) : null
}

function wholeOf(text: string | null): number | null {
  const value = numberOf(text)
  return value === null ? null : Math.floor(value)
}

function dateOf(text: string | null): number | null {
  // Date.parse takes nearly anything for a date, "60" for one: only what looks like an HTTP date is asked.
  if (text === null || !httpDate.test(text)) return null
  const ms = Date.parse(text)
  return Number.isFinite(ms) ? ms : null
}
