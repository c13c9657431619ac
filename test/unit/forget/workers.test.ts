import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import type { SendResult } from '../../../shared/domain/delivery/webhook-sender.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { forgetDeliveries } from '../../../shared/domain/forget/forget-deliveries.ts'
import { copiesOf } from '../../../shared/domain/forget/forgotten-copies.ts'
import { reconcile } from '../../../shared/domain/release/reconcile.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { judgeEvent } from '../../../shared/domain/replay/recover-rules.ts'
import {
  answered,
  createHarness as createDispatching,
  deliveryOf,
  endpointOf,
  idOf,
  messageOf,
  nowMs,
  receivedOf,
} from '../delivery/harness.ts'
import { createHarness as createReleasing, eventOf } from '../release/harness.ts'
import { address } from './harness.ts'

const body = JSON.stringify({ id: 'one', to: address })

/** An attempt that failed before, and whose answer quoted what was sent. */
const failedBefore = (of: Partial<Delivery> = {}): Delivery =>
  deliveryOf({
    attempts: [
      {
        position: { round: 1, attempt: 1 },
        atMs: nowMs - 5_000,
        tookMs: 20,
        status: 503,
        reason: 'http_503',
        answer: `who is ${address}?`,
      },
    ],
    ...of,
  })

/** The event is forgotten while a worker POSTs it; what the table and the queues hold then. */
const forgottenDuring = async (of: { before: Delivery | null; answer: SendResult; attempt: number }) => {
  const harness = await createDispatching({
    answer: async () => {
      const { body: _, ...event } = eventOf('one')
      await forgetDeliveries({ event, endpointIds: [], isDryRun: false }, harness.deps)
      return of.answer
    },
  })
  if (of.before !== null) {
    await harness.store.write(of.before, { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER })
  }
  await harness.dispatch([receivedOf({ body, attempt: of.attempt })])
  expect(harness.posts).toHaveLength(1)
  return { harness, item: await harness.item() }
}

describe('a worker that is POSTing while the recipient is forgotten', () => {
  test.each([
    ['a retry', 503, 2],
    ['a dead letter', 503, 4],
    ['an endpoint that is gone', 410, 2],
  ])('leaves the delivery cancelled, and puts nothing into a queue: %s', async (_, status, attempt) => {
    const answer = { ...answered(status), answer: `no ${address}` }
    const before = failedBefore({ position: { round: 1, attempt: attempt - 1 } })
    const { harness, item } = await forgottenDuring({ before, answer, attempt })
    expect(item).toMatchObject({ state: 'cancelled', reason: 'forgotten', dueMs: null })
    expect(JSON.stringify(item)).not.toContain(address)
    expect([harness.sent, harness.deadLetters]).toEqual([[], []])
    expect(harness.happenings).toContainEqual(
      expect.objectContaining({ kind: 'duplicate', reason: 'settled_elsewhere' }),
    )
  })

  test('records a success, which is the truth, without what was answered before', async () => {
    const { harness, item } = await forgottenDuring({
      before: failedBefore(),
      answer: answered(200),
      attempt: 2,
    })
    expect(item).toMatchObject({ state: 'delivered', reason: null, position: { round: 1, attempt: 2 } })
    expect(item?.attempts.map(({ status, answer }) => [status, answer])).toEqual([
      [503, ''],
      [200, ''],
    ])
    expect([harness.sent, harness.deadLetters]).toEqual([[], []])
    expect(harness.kinds()).toEqual(['attempt', 'delivered'])
  })

  test('records a first success', async () => {
    const { item } = await forgottenDuring({ before: null, answer: answered(200), attempt: 1 })
    expect(item).toMatchObject({ state: 'delivered', attempts: [] })
  })
})

test('a message that comes after its recipient was forgotten is dropped unsent, also one of a later round', async () => {
  const harness = await createDispatching()
  const { body: _, ...event } = eventOf('one')
  await forgetDeliveries({ event, endpointIds: [], isDryRun: false }, harness.deps)
  const result = await harness.dispatch([receivedOf({ body }), receivedOf({ body, round: 2 })])
  expect(result).toEqual({ failedMessageIds: [] })
  expect([harness.posts, harness.sent, harness.deadLetters]).toEqual([[], [], []])
  expect(harness.happenings).toContainEqual(
    expect.objectContaining({ kind: 'duplicate', reason: 'cancelled_before' }),
  )
})

describe('of an event that was forgotten', () => {
  test('the releaser sends nothing: what somebody set to waiting meanwhile is cancelled', async () => {
    const harness = await createReleasing()
    const event = await harness.given('one', failedBefore({ position: { round: 2, attempt: 0 } }))
    harness.log.forget({ ...event, eventId: event.id }, nowMs)
    expect(await release({ endsAtMs: harness.endsAtMs }, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(harness.sent).toEqual([])
    const item = await harness.item('one')
    expect(item).toMatchObject({ state: 'cancelled', reason: 'forgotten', dueMs: null })
    expect(JSON.stringify(item)).not.toContain(address)
    expect(harness.happenings).toContainEqual(
      expect.objectContaining({ kind: 'cancelled', reason: 'forgotten' }),
    )
  })

  test('reconcile sends nothing', async () => {
    const harness = await createReleasing()
    const event = eventOf('one', { loggedAtMs: nowMs - 7_200_000 })
    await harness.log.record([event])
    await harness.marks.lower({
      sourceId: 'main',
      stream: 'bounces',
      hour: Math.floor(nowMs / 3_600_000) - 2,
      day: '2026-11-20',
      lowestId: event.id,
    })
    harness.log.forget({ ...event, eventId: event.id }, nowMs)
    expect(await reconcile({ endsAtMs: harness.endsAtMs }, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(harness.sent).toEqual([])
  })

  test('recover sets nothing either where its deliveries are cancelled and its text is not gone yet', () => {
    const { body: _, ...event } = eventOf('one')
    const judged = judgeEvent({
      event,
      delivery: deliveryOf({ state: 'cancelled', reason: 'forgotten' }),
      only: 'all',
      endpoint: endpointOf(),
      plan: { startedAtMs: nowMs },
      floorSecond: null,
      nowMs,
    })
    expect(judged).toEqual({ kind: 'left', why: 'forgotten' })
  })

  test.each(['missing', 'failed', 'all'] as const)('recover --only %s sets nothing', only => {
    const { body: _, ...summary } = eventOf('one')
    const judged = judgeEvent({
      event: { ...summary, forgottenAtMs: nowMs },
      delivery: deliveryOf({ state: 'dead' }),
      only,
      endpoint: endpointOf(),
      plan: { startedAtMs: nowMs },
      floorSecond: null,
      nowMs,
    })
    expect(judged).toEqual({ kind: 'left', why: 'forgotten' })
  })
})

test('of the dead-letter queue go the copies of the recipient, and whatever else holds the address', () => {
  const bodyOf = (rcpt: string, more = '') =>
    JSON.stringify({ data: { recipient: { normalized: rcpt }, raw: { rcpt, more } } })
  const copyOf = (text: string) => encodeMessage(messageOf({ eventId: idOf(text), round: 2, body: text }))
  const bodies = {
    copy: copyOf(bodyOf(address)),
    other: copyOf(bodyOf('an@example.com')),
    mention: copyOf(bodyOf('an@example.com', address)),
    unreadable: `{"body":"${address.toUpperCase()}"`,
    newer: JSON.stringify({ v: 99, text: bodyOf(address) }),
    nobody: 'not JSON',
  }
  const messages = Object.entries(bodies).map(([messageId, text]) => ({
    messageId,
    receiptHandle: messageId,
    body: text,
    reason: null,
    sentAtMs: nowMs,
  }))
  const match = createAddressMatch(address)
  const found = match === null ? [] : copiesOf(messages, match)
  expect(found.map(({ messageId }) => messageId)).toEqual(['copy', 'unreadable', 'newer'])
})
