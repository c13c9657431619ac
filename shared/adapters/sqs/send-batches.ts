import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { EntryResult } from '../../domain/delivery/delivery-queue.ts'
import { mapBounded } from '../bounded.ts'
import {
  batchBytesMax,
  batchEntriesMax,
  groupForm,
  messageBytes,
  refusalOf,
  type TextAttributes,
} from './limits.ts'

/** Batches under way at once. */
const batchesAtOnce = 8

export type OutgoingMessage = {
  queueUrl: string
  body: string
  group: string | null
  delaySeconds: number
  attributes: TextAttributes
}

/** One entry and where its result goes. */
type Slot = { message: OutgoingMessage; result: EntryResult }
type Batch = { queueUrl: string; slots: Slot[] }

/**
 * Codes that speak of the message itself, so that it will never be taken. Any other failure, as of keys, permissions
 * or throttling, may pass: taking it for a refusal would set records aside that are sound.
 */
const refusals = ['InvalidMessageContents', 'InvalidParameterValue', 'MessageTooLong', 'BatchRequestTooLong']

/** The query protocol's codes have prefixes, as `AWS.SimpleQueueService.`. */
const isRefusal = (code: string): boolean => refusals.some(refusal => code.split('.').at(-1) === refusal)

/** Sends in batches, within the limits of SQS; one result a message, in their order. Never throws. */
export const sendBatches = async (
  client: SQSClient,
  messages: readonly OutgoingMessage[],
): Promise<EntryResult[]> => {
  const slots = messages.map((message): Slot => {
    const refusal = refusalOf(message.body, message.attributes)
    const result: EntryResult =
      refusal === null ? { kind: 'failed', reason: 'not sent' } : { kind: 'refused', reason: refusal }
    return { message, result }
  })
  const open = slots.filter(slot => slot.result.kind !== 'refused')
  await mapBounded(toBatches(open), batchesAtOnce, batch => sendBatch(client, batch))
  return slots.map(slot => slot.result)
}

const toBatches = (slots: readonly Slot[]): Batch[] => {
  const batches: Batch[] = []
  const filling = new Map<string, { batch: Batch; bytes: number }>()
  for (const slot of slots) {
    const { queueUrl, body, attributes } = slot.message
    const bytes = messageBytes(body, attributes)
    const current = filling.get(queueUrl)
    if (current && current.batch.slots.length < batchEntriesMax && current.bytes + bytes <= batchBytesMax) {
      current.batch.slots.push(slot)
      current.bytes += bytes
    } else {
      const batch = { queueUrl, slots: [slot] }
      batches.push(batch)
      filling.set(queueUrl, { batch, bytes })
    }
  }
  return batches
}

const toEntry = ({ message }: Slot, id: number) => ({
  Id: String(id),
  MessageBody: message.body,
  DelaySeconds: message.delaySeconds,
  ...(message.group !== null && groupForm.test(message.group) && { MessageGroupId: message.group }),
  MessageAttributes: Object.fromEntries(
    Object.entries(message.attributes).map(([name, { dataType, stringValue }]) => [
      name,
      { DataType: dataType, StringValue: stringValue },
    ]),
  ),
})

const sendBatch = async (client: SQSClient, { queueUrl, slots }: Batch): Promise<void> => {
  try {
    const answer = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: slots.map(toEntry) }),
    )
    const sent = new Set(answer.Successful?.map(entry => entry.Id))
    const failed = new Map(answer.Failed?.map(entry => [entry.Id, entry]))
    slots.forEach((slot, id) => {
      slot.result = sent.has(String(id)) ? { kind: 'sent' } : failureOf(failed.get(String(id)))
    })
  } catch (error) {
    await settleWholeFailure(
      client,
      { queueUrl, slots },
      error instanceof Error ? error.name : 'UnknownError',
    )
  }
}

const failureOf = (failure: { Code?: string | undefined; SenderFault?: boolean | undefined } | undefined) => {
  const reason = failure?.Code ?? 'no result'
  const refused = failure?.SenderFault === true && isRefusal(reason)
  return { kind: refused ? ('refused' as const) : ('failed' as const), reason }
}

/** The whole call failed: where that is for one message, each is sent alone, to tell which. */
const settleWholeFailure = async (
  client: SQSClient,
  { queueUrl, slots }: Batch,
  reason: string,
): Promise<void> => {
  if (isRefusal(reason) && slots.length > 1) {
    for (const slot of slots) await sendBatch(client, { queueUrl, slots: [slot] })
    return
  }
  for (const slot of slots) slot.result = { kind: isRefusal(reason) ? 'refused' : 'failed', reason }
}
