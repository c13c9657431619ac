import * as z from 'zod'
import type { EventFacts } from './build-event.ts'

const domain = z.object({ domain: z.string().nullable() })
const schema = z.object({
  data: z.object({
    recipient: domain,
    sender: domain,
    bounce: z.object({ category: z.string().nullable() }).optional(),
  }),
})

/**
 * What filters need of an event, from its body as the log keeps it; null where the body is none of a record's event.
 */
export const factsOfBody = (body: string): Omit<EventFacts, 'suggestedAction'> | null => {
  const read = schema.safeParse(parsed(body))
  if (!read.success) return null
  const { recipient, sender, bounce } = read.data.data
  return {
    senderDomain: sender.domain,
    recipientDomain: recipient.domain,
    bounceCategory: bounce?.category ?? null,
  }
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}
