import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { SQSRecord } from 'aws-lambda'
import { BridgeError } from '../../domain/bridge-error.ts'
import { batchEntriesMax } from './limits.ts'
import { queueSettings } from './queues.ts'

/** Messages could not be received. */
export class ReceiveError extends BridgeError {}

/** Receives as a Lambda event source does, for where there is none: the local pump, and tests. */
export type MessageReceiver = {
  /** At most ten records, after waiting at most `waitSeconds` (whole, at most 20) for the first. Throws `ReceiveError`. */
  receive(query?: { max?: number; waitSeconds?: number; signal?: AbortSignal }): Promise<SQSRecord[]>
}

export const createMessageReceiver = ({
  client,
  queueUrl,
}: {
  client: SQSClient
  queueUrl: string
}): MessageReceiver => ({
  receive: async ({ max = batchEntriesMax, waitSeconds = queueSettings.receiveWaitSeconds, signal } = {}) => {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: Math.min(max, batchEntriesMax),
      WaitTimeSeconds: waitSeconds,
      MessageAttributeNames: ['All'],
      MessageSystemAttributeNames: ['All'],
    })
    try {
      const answer = await client.send(command, signal ? { abortSignal: signal } : {})
      return (answer.Messages ?? []).map(message => toRecord(message, queueUrl))
    } catch (error) {
      throw new ReceiveError({
        code: 'queue_unavailable',
        message: `the queue gave no messages: ${error instanceof Error ? error.name : 'UnknownError'}`,
        hint: 'If it lasts, check that the queue exists, the network and the role.',
        cause: error,
      })
    }
  },
})

/** The message in the form in which Lambda hands it to the dispatcher. */
const toRecord = (message: Message, queueUrl: string): SQSRecord => {
  const attributes = message.Attributes ?? {}
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ...attributes,
      ApproximateReceiveCount: attributes.ApproximateReceiveCount ?? '1',
      SentTimestamp: attributes.SentTimestamp ?? '0',
      SenderId: attributes.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: attributes.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, { DataType, StringValue }]) => [
        name,
        { dataType: DataType ?? 'String', ...(StringValue !== undefined && { stringValue: StringValue }) },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: queueUrl,
    awsRegion: '',
  }
}
