import * as z from 'zod'
import { parseEndpointUrl } from '../../shared/domain/endpoint/endpoint-url.ts'
import { noTypes, parseTypePattern } from '../../shared/domain/event/subscriptions.ts'
import { parseSecret } from '../../shared/domain/signing/signing-keys.ts'
import { authSchemes, type StartAt } from '../../shared/domain/source.ts'
import { durationForms, parseDuration } from './durations.ts'

const pageSizeMax = 1_000
const requestsPerMinuteMax = 1_000_000
const pollEverySecondsMin = 0.1
const pollEverySecondsMax = 3_600
const overlapSecondsMax = 86_400
const deadlineSecondsMin = 0.1
/** The dispatcher's time-out is 60 s: an attempt must end before it, and be recorded. */
const deadlineSecondsMax = 45
const retriesMax = 100
const retryDelayMsMin = 1
const retryDelayMsMax = 7 * 86_400_000

const number = (range: { min: number; max: number; whole: boolean }) => {
  const { min, max, whole } = range
  const form = whole ? /^\d{1,9}$/ : /^\d{1,9}(\.\d{1,3})?$/
  const error = `must be a ${whole ? 'whole ' : ''}number from ${min} to ${max}`
  return z
    .string()
    .regex(form, { error })
    .transform(Number)
    .refine(value => value >= min && value <= max, { error })
}

/** A check that says what is wrong, as zod's own do. */
export const checked = <T>(read: (text: string) => { value: T } | { problem: string }) =>
  z.string().transform((text, context): T => {
    const result = read(text)
    if ('value' in result) return result.value
    context.addIssue({ code: 'custom', message: result.problem })
    return z.NEVER
  })

const list = (text: string): string[] => text.split(',').map(part => part.trim())

const sourceUrl = checked(text => {
  const right = 'must be scheme, host and port, as https://api.example.com'
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return { problem: right }
  if (url.username !== '' || url.password !== '') {
    return {
      problem: `${right}; this one holds a user name or password, but the token has a flag of its own`,
    }
  }
  if (url.pathname !== '/') return { problem: `${right}; what comes after the host belongs to --path-prefix` }
  if (url.search !== '' || url.hash !== '') return { problem: `${right}; this one has a query or a fragment` }
  return { value: url.origin }
})

const pathPrefix = z
  .string()
  .regex(/^(\/[^\s/?#]+)*\/?$/, { error: 'must be empty, or like /api/v2' })
  .transform(path => path.replace(/\/$/, ''))

const startAt = checked<StartAt>(text => {
  if (text === 'latest' || text === 'earliest') return { value: { kind: text } }
  const isTime = z.iso.datetime({ offset: true }).or(z.iso.date()).safeParse(text).success
  const second = Math.floor(Date.parse(text) / 1_000)
  if (isTime && second >= 0) return { value: { kind: 'time', second } }
  return { problem: 'must be latest, earliest, or a time with its zone, as 2026-01-31T12:00:00Z' }
})

const types = checked<string[]>(text => {
  const texts = list(text)
  const parsed = texts.map(parseTypePattern)
  const wrong = texts.filter((_, at) => parsed[at]?.kind === 'invalid')
  if (wrong.length > 0) return { problem: noTypes(wrong) }
  return { value: parsed.flatMap(result => (result.kind === 'pattern' ? [result.pattern] : [])) }
})

const retrySchedule = checked<number[]>(text => {
  const delays = list(text).map(parseDuration)
  const right = `must be waits with commas between them, each ${durationForms}`
  const usable = delays.filter(ms => ms !== null && ms >= retryDelayMsMin && ms <= retryDelayMsMax)
  if (usable.length !== delays.length) return { problem: `${right}, of at most 7d` }
  if (delays.length > retriesMax) return { problem: `${right}; at most ${retriesMax} of them` }
  return { value: usable.flatMap(ms => ms ?? []) }
})

const secret = checked(text => {
  const parsed = parseSecret(text)
  return parsed.kind === 'key' ? { value: text.trim() } : { problem: parsed.problem }
})

const endpointUrl = (allowPrivate: boolean) =>
  checked(text => {
    const parsed = parseEndpointUrl(text, { allowPrivate })
    if (parsed.ok) return { value: parsed.url.href }
    const wouldDo = !allowPrivate && parseEndpointUrl(text, { allowPrivate: true }).ok
    const hint = wouldDo ? ' (or give --allow-private-endpoints, which allows this one)' : ''
    return { problem: `${parsed.problem}${hint}` }
  })

const token = z
  .string()
  .max(8_192, { error: 'must have at most 8192 characters' })
  .regex(/^[\x21-\x7e]+$/, { error: 'must be visible ASCII characters without spaces' })

/** What each flag takes. Its message says what is right, and never repeats a value that may be secret. */
export const valueSchemas = (allowPrivate: boolean) => ({
  'source-url': sourceUrl,
  token,
  'auth-scheme': z.enum(authSchemes, {
    error: `must be ${authSchemes.join(', ').replace(/, ([^,]*)$/, ' or $1')}`,
  }),
  'path-prefix': pathPrefix,
  'page-size': number({ min: 1, max: pageSizeMax, whole: true }),
  'start-at': startAt,
  'poll-every': number({ min: pollEverySecondsMin, max: pollEverySecondsMax, whole: false }),
  overlap: number({ min: 0, max: overlapSecondsMax, whole: true }),
  'requests-per-minute': number({ min: 1, max: requestsPerMinuteMax, whole: true }),
  types,
  'retry-schedule': retrySchedule,
  deadline: number({ min: deadlineSecondsMin, max: deadlineSecondsMax, whole: false }),
  data: z.string().min(1, { error: 'must name a folder' }),
  endpoint: endpointUrl(allowPrivate),
  secret,
})
