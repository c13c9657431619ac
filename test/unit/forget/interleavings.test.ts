import { describe, expect, test } from 'vitest'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryForgettableItems } from '../../../shared/adapters/memory/forgettable-items.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { createAddressMatch } from '../../../shared/domain/forget/address-match.ts'
import { type ForgetDeps, forgetRecipient } from '../../../shared/domain/forget/forget-recipient.ts'
import { copiesOf } from '../../../shared/domain/forget/forgotten-copies.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { beginNextRound } from '../../../shared/domain/replay/next-round.ts'
import { answered, createHarness, deliveryOf, messageIn, nowMs, receivedOf } from '../delivery/harness.ts'
import { eventOf } from '../release/harness.ts'
import { address } from './harness.ts'
import { inEveryOrder, inTurn, type Turns } from './turns.ts'

const body = JSON.stringify({
  data: { recipient: { normalized: address }, raw: { rcpt: address } },
})

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

type Given = {
  before: Delivery | null
  status: number
  /** Of the message that a worker has; null: there is none. */
  attempt: number | null
  others: readonly Other[]
}
type Other = 'twice' | 'operator' | 'releaser' | 'operator and releaser'

const matchOf = () => {
  const match = createAddressMatch(address)
  if (match === null) throw new Error('no address')
  return match
}

const beginWorld = async (given: Given, turns: Turns) => {
  const match = matchOf()
  const harness = await createHarness({
    answer: () => ({ ...answered(given.status), answer: `no ${address} here` }),
  })
  const log = createMemoryEventLog()
  const event = eventOf('one', { body })
  await log.record([event])
  const { store, deps } = harness
  if (given.before !== null) {
    await store.write(given.before, { kind: 'unsettled_before', rank: Number.MAX_SAFE_INTEGER })
  }
  const at = (who: string) => inTurn(store, who, turns)
  const twin = createMemoryForgettableItems({ log, quarantine: createMemoryQuarantine() })
  const forgetting: ForgetDeps = {
    ...deps,
    store: at('forget'),
    quarantine: { read: async () => null },
    items: {
      ...twin,
      forgetEvent: async (...args) => {
        await turns.wait('forget')
        return twin.forgetEvent(...args)
      },
    },
  }
  const forget = () =>
    forgetRecipient(
      {
        match,
        endpointIds: ['endpoint'],
        isDryRun: false,
        signal: new AbortController().signal,
        onLooked: () => undefined,
      },
      forgetting,
    )
  const work = (who: string) =>
    harness.dispatch([receivedOf({ body, attempt: given.attempt ?? 1 })], { store: at(who) })
  const begin: Record<Other, () => Promise<unknown>> = {
    twice: () => work('other worker'),
    operator: async () => {
      const delivery = await at('operator').read(summaryKey)
      if (delivery === null) return
      const how = { dueMs: nowMs - 1_000, reason: 'replayed_by_operator' } as const
      await beginNextRound(delivery, how, { ...deps, store: at('operator') })
    },
    releaser: () => releaseWith(at('releaser')),
    'operator and releaser': async () => {
      await begin.operator()
      await releaseWith(at('operator'))
    },
  }
  const summaryKey = { endpointId: 'endpoint', eventId: event.id }
  const releaseWith = (by: typeof store) =>
    release({ endsAtMs: nowMs + 50_000 }, { ...deps, endpoints: harness.endpoints, log, store: by })

  const check = async (): Promise<void> => {
    const posts = harness.posts.length
    for (const message of harness.sent.map(messageIn)) await harness.dispatch([receivedOf(message)])
    // A replay that came between the deliveries and the log is due by now, and what was sent comes to a worker.
    await harness.turn(3_600_000)
    await release({ endsAtMs: nowMs + 9_000_000 }, { ...deps, endpoints: harness.endpoints, log, store })
    const late = [...harness.sent, ...harness.deadLetters].map(messageIn)
    for (const message of late) await harness.dispatch([receivedOf(message)])
    expect(harness.posts).toHaveLength(posts)
    const item = await store.read(summaryKey)
    const ends = item?.state === 'delivered' ? 'delivered' : `${item?.state} ${item?.reason}`
    expect(given.status === 200 ? ['delivered', 'cancelled forgotten'] : ['cancelled forgotten']).toContain(
      ends,
    )
    if (posts > 0 && given.status === 200 && given.others.length === 0) expect(ends).toBe('delivered')
    expect(JSON.stringify([item, log.all()])).not.toContain(address)
    // Copies of a dead letter were sent only where it was written before; the queue is gone through last.
    const messages = harness.deadLetters.map(({ body: text }) => ({
      messageId: 'm',
      receiptHandle: 'r',
      body: text,
      reason: null,
      sentAtMs: nowMs,
    }))
    expect(copiesOf(messages, match)).toEqual(messages)
  }
  const workers = given.attempt === null ? [] : [work('worker')]
  return { programs: [forget(), ...workers, ...given.others.map(other => begin[other]())], check }
}

const waiting = failedBefore({ position: { round: 1, attempt: 1 } })
const lastTry = failedBefore({ position: { round: 1, attempt: 3 } })

describe('in whatever order the calls come, nothing of the address stays and nothing is POSTed after it', () => {
  test.each<[string, Given]>([
    ['a first success', { before: null, status: 200, attempt: 1, others: [] }],
    ['a first failure', { before: null, status: 503, attempt: 1, others: [] }],
    ['a success after a failure', { before: waiting, status: 200, attempt: 2, others: [] }],
    ['another failure', { before: waiting, status: 503, attempt: 2, others: [] }],
    ['a dead letter', { before: lastTry, status: 503, attempt: 4, others: [] }],
    ['an endpoint that is gone', { before: waiting, status: 410, attempt: 2, others: [] }],
    ['two workers with one message', { before: waiting, status: 200, attempt: 2, others: ['twice'] }],
    ['a dead letter that is replayed', { before: lastTry, status: 503, attempt: 4, others: ['operator'] }],
    ['a success that is replayed', { before: waiting, status: 200, attempt: 2, others: ['operator'] }],
    [
      'a replay that the releaser sends at once',
      { before: lastTry, status: 200, attempt: null, others: ['operator and releaser'] },
    ],
    ['a releaser', { before: waiting, status: 503, attempt: 2, others: ['releaser'] }],
  ])(
    '%s',
    async (_, given) => {
      expect(await inEveryOrder(turns => beginWorld(given, turns))).toBeGreaterThan(5)
    },
    30_000,
  )
})
