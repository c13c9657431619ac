import * as z from 'zod'
import type { FaultCount } from './delivery-queue.ts'

/** The message attributes that count our own faults: beside the body, so that one which no code can read has them too. */
export const faultAttributeNames = { count: 'faultCount', sinceMs: 'faultsSinceMs' } as const

const integer = z.object({
  stringValue: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
})
const faultsSchema = z.object({
  [faultAttributeNames.count]: integer,
  [faultAttributeNames.sinceMs]: integer,
})

/** The fault count of a received message's attributes; null where it has none, or none that can be read. */
export const readFaults = (messageAttributes: unknown): FaultCount | null => {
  const parsed = faultsSchema.safeParse(messageAttributes)
  if (!parsed.success) return null
  const { faultCount, faultsSinceMs } = parsed.data
  return { count: faultCount.stringValue, sinceMs: faultsSinceMs.stringValue }
}
