import type { ServiceOptions } from './options.ts'

/** The window of section 8 of feedback-api.md: it begins with a key's first request. */
export const windowMs = 60_000
/** Keys of which windows are remembered; more only come from requests with made-up tokens. */
const keysMax = 1000

export type Allowance = {
  allowed: boolean
  /** Of X-RateLimit-* and Retry-After, in lower case. */
  headers: Record<string, string>
}

export type RateLimiter = {
  /** Counts a request of a key and says whether it is still within the limit. */
  spend(key: string, nowMs: number, options: ServiceOptions): Allowance
}

export const createRateLimiter = (): RateLimiter => {
  const windows = new Map<string, { startMs: number; used: number }>()

  const windowOf = (key: string, nowMs: number) => {
    const known = windows.get(key)
    if (known !== undefined && nowMs >= known.startMs && nowMs < known.startMs + windowMs) return known
    windows.delete(key)
    const oldest = windows.keys().next()
    if (windows.size >= keysMax && !oldest.done) windows.delete(oldest.value)
    const fresh = { startMs: nowMs, used: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return {
    spend: (key, nowMs, { rateLimit, reset }) => {
      // A lifted limit is not stated: a 0 would read as "nothing left".
      if (rateLimit === 0) return { allowed: true, headers: {} }
      const window = windowOf(key, nowMs)
      const allowed = window.used < rateLimit
      if (allowed) window.used += 1
      const resetMs = window.startMs + windowMs
      const secondsLeft = Math.max(1, Math.ceil((resetMs - nowMs) / 1000))
      const headers: Record<string, string> = {
        'x-ratelimit-limit': String(rateLimit),
        'x-ratelimit-remaining': String(rateLimit - window.used),
        'x-ratelimit-reset': String(reset === 'unix' ? Math.ceil(resetMs / 1000) : secondsLeft),
      }
      if (!allowed) headers['retry-after'] = String(secondsLeft)
      return { allowed, headers }
    },
  }
}
