import * as z from 'zod'
import {
  type CustomHeaders,
  checkCustomHeaders,
  splitHeaderLine,
} from '../../../shared/domain/endpoint/custom-headers.ts'
import type { Authorization } from '../../../shared/domain/endpoint/endpoint.ts'
import {
  heartbeatEverySecondsMax,
  heartbeatEverySecondsMin,
} from '../../../shared/domain/endpoint/heartbeat-interval.ts'
import { durationForms, parseDuration } from '../../local/durations.ts'
import { anyWord, checked } from '../values.ts'

/** One attempt in so many seconds: what is slower belongs to no webhook. */
const perSecondMin = 0.01
const perSecondMax = 10_000
const inFlightMax = 10_000
/** What ends heartbeats. */
const neverWord = 'never'

const limitOf = (form: RegExp, { min, max, right }: { min: number; max: number; right: string }) =>
  checked<number | null>(text => {
    if (text === anyWord) return { value: null }
    const value = form.test(text) ? Number(text) : Number.NaN
    const fits = value >= min && value <= max
    return fits
      ? { value }
      : { problem: `must be a ${right} from ${min} to ${max}, or ${anyWord} for no limit` }
  })

/** Null is a limit that is lifted. */
export const perSecondValue = limitOf(/^\d{1,5}(\.\d{1,3})?$/, {
  min: perSecondMin,
  max: perSecondMax,
  right: 'number',
})
export const inFlightValue = limitOf(/^\d{1,5}$/, { min: 1, max: inFlightMax, right: 'whole number' })

/** Seconds; null: none any more. */
export const heartbeatValue = checked<number | null>(text => {
  if (text === neverWord) return { value: null }
  const seconds = (parseDuration(text) ?? Number.NaN) / 1_000
  const fits =
    Number.isInteger(seconds) && seconds >= heartbeatEverySecondsMin && seconds <= heartbeatEverySecondsMax
  return fits
    ? { value: seconds }
    : { problem: `must be ${durationForms}, of 1m to 24h in whole seconds, or ${neverWord}` }
})

const schemes = ['basic', 'bearer'] as const satisfies readonly Authorization['scheme'][]
export const schemeValue = z.enum(schemes, { error: `must be ${schemes.join(' or ')}` })

type Headers = Extract<CustomHeaders, { kind: 'headers' }>['headers']

/** `name: value` of the command line, all of them. */
export const headerLinesValue = z.array(z.string()).transform((lines, context): Headers => {
  const split = lines.map(splitHeaderLine)
  const whole = split.filter(header => header !== null)
  // What has no colon may be a value alone: it is not told.
  const broken = split.length > whole.length ? ['must be name: value'] : []
  const given = checkCustomHeaders(whole)
  const problems = [...broken, ...(given.kind === 'invalid' ? given.problems : [])]
  if (given.kind === 'headers' && problems.length === 0) return given.headers
  for (const message of problems) context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** A value of any sort, for checking the names of those that are declared without one. */
const anyValue = 'x'

/** Headers of a file; null is one that keeps the value that it has. */
export const declaredHeadersValue = z
  .record(z.string(), z.union([z.string(), z.number().transform(String)]).nullable(), {
    error: 'must be values by name',
  })
  .transform((headers, context): Readonly<Record<string, string | null>> => {
    const given = Object.entries(headers)
    const read = checkCustomHeaders(given.map(([name, value]) => [name, value ?? anyValue]))
    if (read.kind === 'headers') {
      return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]))
    }
    for (const message of read.problems) context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
