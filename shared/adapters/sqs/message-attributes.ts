import { z } from 'zod'
import type { FaultCount } from '../../domain/delivery/delivery-queue.ts'
import { hasForbiddenCharacters, type TextAttributes } from './limits.ts'

const faultCountName = 'faultCount'
const faultsSinceName = 'faultsSinceMs'
const reasonName = 'reason'
const reasonCharsMax = 1_000

/** The fault count as attributes beside the body: they can be set on a body that no code can read. */
export const faultAttributes = (faults: FaultCount | null): TextAttributes =>
  faults === null
    ? {}
    : {
        [faultCountName]: { dataType: 'Number', stringValue: String(faults.count) },
        [faultsSinceName]: { dataType: 'Number', stringValue: String(faults.sinceMs) },
      }

/** A dead letter's reason as an attribute: cut, and without what the queue refuses. */
export const reasonAttributes = (reason: string): TextAttributes => {
  const text = [...reason.slice(0, reasonCharsMax)].filter(char => !hasForbiddenCharacters(char)).join('')
  return { [reasonName]: { dataType: 'String', stringValue: text === '' ? 'unknown' : text } }
}

const integer = z.object({
  stringValue: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
})
const faultsSchema = z.object({
  messageAttributes: z.object({ [faultCountName]: integer, [faultsSinceName]: integer }),
})
const reasonSchema = z.object({
  messageAttributes: z.object({ [reasonName]: z.object({ stringValue: z.string() }) }),
})

/** The fault count of a record of an SQS event; null where it has none, or none that can be read. */
export const faultsOf = (record: unknown): FaultCount | null => {
  const parsed = faultsSchema.safeParse(record)
  if (!parsed.success) return null
  const { messageAttributes } = parsed.data
  return {
    count: messageAttributes[faultCountName].stringValue,
    sinceMs: messageAttributes[faultsSinceName].stringValue,
  }
}

/** The reason of a dead letter's record; null where it has none. */
export const reasonOf = (record: unknown): string | null =>
  reasonSchema.safeParse(record).data?.messageAttributes[reasonName].stringValue ?? null
