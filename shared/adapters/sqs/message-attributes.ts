import * as z from 'zod'
import type { FaultCount } from '../../domain/delivery/delivery-queue.ts'
import { faultAttributeNames } from '../../domain/delivery/fault-attributes.ts'
import { hasForbiddenCharacters, type TextAttributes } from './limits.ts'

const reasonName = 'reason'
const reasonCharsMax = 1_000

/** The fault count as attributes beside the body: they can be set on a body that no code can read. */
export const faultAttributes = (faults: FaultCount | null): TextAttributes =>
  faults === null
    ? {}
    : {
        [faultAttributeNames.count]: { dataType: 'Number', stringValue: String(faults.count) },
        [faultAttributeNames.sinceMs]: { dataType: 'Number', stringValue: String(faults.sinceMs) },
      }

/** A dead letter's reason as an attribute: cut, and without what the queue refuses. */
export const reasonAttributes = (reason: string): TextAttributes => {
  const text = [...reason.slice(0, reasonCharsMax)].filter(char => !hasForbiddenCharacters(char)).join('')
  return { [reasonName]: { dataType: 'String', stringValue: text === '' ? 'unknown' : text } }
}

const reasonSchema = z.object({
  messageAttributes: z.object({ [reasonName]: z.object({ stringValue: z.string() }) }),
})

/** The reason of a dead letter's record; null where it has none. */
export const reasonOf = (record: unknown): string | null =>
  reasonSchema.safeParse(record).data?.messageAttributes[reasonName].stringValue ?? null
