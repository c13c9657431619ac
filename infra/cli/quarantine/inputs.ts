import * as z from 'zod'
import { sourceFlag, streamFlag } from '../events/inputs.ts'
import { UsageError } from '../failures.ts'
import { argument, optional, toggle } from '../input.ts'
import { momentOf, timeValue } from '../values.ts'
import type { Selection } from './find-records.ts'

const hashValue = z
  .string()
  .regex(/^[0-9a-f]{6,64}$/, { error: 'must be a hash, or at least its first 6 digits, as list shows them' })

const hashHelp = { value: 'HASH', text: "the record's hash, or how it begins" }
export const hashArgument = argument(hashValue, hashHelp)

/** Which records are meant. */
export const selectionFlags = {
  source: sourceFlag,
  stream: streamFlag,
  reason: optional(z.string().min(1), {
    value: 'REASON',
    text: 'kept for this reason alone, as no_usable_time',
  }),
  since: optional(timeValue, {
    value: 'TIME',
    text: 'kept since then: a time with its zone, a day, or how long ago, as 6h',
  }),
  until: optional(timeValue, { value: 'TIME', text: 'kept up to then' }),
}

const selectionSchema = z.object(selectionFlags)

/** Throws a `UsageError` for a time that ends before it begins. */
export const selectionOf = (given: z.output<typeof selectionSchema>, nowMs: number): Selection => {
  const fromMs = given.since === undefined ? 0 : momentOf(given.since, nowMs)
  // What comes while the command runs is left for the next one.
  const toMs = given.until === undefined ? nowMs : momentOf(given.until, nowMs)
  if (fromMs > toMs) throw new UsageError(['--since: must be before --until'])
  const { source = null, stream = null, reason = null } = given
  return { sourceId: source, stream, hashPrefix: '', reason, fromMs, toMs }
}

/** One record, or all that the flags select: never all by leaving something out. */
export const oneOrAllInput = {
  hash: argument(hashValue.optional(), hashHelp),
  all: toggle('all that the flags select, in place of one by its hash'),
  ...selectionFlags,
}

export const isOneOrAll = ({ hash, all }: { hash?: string | undefined; all?: true | undefined }): boolean =>
  (hash === undefined) === (all === true)

export const oneOrAllError = { error: 'give a HASH, or --all with flags that select' }
