import type { SQSRecord } from 'aws-lambda'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHandler } from '../../../functions/dispatcher/handler.ts'
import { deliveryKey } from '../../../shared/adapters/dynamodb/keys.ts'
import type { Delivery, DeliveryKey } from '../../../shared/domain/delivery/delivery.ts'
import { encodeHeartbeat } from '../../../shared/domain/delivery/delivery-message.ts'
import type { Lane } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { DeliveryStore } from '../../../shared/domain/delivery/delivery-store.ts'
import { rank } from '../../../shared/domain/delivery/position.ts'
import { decodeReceived } from '../../../shared/domain/delivery/received-message.ts'
import { createHarness, idOf, messageOf, nowMs, receivedOf } from '../delivery/harness.ts'
import { createHarness as createTelemetryHarness } from '../telemetry/harness.ts'
import { inherited } from './hostile-json.ts'
import { anyAttributes, anyBody, mutatedBody } from './hostile-messages.ts'
import { markers, markersIn } from './markers.ts'

const laneOfQueue = new Map<string, Lane>([
  ['arn:fast', 'fast'],
  ['arn:slow', 'slow'],
])

/** DynamoDB's bounds of a key's parts (Developer Guide, "Quotas": partition key 2,048 bytes, sort key 1,024 bytes). */
const partitionKeyBytesMax = 2_048
const sortKeyBytesMax = 1_024

/** As the table has it: one key that it does not take refuses a batch as a whole, and so does a number beyond 2^53. */
const asTheTable = (store: DeliveryStore): DeliveryStore => {
  const check = (key: DeliveryKey): void => {
    const { pk, sk } = deliveryKey(key)
    if (Buffer.byteLength(pk) > partitionKeyBytesMax || Buffer.byteLength(sk) > sortKeyBytesMax)
      throw new Error('ValidationException')
  }
  const checkItem = (delivery: Delivery): void => {
    check(delivery)
    if (!Number.isSafeInteger(rank(delivery.position))) throw new Error('a number is too large')
  }
  return {
    ...store,
    read: async key => {
      check(key)
      return store.read(key)
    },
    readMany: async keys => {
      for (const key of keys) check(key)
      return store.readMany(keys)
    },
    write: async (delivery, condition) => {
      checkItem(delivery)
      return store.write(delivery, condition)
    },
  }
}

const world = async () => {
  const harness = await createHarness({
    // Endpoints quote what they were sent.
    answer: request => ({
      kind: 'answered',
      status: 500,
      retryAtMs: null,
      tookMs: 1,
      answer: request.body + markers.token,
    }),
  })
  const handle = createHandler({ ...harness.deps, store: asTheTable(harness.store), laneOfQueue })
  const linesOf = async () => {
    const telemetry = createTelemetryHarness()
    await telemetry.tell(harness.happenings)
    return telemetry.written.join('\n')
  }
  return { ...harness, handle, linesOf }
}

const recordOf = (body: string, of: Partial<SQSRecord> = {}): SQSRecord => ({
  messageId: `message of ${body.length}`,
  receiptHandle: 'receipt',
  body,
  attributes: {
    ApproximateReceiveCount: '1',
    SentTimestamp: String(nowMs - 700),
    SenderId: 'sender',
    ApproximateFirstReceiveTimestamp: String(nowMs),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:fast',
  awsRegion: 'eu-central-1',
  ...of,
})

type Kind = ReturnType<typeof decodeReceived>['kind']

/** What a message of this kind may come to, each by its name; twins take whatever is sent to them. */
const endsOf: Readonly<Record<Kind, readonly string[]>> = {
  message: ['waiting', 'cancelled', 'delivered', 'dead'],
  heartbeat: ['heartbeat'],
  newer: ['fault'],
  unreadable: ['unreadable_message'],
}

describe('the dispatcher', () => {
  test('takes any body to one named end, throws nothing, and POSTs nothing that is not a message of ours', async () => {
    const before = inherited()
    const kinds = new Set<Kind>()
    await fc.assert(
      fc.asyncProperty(
        anyBody,
        anyAttributes,
        fc.constantFrom('arn:fast', 'arn:slow'),
        async (body, attributes, eventSourceARN) => {
          const { handle, posts, sent, deadLetters, happenings, linesOf } = await world()
          const messageAttributes = Object.fromEntries(Object.entries(attributes))
          const { kind } = decodeReceived(receivedOf(body))
          kinds.add(kind)
          const answer = await handle({ Records: [recordOf(body, { eventSourceARN, messageAttributes })] })
          expect(answer).toEqual({ batchItemFailures: [] })
          const ends = happenings.map(happening => happening.kind).filter(told => told !== 'attempt')
          expect(ends).toEqual([expect.toSatisfy(end => endsOf[kind].includes(end))])
          expect(posts.length).toBe(
            happenings.filter(
              told => told.kind === 'attempt' || (told.kind === 'heartbeat' && told.tookMs !== null),
            ).length,
          )
          if (kind === 'unreadable') {
            expect([deadLetters.map(entry => entry.body), posts, sent]).toEqual([[body], [], []])
            expect(deadLetters[0]?.reason).not.toBe('')
          }
          if (kind === 'newer')
            expect([sent.map(entry => entry.body), posts, deadLetters]).toEqual([[body], [], []])
          for (const post of posts) {
            expect(post.headers['webhook-id']).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
            expect(Object.getOwnPropertyDescriptor(JSON.parse(body), 'body')?.value).toBe(post.body)
          }
          const told = deadLetters.map(({ reason }) => reason).join('\n')
          expect(markersIn(`${await linesOf()}\n${told}`)).toEqual([])
        },
      ),
      { numRuns: 1_200 },
    )
    expect(inherited()).toEqual(before)
    expect([...kinds].sort()).toEqual(['heartbeat', 'message', 'newer', 'unreadable'])
  }, 60_000)

  test('lets no message of a batch hurt its neighbours', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutatedBody, { minLength: 1, maxLength: 6 }),
        fc.nat(6),
        async (bodies, place) => {
          const { handle, posts, happenings } = await world()
          const good = receivedOf({ eventId: idOf('good') }).body
          const all = bodies.toSpliced(place, 0, good)
          expect(await handle({ Records: all.map(body => recordOf(body)) })).toEqual({
            batchItemFailures: [],
          })
          expect(posts.filter(({ headers }) => headers['webhook-id'] === idOf('good'))).toHaveLength(1)
          const faults = happenings.filter(({ kind }) => kind === 'fault')
          const newer = bodies.filter(body => decodeReceived(receivedOf(body)).kind === 'newer')
          expect(faults).toHaveLength(newer.length)
        },
      ),
      { numRuns: 400 },
    )
  }, 60_000)

  test.each([
    ['an endpoint id that no key holds would fail a whole batch', 'endpointId', '"a#b"'],
    [
      'an endpoint id that is longer than a key would fail a whole batch',
      'endpointId',
      `"${'e'.repeat(5_000)}"`,
    ],
    ['an address for an endpoint id would be told in a line', 'endpointId', `"${markers.recipient}"`],
    ['an address for a type would be told in a line', 'type', `"${markers.recipient}"`],
    ['a round beyond all numbers would be POSTed and could not be recorded', 'round', '9007199254740991'],
  ])('regression: %s, so it is unreadable', (_, field, text) => {
    const fields = JSON.stringify({ ...messageOf(), [field]: 'changed' })
    expect(decodeReceived(receivedOf(fields.replace('"changed"', text)))).toMatchObject({
      kind: 'unreadable',
      reason: expect.stringMatching(new RegExp(`^${field}: [a-z_]+$`)),
    })
  })

  test("regression: a heartbeat's event id that is none is unreadable: it would be a header, and told in a line", () => {
    const of = { endpointId: 'endpoint', notAfterMs: nowMs, body: '{}' }
    for (const eventId of ['a\r\nb: c', markers.recipient, 'evt_']) {
      expect(decodeReceived(receivedOf(encodeHeartbeat({ ...of, eventId })))).toEqual({
        kind: 'unreadable',
        reason: 'eventId: event_id_form',
      })
    }
  })
})
