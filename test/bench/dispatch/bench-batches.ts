import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SQSRecord } from 'aws-lambda'
import { batchMessagesMax } from '../../../infra/stack/lane-batches.ts'
import { chunks } from '../../../shared/adapters/bounded.ts'
import { encodeMessage, messageVersion } from '../../../shared/domain/delivery/delivery-message.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { buildEvent } from '../../../shared/domain/event/build-event.ts'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import { eventLifeDays } from '../../../shared/domain/polling/event-log.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'

/** How old an event is when it is dispatched. */
const ageSeconds = 5

/** The queue that batches come from. */
export const fastQueueArn = 'arn:aws:sqs:us-east-1:000000000000:bench-fast'

/** One delivery to make, in both forms: as the queue's record, and as what a bare loop posts. */
export type ToPost = { record: SQSRecord; eventId: string; url: string; body: string }

const source = { id: 'main' }
const stream = 'bounces'
const file = new URL('../../../infra/simulator/data/bounces.ndjson', import.meta.url)
const realRecords = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map((line): Record<string, unknown> => JSON.parse(line))

/** Deliveries of events that are made of real records, each with an id of its own, spread over the endpoints. */
export const createBatches = (
  count: number,
  endpoints: readonly Endpoint[],
  second = Math.floor(Date.now() / 1_000) - ageSeconds,
): ToPost[][] =>
  chunks(
    Array.from({ length: count }, (_, at) => toPost(at, second, endpoints)),
    batchMessagesMax,
  )

const toPost = (at: number, second: number, endpoints: readonly Endpoint[]): ToPost => {
  const value = { ...realRecords[at % realRecords.length], uuid: randomUUID(), timelogged: second }
  const read = readRecord({ text: JSON.stringify(value), value })
  const endpoint = endpoints[at % endpoints.length]
  if (read.kind !== 'record' || endpoint === undefined) throw new Error('no record, or no endpoint for it')
  const event = buildEvent({ source, stream, record: read.record })
  const body = encodeMessage({
    ...{ v: messageVersion, eventId: event.id, endpointId: endpoint.id, sourceId: source.id, stream },
    ...{ type: event.type, round: 1, attempt: 1, body: event.body, deliveredBy: null },
    enqueuedAtMs: second * 1_000,
    expiresAtSeconds: second + eventLifeDays * daySeconds,
  })
  return { record: recordOf(body, endpoint.id), eventId: event.id, url: endpoint.url, body: event.body }
}

const recordOf = (body: string, group: string): SQSRecord => {
  const sent = String(Date.now())
  return {
    ...{ messageId: randomUUID(), receiptHandle: randomUUID(), body, messageAttributes: {}, md5OfBody: '' },
    ...{ eventSource: 'aws:sqs', eventSourceARN: fastQueueArn, awsRegion: 'us-east-1' },
    attributes: {
      ...{ ApproximateReceiveCount: '1', SentTimestamp: sent, ApproximateFirstReceiveTimestamp: sent },
      ...{ SenderId: '', MessageGroupId: group },
    },
  }
}
