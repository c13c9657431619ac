import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import * as z from 'zod'
import type { Assembly } from './assembly.ts'
import { type Resolver, region } from './intrinsics.ts'

/** Strict, so that what changes how a queue is read is taken up here. */
const propertiesSchema = z.strictObject({
  BatchSize: z.int().default(10),
  /** How long Lambda gathers a batch: nothing that a handler sees. */
  MaximumBatchingWindowInSeconds: z.int().optional(),
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  FunctionResponseTypes: z.array(z.enum(['ReportBatchItemFailures'])).default([]),
  /** How many instances Lambda runs at once; the harness runs one. */
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.int() }).optional(),
  Enabled: z.literal(true).optional(),
  Tags: z.unknown().optional(),
})

export type EventSourceMapping = z.infer<typeof propertiesSchema>

export const readEventSourceMappings = (assembly: Assembly, resolver: Resolver): EventSourceMapping[] =>
  assembly
    .ofType('AWS::Lambda::EventSourceMapping')
    .map(({ properties }) => propertiesSchema.parse(resolver.resolve(properties)))

const answerSchema = z.object({
  batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })),
})

/** A receive of SQS gives ten at the most; a larger batch takes several. */
const receivedMax = 10

/**
 * One batch, as Lambda's poller treats it: received, handed to the function, deleted but for what the answer names.
 * Says how many messages there were. Throws where the function does, and nothing is deleted then.
 */
export const pumpOnce = async (of: {
  mapping: EventSourceMapping
  client: SQSClient
  queueUrl: string
  waitSeconds: number
  invoke: (event: { Records: SQSRecord[] }) => Promise<unknown>
}): Promise<number> => {
  const { mapping, client, queueUrl } = of
  const records: SQSRecord[] = []
  let waitSeconds = of.waitSeconds
  while (records.length < mapping.BatchSize) {
    const answer = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: Math.min(receivedMax, mapping.BatchSize - records.length),
        WaitTimeSeconds: waitSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    )
    const messages = answer.Messages ?? []
    records.push(...messages.map(message => toRecord(message, mapping.EventSourceArn)))
    if (messages.length === 0) break
    waitSeconds = 0
  }
  if (records.length === 0) return 0
  const result = await of.invoke({ Records: records })
  const failed = mapping.FunctionResponseTypes.includes('ReportBatchItemFailures')
    ? new Set(answerSchema.parse(result).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
    : new Set<string>()
  const done = records.filter(({ messageId }) => !failed.has(messageId))
  for (let at = 0; at < done.length; at += receivedMax) {
    const entries = done
      .slice(at, at + receivedMax)
      .map(({ receiptHandle }, id) => ({ Id: String(id), ReceiptHandle: receiptHandle }))
    await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries }))
  }
  return records.length
}

/** The message in the form in which Lambda hands it on (Lambda Developer Guide, "Example Amazon SQS message event"). */
const toRecord = (message: Message, eventSourceARN: string): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: {
    ApproximateReceiveCount: message.Attributes?.ApproximateReceiveCount ?? '1',
    SentTimestamp: message.Attributes?.SentTimestamp ?? '0',
    SenderId: message.Attributes?.SenderId ?? '',
    ApproximateFirstReceiveTimestamp: message.Attributes?.ApproximateFirstReceiveTimestamp ?? '0',
  },
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
      name,
      { dataType: DataType ?? 'String', stringValue: StringValue ?? '' },
    ]),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN,
  awsRegion: region,
})
