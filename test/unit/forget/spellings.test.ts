import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { deliveriesReadMax } from '../../../shared/domain/delivery/delivery-store.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { forgetDeliveries } from '../../../shared/domain/forget/forget-deliveries.ts'
import { pageEveryMs } from '../../../shared/domain/forget/forget-recipient.ts'
import type { Forgettable, ForgettableItems } from '../../../shared/domain/forget/forgettable-items.ts'
import { stringsIn } from '../../../shared/domain/forget/strings-in.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { forgottenRecordReason } from '../../../shared/domain/polling/quarantine.ts'
import { loggedEvent } from '../../integration/cli/filled-table.ts'
import { address, createHarness, eventOf, nowMs, quotedOf } from './harness.ts'

const matchOf = (given: string) => {
  const match = createAddressMatch(given)
  if (match === null) throw new Error('no address')
  return match
}
const summaryOf = ({ body: _, ...event }: LoggedEvent) => event

describe('an address', () => {
  test.each([
    ['as its link has it', 'jo@example.com', 'https://a.example/?e=jo%40example.com', true],
    ['as its link has all of it', 'jo+x@example.com', 'https://a.example/?e=jo%2Bx%40example.com', true],
    ['with its domain as people write it', 'jo@xn--bcher-kva.example', 'to jo@bücher.example now', true],
    [
      'with its domain as people write it, in a link',
      'jo@xn--bcher-kva.example',
      'jo%40bücher.example',
      true,
    ],
    ['given with blanks around it', '  jo@example.com ', 'jo@example.com', true],
    ['in what is no spelling of it', 'Jo <jo@example.com>', 'jo <an@example.com>', false],
    ['with another local part and the same domain', 'jo@example.com', 'an@example.com', false],
    ['with the same local part and another domain', 'jo@example.com', 'jo@example.org', false],
    ['with a dot where its own is another character', 'jo@example.com', 'jo@examplexcom', false],
  ])('is found %s', (_, given, text, held) => {
    expect(matchOf(given).isIn(text)).toBe(held)
  })

  test('is no address where it is none', () => {
    expect(createAddressMatch('nobody')).toBeNull()
  })

  test('is mentioned by a body that is no event, and by a text that is no JSON', () => {
    const { ofBody } = matchOf('jo@example.com')
    expect(ofBody('{"to":"jo@example.com"}')).toBe('mention')
    expect(ofBody('to jo@example.com')).toBe('mention')
    expect(ofBody('{"to":"an@example.com"}')).toBe('none')
  })

  test('of another recipient is only mentioned where a list of addresses names it among others', () => {
    const event = loggedEvent({
      second: 1_795_000_000,
      uuid: 'a',
      fields: { rcpt: 'an@example.com', cc: 'jo@example.com' },
    })
    expect(matchOf('jo@example.com').ofBody(event.body)).toBe('mention')
    expect(matchOf('an@example.com').ofBody(event.body)).toBe('recipient')
  })

  test.each([
    ['a name of somebody else', '"jo@example.com" <an@example.com>'],
    ['nothing that could be read', 'nobody in particular'],
  ])('is only mentioned where the record’s own recipient is %s', (_, rcpt) => {
    const fields = { rcpt, dsndiag: 'smtp; 550 <jo@example.com> unknown' }
    const { body } = loggedEvent({ second: 1_795_000_000, uuid: 'a', fields })
    expect(matchOf('jo@example.com').ofBody(body)).toBe('mention')
  })

  test('is the recipient’s by what the event says of it, whatever its record has', () => {
    const event = loggedEvent({ second: 1_795_000_000, uuid: 'a', fields: { rcpt: 'jo@example.com' } })
    const body = JSON.parse(event.body)
    delete body.data.raw.rcpt
    expect(matchOf('jo@example.com').ofBody(JSON.stringify(body))).toBe('recipient')
    body.data.raw.rcpt = 7
    expect(matchOf('jo@example.com').ofBody(JSON.stringify(body))).toBe('recipient')
    body.data.recipient.normalized = null
    body.data.raw.rcpt = ' Jo@Example.com '
    expect(matchOf('jo@example.com').ofBody(JSON.stringify(body))).toBe('recipient')
  })
})

describe('the texts in a value', () => {
  test('are all of it, keys included, and those in texts that are JSON', () => {
    const value = { a: ['b', { c: JSON.stringify({ d: 'e' }) }], f: 1, g: null, h: '  ["i"]', j: 'x ["k"]' }
    expect([...stringsIn(value)].toSorted()).toEqual(
      [
        'a',
        'f',
        'g',
        'h',
        'j',
        '0',
        '1',
        '0',
        'b',
        'c',
        '{"d":"e"}',
        'd',
        'e',
        '  ["i"]',
        'i',
        'x ["k"]',
      ].toSorted(),
    )
  })

  test.each([
    [3, true],
    [4, false],
  ])('are looked for in JSON within JSON, %i deep: %s', (depth, isFound) => {
    let text = 'deep'
    for (let at = 0; at < depth; at += 1) text = JSON.stringify([text])
    expect([...stringsIn(text)].includes('deep')).toBe(isFound)
  })

  test('of a text that is no JSON are that text alone', () => {
    expect([...stringsIn('{no')]).toEqual(['{no'])
  })
})

describe('the deliveries of an event', () => {
  const event = eventOf('one')

  test('are asked for by as many as the table reads at once', async () => {
    const { deps } = await createHarness({ events: [event] })
    const asked: number[] = []
    const readMany: typeof deps.store.readMany = async keys => {
      asked.push(keys.length)
      return deps.store.readMany(keys)
    }
    const endpointIds = Array.from({ length: deliveriesReadMax }, (_, at) => `endpoint-${at}`)
    const of = { event: summaryOf(event), isDryRun: true }
    await forgetDeliveries({ ...of, endpointIds }, { ...deps, store: { ...deps.store, readMany } })
    await forgetDeliveries(
      { ...of, endpointIds: endpointIds.slice(1) },
      { ...deps, store: { ...deps.store, readMany } },
    )
    expect(asked).toEqual([deliveriesReadMax, 1, deliveriesReadMax])
  })

  test('are each written once, with nothing that was answered', async () => {
    const { deps, deliveryNow, store } = await createHarness({
      events: [event],
      deliveries: [quotedOf(event, { state: 'waiting', dueMs: nowMs, retryAtMs: nowMs })],
    })
    let writes = 0
    const write: typeof store.write = async (...of) => {
      writes += 1
      return store.write(...of)
    }
    const of = { event: summaryOf(event), endpointIds: [], isDryRun: false }
    const counted = { ...deps, store: { ...store, write } }
    expect(await forgetDeliveries(of, counted)).toEqual(['waiting'])
    expect(await deliveryNow(event)).toMatchObject({ state: 'cancelled', reason: 'forgotten' })
    expect(await forgetDeliveries(of, counted)).toEqual(['cancelled'])
    expect(writes).toBe(1)
  })

  test('that were delivered stay so, and are not written where nothing was answered', async () => {
    const delivered: Partial<Delivery> = { state: 'delivered', dueMs: null, retryAtMs: null, reason: null }
    const { deps, deliveryNow, store } = await createHarness({
      events: [event],
      deliveries: [quotedOf(event, { ...delivered, attempts: [] })],
    })
    const before = await deliveryNow(event)
    await forgetDeliveries({ event: summaryOf(event), endpointIds: [], isDryRun: false }, { ...deps, store })
    expect(await deliveryNow(event)).toEqual(before)
  })

  test('that no worker has written yet are cancelled before their first attempt', async () => {
    const { deps, deliveryNow } = await createHarness({ events: [event] })
    expect(
      await forgetDeliveries({ event: summaryOf(event), endpointIds: [], isDryRun: false }, deps),
    ).toEqual(['queued'])
    expect(await deliveryNow(event)).toMatchObject({
      state: 'cancelled',
      position: { round: 1, attempt: 0 },
      attempts: [],
      reason: 'forgotten',
    })
  })

  test('that change each time are given up after a while, with a code that stays', async () => {
    const { deps, store } = await createHarness({ events: [event], deliveries: [quotedOf(event)] })
    let writes = 0
    const write: typeof store.write = async () => {
      writes += 1
      return 'refused'
    }
    const busy = { ...deps, store: { ...store, write } }
    await expect(
      forgetDeliveries({ event: summaryOf(event), endpointIds: [], isDryRun: false }, busy),
    ).rejects.toThrow(expect.objectContaining({ code: 'delivery_busy' }))
    expect(writes).toBe(20)
  })
})

describe('the pages of the table', () => {
  const paged = (pages: readonly (readonly Forgettable[])[]) => {
    const asked: unknown[] = []
    const forgotten: string[] = []
    const items: ForgettableItems = {
      page: async after => {
        asked.push(after)
        const at = typeof after === 'number' ? after : 0
        return { items: [...(pages[at] ?? [])], after: at + 1 < pages.length ? at + 1 : null }
      },
      forgetEvent: async () => 'forgotten',
      forgetQuarantined: async ({ hash }) => void forgotten.push(hash),
    }
    return { items, asked, forgotten }
  }
  const unreadable: Forgettable = { kind: 'unreadable' }

  test('are read one after the other, no sooner than a partition bears, and what was looked at is told', async () => {
    const { forget } = await createHarness({})
    const { items, asked } = paged([[unreadable], [unreadable, unreadable], []])
    const looked: number[] = []
    const slept: number[] = []
    let atMs = nowMs
    const clock = {
      // Reading takes 30 ms a page.
      now: () => (atMs += 15),
      sleep: async (ms: number) => void slept.push(ms),
    }
    const counts = await forget({ onLooked: count => looked.push(count) }, { items, clock })
    expect(counts).toMatchObject({ looked: 3, unreadable: 3, complete: true })
    expect([asked, looked]).toEqual([
      [null, 1, 2],
      [1, 3, 3],
    ])
    expect(slept).toEqual([pageEveryMs - 15, pageEveryMs - 15])
  })

  test('are not waited for where reading took long enough', async () => {
    const { forget } = await createHarness({})
    const { items } = paged([[], []])
    let atMs = nowMs
    const slept: number[] = []
    const clock = { now: () => (atMs += pageEveryMs), sleep: async (ms: number) => void slept.push(ms) }
    await forget({}, { items, clock })
    expect(slept).toEqual([])
  })

  test('are left where it is interrupted between two of them', async () => {
    const { forget } = await createHarness({})
    const { items, asked } = paged([[unreadable], [unreadable]])
    const stopping = new AbortController()
    const counts = await forget({ signal: stopping.signal, onLooked: () => stopping.abort() }, { items })
    expect(counts).toMatchObject({ looked: 1, complete: false })
    expect(asked).toEqual([null])
  })

  const head = { sourceId: 'main', stream: 'bounces', hash: 'h', atMs: 1 } as const
  test.each([
    ['one part is left', 1, false, []],
    ['parts are left by a run that was interrupted', 2, false, ['h']],
    ['parts are left, in a dry run', 2, true, []],
  ])('have a record that was forgotten before: where %s', async (_, parts, isDryRun, expected) => {
    const { forget } = await createHarness({})
    const forgottenHead: Forgettable = {
      kind: 'quarantined',
      head: { ...head, reason: forgottenRecordReason, parts },
    }
    const { items, forgotten } = paged([[forgottenHead]])
    const counts = await forget({ isDryRun }, { items, quarantine: { read: async () => null } })
    expect([counts.quarantined, forgotten]).toEqual([0, expected])
  })

  test('have records that are gone by the time they are read: these are nobody’s', async () => {
    const { forget } = await createHarness({})
    const gone: Forgettable = { kind: 'quarantined', head: { ...head, reason: 'no_uuid', parts: 1 } }
    const { items, forgotten } = paged([[gone]])
    expect(await forget({}, { items, quarantine: { read: async () => null } })).toMatchObject({
      looked: 1,
      quarantined: 0,
      complete: true,
    })
    expect(forgotten).toEqual([])
  })

  test('have events that were forgotten before: these say nothing any more', async () => {
    const { forget } = await createHarness({})
    const event = eventOf('one', address)
    const before: Forgettable = { kind: 'event', event: { ...event, body: null, forgottenAtMs: 1 } }
    const { items } = paged([[before]])
    expect(await forget({}, { items })).toMatchObject({ looked: 1, events: 0, mentions: 0 })
  })
})
