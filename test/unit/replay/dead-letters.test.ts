import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { hasEvent, hasReason, needsEvent } from '../../../shared/domain/replay/dead-letter-selection.ts'
import { lookMsMax, lookThroughQueue } from '../../../shared/domain/replay/look-through-queue.ts'
import { openPlan, planLifeMs } from '../../../shared/domain/replay/replay-plan.ts'
import { spentCopies } from '../../../shared/domain/replay/spent-copies.ts'
import { deliveryOf, idOf, messageOf, nowMs } from '../delivery/harness.ts'
import { createFakeMessages, createHarness, deadOf, messageIn, planOf } from './harness.ts'

const any = { types: null, reasons: null, recipientDomains: null }

describe('the selection of dead letters', () => {
  test('by reason takes codes and beginnings', () => {
    const fits = (reason: string | null, reasons: string[]) => hasReason({ reason }, { reasons })
    expect(fits('http_503', ['timeout', 'http_5*'])).toBe(true)
    expect(fits('http_404', ['timeout', 'http_5*'])).toBe(false)
    expect(fits('http_50', ['http_5'])).toBe(false)
    expect(fits(null, ['*'])).toBe(false)
    expect(hasReason({ reason: null }, any)).toBe(true)
  })

  test('by type and recipient domain goes by the event; of one that is gone nothing is known', () => {
    const facts = { sender: { domain: null }, recipient: { domain: 'example.com' } }
    const event = { type: 'email.bounce.soft', body: JSON.stringify({ data: facts }) }
    expect(hasEvent(event, { ...any, types: ['email.bounce.*'] })).toBe(true)
    expect(hasEvent(event, { ...any, types: ['email.complaint'] })).toBe(false)
    expect(hasEvent(event, { ...any, recipientDomains: ['other.com', 'EXAMPLE.com'] })).toBe(true)
    expect(hasEvent(event, { ...any, recipientDomains: ['other.com'] })).toBe(false)
    expect(hasEvent({ ...event, body: 'no JSON' }, { ...any, recipientDomains: ['example.com'] })).toBe(false)
    expect(hasEvent(null, { ...any, types: ['*'] })).toBe(false)
    expect(hasEvent(null, any)).toBe(true)
    expect([any, { ...any, types: ['*'] }, { ...any, recipientDomains: ['a.b'] }].map(needsEvent)).toEqual([
      false,
      true,
      true,
    ])
  })
})

describe('copies in the dead-letter queue', () => {
  const copy = (uuid: string, fields: Parameters<typeof messageOf>[0] = {}) =>
    messageIn(encodeMessage(messageOf({ eventId: idOf(uuid), round: 2, attempt: 1, ...fields })), uuid)
  const success = { atMs: 1, tookMs: 1, status: 200 }

  test('are spent once the table says that their delivery is dead no more, or their event has expired', async () => {
    const { store, clock } = await createHarness([
      deadOf('dead'),
      ...(['waiting', 'held', 'delivered', 'cancelled'] as const).map(state =>
        deliveryOf({ eventId: idOf(state), state }),
      ),
    ])
    const messages = [
      ...['dead', 'waiting', 'held', 'delivered', 'cancelled', 'unknown'].map(name => copy(name)),
      copy('expired', { expiresAtSeconds: nowMs / 1_000 }),
      copy('dead', { endpointId: 'other#endpoint' }),
      copy('dead', { eventId: 'no id' }),
      messageIn('no JSON', 'unreadable'),
      messageIn('{"v":2}', 'newer'),
    ]
    const spent = await spentCopies(messages, { store, clock })
    expect(spent.map(({ messageId }) => messageId)).toEqual([
      'waiting',
      'held',
      'delivered',
      'cancelled',
      'expired',
    ])
  })

  test('that carry a success are needed until it is recorded', async () => {
    const { store, clock } = await createHarness([
      deliveryOf({ eventId: idOf('waiting') }),
      deliveryOf({ eventId: idOf('delivered'), state: 'delivered' }),
    ])
    const messages = ['waiting', 'delivered'].map(name => copy(name, { deliveredBy: success }))
    expect((await spentCopies(messages, { store, clock })).map(({ messageId }) => messageId)).toEqual([
      'delivered',
    ])
  })
})

describe('a look through the queue', () => {
  const queued = ['a', 'b', 'c', 'd', 'e'].map(name => messageIn(name, name))
  const judge = async (messages: readonly ReturnType<typeof messageIn>[]) =>
    messages.filter(({ body }) => body === 'b' || body === 'e')
  const calm = { judge, signal: new AbortController().signal, onProgress: () => undefined }

  test('removes what is to go and shows the others again', async () => {
    const { clock } = await createHarness()
    const { messages, removed, released } = createFakeMessages(queued)
    expect(await lookThroughQueue(calm, { messages, clock })).toEqual({
      looked: 5,
      removed: 2,
      complete: true,
    })
    expect([removed, released]).toEqual([
      ['b', 'e'],
      ['a', 'c', 'd'],
    ])
  })

  test('ends when it is interrupted, when its time is over, or when the queue begins anew', async () => {
    const { clock, turn } = await createHarness()
    const stop = new AbortController()
    const first = createFakeMessages(queued)
    const interrupted = { ...calm, signal: stop.signal, onProgress: () => stop.abort() }
    expect(await lookThroughQueue(interrupted, { ...first, clock })).toMatchObject({
      looked: 2,
      complete: false,
    })
    expect(first.released).toEqual(['a'])

    const second = createFakeMessages(queued)
    const judgeSlowly = async () => {
      await turn(lookMsMax)
      return []
    }
    const slow = { ...calm, judge: judgeSlowly }
    expect(await lookThroughQueue(slow, { ...second, clock })).toMatchObject({ looked: 2, complete: false })

    const third = createFakeMessages([...queued.slice(0, 2), ...queued])
    expect(await lookThroughQueue(calm, { ...third, clock })).toMatchObject({ looked: 2, complete: false })
  })

  test('shows everything again where it fails', async () => {
    const { clock } = await createHarness()
    const { messages, released } = createFakeMessages(queued)
    let calls = 0
    const failing = async () => {
      calls += 1
      if (calls > 1) throw new Error('no table')
      return []
    }
    await expect(lookThroughQueue({ ...calm, judge: failing }, { messages, clock })).rejects.toThrow(
      'no table',
    )
    expect(released).toEqual(['a', 'b'])
  })
})

describe('the plan of a command', () => {
  const of = { name: 'replay-1', range: { fromSecond: 5, toSecond: 9 }, nowMs, anew: false }

  test('is new, or the one that was left unfinished: with its range, and behind what is due already', async () => {
    const { plans } = await createHarness()
    const fresh = {
      name: 'replay-1',
      startedAtMs: nowMs,
      fromSecond: 5,
      toSecond: 9,
      nextDueMs: nowMs,
      placeId: null,
    }
    expect(await openPlan(of, plans)).toEqual({ plan: fresh, goesOn: false })
    const left = planOf({ startedAtMs: nowMs - 60_000, nextDueMs: nowMs + 5_000 })
    await plans.put(left)
    expect(await openPlan(of, plans)).toEqual({ plan: left, goesOn: true })
    await plans.put({ ...left, nextDueMs: nowMs - 5_000 })
    expect((await openPlan(of, plans)).plan.nextDueMs).toBe(nowMs)
    expect(await openPlan({ ...of, anew: true }, plans)).toEqual({ plan: fresh, goesOn: false })
    expect(await openPlan({ ...of, name: 'other' }, plans)).toMatchObject({ goesOn: false })
  })

  test('is none any more after a day', async () => {
    const { plans } = await createHarness()
    await plans.put(planOf({ startedAtMs: nowMs - planLifeMs }))
    expect((await openPlan(of, plans)).goesOn).toBe(false)
  })
})
