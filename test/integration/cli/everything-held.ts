import { inflateRawSync } from 'node:zlib'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import type { Emulators } from '../../../infra/local/emulators.ts'
import { localClientSettings } from '../../../infra/local/local-table.ts'
import { unpackBody } from '../../../shared/adapters/dynamodb/event-body.ts'
import { createQueueClient } from '../../../shared/adapters/sqs/client.ts'
import type { QueueUrls } from '../../../shared/adapters/sqs/queues.ts'
import { openDocumentTable } from './document-table.ts'

const bytes = z.instanceof(Uint8Array)
const packedEvent = z.object({ b: bytes, c: z.int() })
const packedRecord = z.object({ text: bytes })

/** An item with what is packed in it, as text. */
const textOf = (item: unknown): string => {
  const event = packedEvent.safeParse(item)
  const record = packedRecord.safeParse(item)
  const packed = event.success ? unpackBody({ bytes: event.data.b, encoding: event.data.c }) : ''
  // Parts of a large record do not unpack alone.
  const text = record.success ? inflateRawSync(record.data.text).toString('utf8') : ''
  return `${JSON.stringify(item)} ${packed} ${text}`
}

/** Every item of the table as text, unpacked; keys included. */
export const itemTexts = async (emulators: Pick<Emulators, 'dynamodb'>): Promise<string[]> => {
  using table = openDocumentTable(emulators)
  const texts: string[] = []
  let startKey: Record<string, unknown> | undefined
  do {
    const scan = new ScanCommand({
      TableName: table.tableName,
      ...(startKey !== undefined && { ExclusiveStartKey: startKey }),
    })
    const { Items = [], LastEvaluatedKey } = await table.client.send(scan)
    texts.push(...Items.map(textOf))
    startKey = LastEvaluatedKey
  } while (startKey !== undefined)
  return texts
}

/** The bodies that wait in a queue, which then hides them for a while. */
export const bodiesIn = async (
  { sqs, queueUrls }: Pick<Emulators, 'sqs' | 'queueUrls'>,
  queue: keyof QueueUrls,
): Promise<string[]> => {
  const client = createQueueClient({ ...localClientSettings, endpoint: sqs.endpoint })
  try {
    const receive = {
      QueueUrl: queueUrls[queue],
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      WaitTimeSeconds: 0,
    }
    const { Messages = [] } = await client.send(new ReceiveMessageCommand(receive))
    return Messages.map(({ Body }) => Body ?? '')
  } finally {
    client.destroy()
  }
}

export const holding = (texts: readonly string[], text: string): number =>
  texts.filter(one => one.toLowerCase().includes(text.toLowerCase())).length
