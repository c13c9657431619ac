import { describe, expect, test } from 'vitest'
import type { DeliveryState } from '../../../shared/domain/delivery/delivery.ts'
import { createKnownRecords } from '../../../shared/domain/polling/known-records.ts'
import { address, createHarness, eventOf, meddling, nowMs, quotedOf, second } from './harness.ts'

const noDeliveries = { queued: 0, waiting: 0, held: 0, delivered: 0, dead: 0, cancelled: 0 }

describe('an event of the recipient', () => {
  test('leaves what makes it known, and nothing of its record', async () => {
    const [event, other] = [eventOf('a'), eventOf('b', 'an@example.com')]
    const harness = await createHarness({ events: [event, other] })
    const counts = await harness.forget()
    expect(counts).toEqual({
      looked: 2,
      events: 1,
      deliveries: { ...noDeliveries, queued: 1 },
      quarantined: 0,
      mentions: 0,
      unreadable: 0,
      complete: true,
    })
    const { body: _, ...summary } = event
    expect(await harness.eventNow(event)).toEqual({ ...summary, forgottenAtMs: nowMs, body: null })
    expect(await harness.eventNow(other)).toEqual(other)
    const known = createKnownRecords({ log: harness.log, sourceId: 'main', stream: 'bounces' })
    expect(await known.among([{ id: event.id, second }])).toEqual(new Set([event.id]))
  })

  test.each(['waiting', 'held', 'dead', 'cancelled'] as const)(
    'has its %s delivery cancelled, out of the index, without what its endpoint answered',
    async state => {
      const event = eventOf('a')
      const before = quotedOf(event, {
        state,
        reason: 'http_500',
        retryAtMs: 1,
        dueMs: 1,
        firstFailureAtMs: 1,
      })
      const harness = await createHarness({ events: [event], deliveries: [before] })
      expect((await harness.forget()).deliveries).toEqual({ ...noDeliveries, [state]: 1 })
      expect(await harness.deliveryNow(event)).toEqual({
        ...before,
        state: 'cancelled',
        reason: 'forgotten',
        retryAtMs: null,
        dueMs: null,
        firstFailureAtMs: null,
        attempts: before.attempts.map(attempt => ({ ...attempt, answer: '' })),
        writeId: 'forget-1',
        updatedAtMs: nowMs,
      })
      const due = { endpointId: 'crm', untilMs: Number.MAX_SAFE_INTEGER, limit: 10 }
      const states = ['waiting', 'held', 'dead'] as const
      for (const each of states) expect(await harness.store.due({ ...due, state: each })).toEqual([])
    },
  )

  test('that was delivered stays so, without what its endpoint answered before', async () => {
    const event = eventOf('a')
    const before = quotedOf(event)
    const harness = await createHarness({ events: [event], deliveries: [before] })
    expect((await harness.forget()).deliveries).toEqual({ ...noDeliveries, delivered: 1 })
    expect(await harness.deliveryNow(event)).toMatchObject({ state: 'delivered', reason: null })
    expect(await harness.held([event])).not.toContain(address)
  })

  test('whose message is on its way is cancelled before it comes, and is to each endpoint that it was recovered for', async () => {
    const event = eventOf('a', address, ['crm', 'gone'])
    const recovered = quotedOf(event, { endpointId: 'shop', state: 'waiting', dueMs: 1 })
    const harness = await createHarness({ events: [event], deliveries: [recovered] })
    expect((await harness.forget()).deliveries).toEqual({ ...noDeliveries, queued: 2, waiting: 1 })
    const now = await Promise.all(['crm', 'gone', 'shop'].map(id => harness.deliveryNow(event, id)))
    expect(now.map(delivery => [delivery?.state, delivery?.reason, delivery?.position])).toEqual([
      ['cancelled', 'forgotten', { round: 1, attempt: 0 }],
      ['cancelled', 'forgotten', { round: 1, attempt: 0 }],
      ['cancelled', 'forgotten', { round: 1, attempt: 1 }],
    ])
  })

  test('is no more there when the same call is made again', async () => {
    const event = eventOf('a')
    const harness = await createHarness({
      events: [event],
      deliveries: [quotedOf(event, { state: 'dead', dueMs: 1 })],
    })
    await harness.forget()
    const held = await harness.held([event])
    expect(await harness.forget()).toMatchObject({
      looked: 0,
      events: 0,
      deliveries: noDeliveries,
      complete: true,
    })
    expect(await harness.held([event])).toBe(held)
  })

  test('is found again where the process died between its deliveries and its item', async () => {
    const event = eventOf('a')
    const harness = await createHarness({
      events: [event],
      deliveries: [quotedOf(event, { state: 'held', dueMs: 1 })],
    })
    const dying = { ...harness.deps.items, forgetEvent: () => Promise.reject(new Error('killed')) }
    await expect(harness.forget({}, { items: dying })).rejects.toThrow('killed')
    expect((await harness.deliveryNow(event))?.reason).toBe('forgotten')
    expect((await harness.eventNow(event))?.body).toBe(event.body)
    expect(await harness.forget()).toMatchObject({ events: 1, deliveries: { ...noDeliveries, cancelled: 1 } })
    expect(await harness.held([event])).not.toContain(address)
  })

  test.each(['write', 'readMany'] as const)(
    'is forgotten although a worker settles its delivery right before the %s',
    async method => {
      const event = eventOf('a')
      const harness = await createHarness({ events: [event] })
      const settle = () =>
        harness.store.write(quotedOf(event, { state: 'dead', dueMs: 1, reason: 'http_500' }), {
          kind: 'unsettled_before',
          rank: 1_001_000,
        })
      await harness.forget({}, { store: meddling(harness.store, method, settle) })
      expect(await harness.deliveryNow(event)).toMatchObject({
        state: 'cancelled',
        reason: 'forgotten',
        dueMs: null,
      })
      expect(await harness.held([event])).not.toContain(address)
    },
  )
})

test('a dry run counts the same, and changes nothing', async () => {
  const events = [eventOf('a'), eventOf('b')]
  const states: readonly DeliveryState[] = ['dead', 'waiting']
  const deliveries = events.map((event, at) => quotedOf(event, { state: states[at] ?? 'held', dueMs: 1 }))
  const harness = await createHarness({ events, deliveries })
  const text = JSON.stringify({ rcpt: address })
  await harness.quarantine.keep({
    sourceId: 'main',
    stream: 'bounces',
    hash: 'h',
    text,
    reason: 'no_uuid',
    atMs: 1,
  })
  const held = await harness.held(events)
  const counted = await harness.forget({ isDryRun: true })
  expect(await harness.held(events)).toBe(held)
  expect(counted).toMatchObject({
    events: 2,
    quarantined: 1,
    deliveries: { ...noDeliveries, dead: 1, waiting: 1 },
  })
  expect(await harness.forget()).toEqual(counted)
})

test('of quarantined records those that hold the address leave their hash, and are known when they are read again', async () => {
  const harness = await createHarness({})
  const of = { sourceId: 'main', stream: 'bounces', reason: 'no_usable_time', atMs: 1 } as const
  const texts = [
    JSON.stringify({ rcpt: 'JO@example.com' }),
    JSON.stringify({ rcpt: 'banjo@example.com' }),
    '[1]',
  ]
  for (const [at, text] of texts.entries()) await harness.quarantine.keep({ ...of, hash: `hash-${at}`, text })
  expect(await harness.forget()).toMatchObject({ looked: 3, quarantined: 1, events: 0 })
  expect(harness.quarantine.all()).toEqual([
    { ...of, hash: 'hash-0', reason: 'forgotten', text: '' },
    { ...of, hash: 'hash-1', text: texts[1] },
    { ...of, hash: 'hash-2', text: texts[2] },
  ])
  expect(await harness.quarantine.keep({ ...of, hash: 'hash-0', text: texts[0] ?? '' })).toBe('known')
  expect(await harness.quarantine.read({ ...of, hash: 'hash-0' })).toMatchObject({ text: '' })
  expect(await harness.forget()).toMatchObject({ quarantined: 0 })
})

test('an event that only mentions the address is counted and left, and so is what this code can not read', async () => {
  const event = eventOf('a', `an@example.com`)
  const mention = {
    ...event,
    body: event.body.replace('"bounce_type":"h"', `"bounce_type":"h","x":"${address}"`),
  }
  const harness = await createHarness({ events: [mention] })
  const items = {
    ...harness.deps.items,
    page: async (after: unknown) => {
      const page = await harness.deps.items.page(after)
      return { ...page, items: [{ kind: 'unreadable' } as const, ...page.items] }
    },
  }
  expect(await harness.forget({}, { items })).toMatchObject({
    looked: 2,
    events: 0,
    mentions: 1,
    unreadable: 1,
  })
  expect(await harness.eventNow(mention)).toEqual(mention)
})

test('an interruption ends it after the item under way, and the same call goes on', async () => {
  const events = [eventOf('a'), eventOf('b'), eventOf('c')]
  const harness = await createHarness({ events })
  const stopping = new AbortController()
  const items = {
    ...harness.deps.items,
    forgetEvent: async (...args: Parameters<typeof harness.deps.items.forgetEvent>) => {
      stopping.abort()
      return harness.deps.items.forgetEvent(...args)
    },
  }
  const cut = await harness.forget({ signal: stopping.signal }, { items })
  expect(cut).toMatchObject({ events: 1, complete: false })
  expect(await harness.forget()).toMatchObject({ events: 2, complete: true })
  expect(await harness.held(events)).not.toContain(address)
})
