import * as z from 'zod'
import { normalizeDomain } from '../../shared/domain/event/addresses.ts'
import { durationForms, parseDuration } from '../local/durations.ts'
import { checked, valueSchemas } from '../local/flag-values.ts'

export { checked } from '../local/flag-values.ts'

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Of a source or an endpoint: it is part of keys, of secrets' names and of file names. */
export const idValue = z.string().regex(idPattern, {
  error: 'must be letters, digits, _ and -, at most 64, and begin with a letter or a digit',
})

export const yesNoValue = z
  .enum(['yes', 'no'], { error: 'must be yes or no' })
  .transform(answer => answer === 'yes')

export const durationValue = (range: { minMs: number; maxMs: number; right: string }) =>
  checked<number>(text => {
    const ms = parseDuration(text)
    const fits = ms !== null && ms >= range.minMs && ms <= range.maxMs
    return fits ? { value: ms } : { problem: `must be ${durationForms}, ${range.right}` }
  })

/** A time as people write it: a moment, or how long ago. */
export type AskedTime = { kind: 'at'; ms: number } | { kind: 'ago'; ms: number }

const timeForms =
  'a time with its zone, as 2026-01-31T12:00:00Z, a day, as 2026-01-31, or how long ago, as 6h'

export const timeValue = checked<AskedTime>(text => {
  const agoMs = parseDuration(text)
  if (agoMs !== null) return { value: { kind: 'ago', ms: agoMs } }
  const isTime = z.iso.datetime({ offset: true }).or(z.iso.date()).safeParse(text).success
  const ms = Date.parse(text)
  return isTime && ms >= 0 ? { value: { kind: 'at', ms } } : { problem: `must be ${timeForms}` }
})

export const momentOf = (time: AskedTime, nowMs: number): number =>
  time.kind === 'at' ? time.ms : nowMs - time.ms

/** A text with commas, as a list without repeats. */
export const listOf = (text: string): string[] => [...new Set(text.split(',').map(part => part.trim()))]

/** What clears a filter. */
export const anyWord = 'any'

const filterOf = (isValue: (text: string) => boolean, right: string) =>
  checked<readonly string[] | null>(text => {
    const values = listOf(text)
    if (values.length === 1 && values[0] === anyWord) return { value: null }
    if (values.every(isValue)) return { value: values }
    return { problem: `must be ${right} with commas between them, or ${anyWord} for no such filter` }
  })

const domainPattern = /^(?=.{1,253}$)[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)+$/u

export const domainsValue = filterOf(
  text => domainPattern.test(normalizeDomain(text)),
  'domains, as example.com,mail.example.com,',
)
export const categoriesValue = filterOf(
  text => /^[\w .-]{1,100}$/.test(text),
  "the service's categories, as bad-mailbox,quota-issues,",
)
export const sourceIdsValue = filterOf(text => idPattern.test(text), 'ids of sources')

/** Those of `npm start`, so that one word takes one form everywhere. Addresses of endpoints are judged elsewhere. */
export const sharedValues = valueSchemas(false)
