import * as z from 'zod'
import { eventDay } from '../../../shared/domain/feedback/event-id.ts'
import { eventLifeDays } from '../../../shared/domain/polling/event-log.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'
import { UsageError } from '../failures.ts'
import { argument, optional, toggle } from '../input.ts'
import { type AskedTime, checked, idValue, momentOf, timeValue } from '../values.ts'
import type { SecondRange } from './in-order.ts'

const limitMax = 1_000_000
export const limitDefault = 50

/** The service keeps records for 30 days: an event may be so much older than its place in the log. */
const oldestRecordDays = 35
const lookBackSeconds = (eventLifeDays + oldestRecordDays) * daySeconds

const orders = ['newest', 'oldest'] as const

export const orderFlag = optional(z.enum(orders, { error: `must be ${orders.join(' or ')}` }), {
  value: 'ORDER',
  text: 'newest or oldest first (default newest)',
})

const limitError = `must be a whole number from 1 to ${limitMax}`
export const limitFlags = {
  limit: optional(
    checked<number>(text => {
      const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0
      return limit >= 1 && limit <= limitMax ? { value: limit } : { problem: limitError }
    }),
    { value: 'N', text: `show N at most (default ${limitDefault})` },
  ),
  all: toggle('show all, as they are found'),
}

export const limitOf = (input: { limit?: number | undefined; all?: true | undefined }): number | null => {
  if (input.limit !== undefined && input.all) throw new UsageError(['--limit and --all: give one of them'])
  return input.all ? null : (input.limit ?? limitDefault)
}

export const timeFlags = {
  since: optional(timeValue, {
    value: 'TIME',
    text: "from this time on, the service's: a time with its zone, a day, or how long ago, as 6h",
  }),
  until: optional(timeValue, { value: 'TIME', text: 'up to this time' }),
}

/** The seconds that are asked for; throws a `UsageError` for none. Without a flag, all that the log may hold. */
export const rangeOf = (
  { since, until }: { since?: AskedTime | undefined; until?: AskedTime | undefined },
  nowMs: number,
): SecondRange => {
  const nowSecond = Math.floor(nowMs / 1_000)
  // A service whose clock is ahead of ours has records of tomorrow.
  const [first, last] = [nowSecond - lookBackSeconds, nowSecond + daySeconds]
  const second = (time: AskedTime | undefined, otherwise: number): number =>
    time === undefined ? otherwise : Math.floor(momentOf(time, nowMs) / 1_000)
  const range = { fromSecond: second(since, first), toSecond: second(until, last) }
  if (range.fromSecond > range.toSecond) throw new UsageError(['--since: must be before --until'])
  return { fromSecond: Math.max(range.fromSecond, first), toSecond: Math.min(range.toSecond, last) }
}

export const streamFlag = optional(z.enum(streamNames, { error: `must be ${streamNames.join(' or ')}` }), {
  value: 'STREAM',
  text: `of this stream alone: ${streamNames.join(' or ')}`,
})

export const sourceFlag = optional(idValue, { value: 'ID', text: 'of this source alone' })

/** As the domain knows them: whether a text is an event id, reading its day tells. */
export const isEventId = (text: string): boolean => {
  try {
    eventDay(text)
    return true
  } catch {
    return false
  }
}

export const eventIdValue = z
  .string()
  .refine(isEventId, { error: 'must be evt_ and 26 letters and digits in upper case' })

export const eventIdArgument = argument(eventIdValue, { value: 'EVENT', text: "the event's id" })

export const endpointFlag = optional(idValue, { value: 'ID', text: 'for this endpoint alone' })
