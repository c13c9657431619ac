import type { SQSRecord } from 'aws-lambda'
import { expect, test } from 'vitest'
import { createHandler } from '../../../functions/dispatcher/handler.ts'
import { faultAttributes } from '../../../shared/adapters/sqs/message-attributes.ts'
import type { Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import { createHarness, endpointOf, idOf, nowMs, receivedOf } from './harness.ts'

const laneOfQueue = new Map<string, Lane>([
  ['arn:fast', 'fast'],
  ['arn:slow', 'slow'],
])

const recordOf = (of: Partial<SQSRecord> = {}): SQSRecord => ({
  messageId: 'message',
  receiptHandle: 'receipt',
  body: receivedOf().body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(nowMs - 700),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(nowMs),
    MessageGroupId: 'endpoint',
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:fast',
  awsRegion: 'eu-central-1',
  ...of,
})

test('a batch is dispatched on the lane that its queue is', async () => {
  const harness = await createHarness({ endpoints: [endpointOf({ slow: true })] })
  const handler = createHandler({ ...harness.deps, laneOfQueue })
  expect(await handler({ Records: [recordOf({ eventSourceARN: 'arn:slow' })] })).toEqual({
    batchItemFailures: [],
  })
  expect(harness.happenings[0]).toMatchObject({ kind: 'attempt', lane: 'slow', queuedMs: 700 })
})

test('only what is to stay in the queue is reported as failed', async () => {
  const harness = await createHarness()
  const deps = {
    ...harness.deps,
    queue: { send: async () => [{ kind: 'failed', reason: 'throttled' } as const] },
    credentials: {
      ...harness.deps.credentials,
      credentialsOf: async () => {
        throw new Error('no answer')
      },
    },
  }
  await harness.endpoints.put(endpointOf({ id: 'other', state: 'disabled' }))
  const held = receivedOf({ eventId: idOf('two'), endpointId: 'other' }).body
  const Records = [recordOf({ messageId: 'kept' }), recordOf({ messageId: 'held', body: held })]
  expect(await createHandler({ ...deps, laneOfQueue })({ Records })).toEqual({
    batchItemFailures: [{ itemIdentifier: 'kept' }],
  })
})

test("the count of our own faults is read from the message's attributes", async () => {
  const harness = await createHarness()
  const down = async () => {
    throw new Error('no answer')
  }
  const handler = createHandler({ ...harness.deps, store: { ...harness.store, readMany: down }, laneOfQueue })
  // As the adapter writes them, so that both keep to the same names.
  const attributes = faultAttributes({ count: 3, sinceMs: nowMs - 60_000 })
  await handler({ Records: [recordOf({ messageAttributes: attributes })] })
  expect(harness.sent).toMatchObject([{ faults: { count: 4, sinceMs: nowMs - 60_000 }, delayMs: 40_000 }])
})

test('a count that can not be read starts anew', async () => {
  const harness = await createHarness()
  const down = async () => {
    throw new Error('no answer')
  }
  const handler = createHandler({ ...harness.deps, store: { ...harness.store, readMany: down }, laneOfQueue })
  const faultCount = { dataType: 'Number', stringValue: '-1' }
  const since = { dataType: 'Number', stringValue: String(nowMs) }
  await handler({ Records: [recordOf({ messageAttributes: { faultCount, faultsSinceMs: since } })] })
  expect(harness.sent).toMatchObject([{ faults: { count: 1, sinceMs: nowMs } }])
})

test('a queue that is no lane is an error, before anything is tried', async () => {
  const harness = await createHarness()
  const handler = createHandler({ ...harness.deps, laneOfQueue })
  const Records = [recordOf(), recordOf({ eventSourceARN: 'arn:other' })]
  await expect(handler({ Records })).rejects.toMatchObject({ code: 'unknown_queue' })
  expect(harness.posts).toEqual([])
})
