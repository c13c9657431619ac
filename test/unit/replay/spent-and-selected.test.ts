import { describe, expect, test } from 'vitest'
import { encodeHeartbeat, encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { deliveriesReadMax } from '../../../shared/domain/delivery/delivery-store.ts'
import { hasEvent, hasReason } from '../../../shared/domain/replay/dead-letter-selection.ts'
import { lookThroughQueue, messagesLookedAtMax } from '../../../shared/domain/replay/look-through-queue.ts'
import { spentCopies } from '../../../shared/domain/replay/spent-copies.ts'
import { createTestClock, deliveryOf, idOf, messageOf, nowMs } from '../delivery/harness.ts'
import { createHarness, messageIn } from './harness.ts'

describe('copies in the dead-letter queue', () => {
  const success = { atMs: 1, tookMs: 1, status: 200 }
  const copyOf = (uuid: string, of: Parameters<typeof messageOf>[0] = {}) =>
    messageIn(encodeMessage(messageOf({ eventId: idOf(uuid), ...of })), uuid)

  test('of heartbeats are spent: by now these are late', async () => {
    const { store, clock } = await createHarness()
    const beat = encodeHeartbeat({
      eventId: idOf('b'),
      endpointId: 'endpoint',
      notAfterMs: nowMs,
      body: '{}',
    })
    const spent = await spentCopies([messageIn(beat, 'heartbeat'), copyOf('unknown')], { store, clock })
    expect(spent.map(({ messageId }) => messageId)).toEqual(['heartbeat'])
  })

  test('that carry a success are spent where their delivery was cancelled', async () => {
    const { store, clock } = await createHarness([
      deliveryOf({ eventId: idOf('cancelled'), state: 'cancelled' }),
      deliveryOf({ eventId: idOf('dead'), state: 'dead' }),
    ])
    const copies = ['cancelled', 'dead'].map(uuid => copyOf(uuid, { deliveredBy: success }))
    const spent = await spentCopies(copies, { store, clock })
    expect(spent.map(({ messageId }) => messageId)).toEqual(['cancelled'])
  })

  test.each([0, 1, deliveriesReadMax, deliveriesReadMax + 1])(
    'are asked for by as many as the table reads at once: %i of them',
    async count => {
      const { store, clock } = await createHarness()
      const asked: number[] = []
      const readMany: typeof store.readMany = async keys => {
        asked.push(keys.length)
        return store.readMany(keys)
      }
      await spentCopies(
        Array.from({ length: count }, (_, at) => copyOf(`copy ${at}`)),
        { store: { readMany }, clock },
      )
      const full = Math.min(count, deliveriesReadMax)
      const expected = [full, count - full].filter(keys => keys > 0)
      expect(asked).toEqual(expected)
    },
  )
})

describe('the selection of dead letters', () => {
  const any = { types: null, reasons: null, recipientDomains: null }
  const facts = { sender: { domain: null }, recipient: { domain: 'example.com' } }
  const event = { type: 'email.bounce.soft', body: JSON.stringify({ data: facts }) }

  test('by a reason means that reason', () => {
    expect(hasReason({ reason: 'http_503' }, { reasons: ['timeout', 'http_503'] })).toBe(true)
    expect(hasReason({ reason: 'http_503' }, { reasons: ['timeout', 'http_50'] })).toBe(false)
  })

  test('by types wants one of them', () => {
    expect(hasEvent(event, { ...any, types: ['email.complaint', 'email.bounce.*'] })).toBe(true)
  })

  test('by recipient domain fits no event that is gone, or was forgotten', () => {
    expect(hasEvent(null, { ...any, recipientDomains: ['example.com'] })).toBe(false)
    expect(hasEvent({ ...event, body: null }, { ...any, recipientDomains: ['example.com'] })).toBe(false)
  })
})

test('one look goes through so many messages, and says that there are more', async () => {
  let handed = 0
  const atOnce = 1_000
  const messages = {
    receive: async () => Array.from({ length: atOnce }, () => messageIn('{}', `message ${++handed}`)),
    remove: async () => 0,
    release: async () => {},
  }
  const of = { judge: async () => [], signal: new AbortController().signal, onProgress: () => undefined }
  expect(await lookThroughQueue(of, { messages, clock: createTestClock().clock })).toEqual({
    looked: messagesLookedAtMax,
    removed: 0,
    complete: false,
  })
})
