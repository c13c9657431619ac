/** More than this is taken as this: a year, in seconds. The retry policy has a bound of its own. */
const retryAfterSecondsMax = 31_536_000

const httpDay = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /

/** An HTTP date (RFC 9110, section 5.6.7, all three forms) as Unix milliseconds; null where it is none. */
const parseHttpDate = (text: string): number | null => {
  if (!httpDay.test(text)) return null
  // The form without a zone (asctime) means GMT, where Date.parse would take the machine's.
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? null : ms
}

/**
 * Reads `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, as Unix milliseconds on our clock; null where
 * there is none or it makes no sense. A date is measured from the answer's own `Date` where there is one, so that the
 * endpoint's clock may be wrong.
 */
export const parseRetryAfter = (
  headers: { retryAfter: string | undefined; date: string | undefined },
  nowMs: number,
): number | null => {
  const text = headers.retryAfter?.trim() ?? ''
  const inSeconds = (seconds: number) => nowMs + Math.min(seconds, retryAfterSecondsMax) * 1_000
  if (/^\d+(\.\d+)?$/.test(text)) return inSeconds(Number(text))
  const atMs = parseHttpDate(text)
  if (atMs === null) return null
  const theirNowMs = parseHttpDate(headers.date ?? '') ?? nowMs
  return inSeconds(Math.max(0, (atMs - theirNowMs) / 1_000))
}
