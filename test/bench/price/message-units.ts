import * as z from 'zod'
import { messageBytes } from '../../../shared/adapters/sqs/limits.ts'

/** Each begun 64 KiB of a request's messages is billed as a request; a batch is one request (SQS pricing page). */
const chunkBytes = 64 * 1024

const messageSchema = z.looseObject({
  MessageBody: z.string().optional(),
  Body: z.string().optional(),
  MessageGroupId: z.string().optional(),
  MessageAttributes: z
    .record(z.string(), z.looseObject({ DataType: z.string(), StringValue: z.string().default('') }))
    .default({}),
})
export const sendSchema = z.looseObject({ QueueUrl: z.string(), Entries: z.array(messageSchema) })
export const receivedSchema = z.looseObject({ Messages: z.array(messageSchema).default([]) })
export type WireMessage = z.infer<typeof messageSchema>

/** How many requests a request with these messages is billed as. */
export const sqsRequestsOf = (messages: readonly WireMessage[]): number => {
  const bytes = messages.reduce((sum, message) => {
    const attributes = Object.entries(message.MessageAttributes).map(
      ([name, { StringValue }]) => [name, { dataType: 'String' as const, stringValue: StringValue }] as const,
    )
    const body = message.MessageBody ?? message.Body ?? ''
    return sum + messageBytes(body, Object.fromEntries(attributes))
  }, 0)
  return Math.max(1, Math.ceil(bytes / chunkBytes))
}
