import { describe, expect, test } from 'vitest'
import { decodeMessage, encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { positionOfRank, rank, roundMax } from '../../../shared/domain/delivery/position.ts'
import { decodeReceived } from '../../../shared/domain/delivery/received-message.ts'
import { createHarness, messageOf, nowMs, receivedOf } from './harness.ts'

describe('a body that is no message', () => {
  test.each([
    ['{', 'not JSON'],
    ['null', '(all): invalid_type'],
    [JSON.stringify({ ...messageOf(), round: 0, attempt: 'x' }), 'round: too_small; attempt: invalid_type'],
    [
      JSON.stringify({ ...messageOf(), deliveredBy: { atMs: 1, tookMs: 'jane@example.com', status: 200 } }),
      'deliveredBy.tookMs: invalid_type',
    ],
  ])('%s is unreadable, with every place that is wrong and no value of it', (body, reason) => {
    expect(decodeMessage(body)).toEqual({ kind: 'unreadable', reason })
  })

  test('but for its event id is unreadable as well', () => {
    expect(decodeReceived(receivedOf({ eventId: 'no-id' }))).toEqual({
      kind: 'unreadable',
      reason: 'eventId: event_id_form',
    })
  })

  test('of a heartbeat whose id is none is a dead letter, and is POSTed to nobody', async () => {
    const harness = await createHarness()
    const heartbeat = { v: 2, kind: 'heartbeat', endpointId: 'endpoint', notAfterMs: nowMs, body: '{}' }
    const body = JSON.stringify({ ...heartbeat, eventId: 'evil\r\nheader: 1' })
    await harness.dispatch([receivedOf(body)])
    expect(harness.posts).toEqual([])
    expect(harness.deadLetters).toMatchObject([{ body, reason: 'eventId: event_id_form' }])
  })
})

test('a message is read as it was written', () => {
  const message = messageOf({ deliveredBy: { atMs: nowMs, tookMs: 1.5, status: 204 } })
  expect(decodeMessage(encodeMessage(message))).toEqual({ kind: 'message', message })
})

describe('a position as a number', () => {
  test('is the one that the table holds: a thousand for each round, so that rounds never meet', () => {
    expect([rank({ round: 1, attempt: 0 }), rank({ round: 2, attempt: 999 })]).toEqual([1_000, 2_999])
    expect(rank({ round: 1, attempt: 999 })).toBeLessThan(rank({ round: 2, attempt: 0 }))
  })

  test.each([
    { round: 1, attempt: 0 },
    { round: 1, attempt: 999 },
    { round: 7, attempt: 12 },
    { round: roundMax, attempt: 999 },
  ])('is the same position again: $round, $attempt', position => {
    expect(positionOfRank(rank(position))).toEqual(position)
  })
})
