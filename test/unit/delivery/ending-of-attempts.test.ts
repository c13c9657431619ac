import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { attemptOf, statusOf } from '../../../shared/domain/delivery/attempt.ts'
import { queueDelayMsMax } from '../../../shared/domain/delivery/delivery-queue.ts'
import { graceMs } from '../../../shared/domain/delivery/delivery-record.ts'
import { deletedEarlyAfterMs } from '../../../shared/domain/delivery/early-deletion.ts'
import { hasAnswers, withoutAnswers } from '../../../shared/domain/delivery/forgotten-delivery.ts'
import { faultsLastMsMax, sendOne } from '../../../shared/domain/delivery/own-fault.ts'
import { pauseUntilMs, roundMsMax } from '../../../shared/domain/delivery/retry-policy.ts'
import {
  answered,
  createHarness,
  deliveryOf,
  endpointOf,
  idOf,
  messageIn,
  nowMs,
  receivedOf,
  settled,
} from './harness.ts'

const down = async (): Promise<never> => {
  throw new BridgeError({ code: 'table_unavailable', message: 'no answer', hint: 'Wait.' })
}
const failed = (reason: string) => async () => [{ kind: 'failed', reason } as const]
const refused = { kind: 'failed', reason: 'connection_refused', tookMs: 3 } as const

describe('a failure that can not be recorded', () => {
  test.each([answered(500), answered(101), refused])(
    'is tried again, and never carried as a success: %o',
    async result => {
      const harness = await createHarness({ answer: () => result })
      await harness.dispatch([receivedOf()], { store: { ...harness.store, write: down } })
      expect(harness.sent.map(entry => messageIn(entry).deliveredBy)).toEqual([null])
      await harness.dispatch([receivedOf(harness.sent[0]?.body ?? '')])
      expect(harness.posts).toHaveLength(2)
      expect(await harness.item()).toMatchObject({ state: 'waiting' })
    },
  )
})

describe('an attempt without an answer', () => {
  test('has no status, and an answer that is empty', async () => {
    const harness = await createHarness({ answer: () => refused })
    await harness.dispatch([receivedOf()])
    expect(statusOf(refused)).toBeNull()
    expect((await harness.item())?.attempts).toEqual([
      {
        position: { round: 1, attempt: 1 },
        atMs: nowMs,
        tookMs: 3,
        status: null,
        reason: 'connection_refused',
        answer: '',
      },
    ])
  })

  test('is told with its reason and without a status', async () => {
    const harness = await createHarness({ answer: () => refused })
    await harness.dispatch([receivedOf()])
    expect(harness.happenings[0]).toMatchObject({
      kind: 'attempt',
      status: null,
      reason: 'connection_refused',
      tookMs: 3,
    })
  })
})

test('an answer below 200 is no success', async () => {
  const harness = await createHarness({ answer: () => answered(101) })
  await harness.dispatch([receivedOf()])
  expect(await harness.item()).toMatchObject({ state: 'waiting', reason: 'http_101' })
})

test('a success that a message carries is an answer of that status, at that time', () => {
  expect(attemptOf({ atMs: 5, tookMs: 40, status: 204 })).toMatchObject({
    atMs: 5,
    result: { kind: 'answered', status: 204, tookMs: 40, retryAtMs: null },
  })
})

describe('a retry', () => {
  test.each([
    [queueDelayMsMax, queueDelayMsMax + graceMs, 1],
    [queueDelayMsMax + 1, queueDelayMsMax + 1, 0],
  ])('in %i ms is due in %i ms by the index, and %i times in the queue', async (delayMs, dueInMs, sent) => {
    const harness = await createHarness({ answer: () => answered(500) })
    await harness.dispatch([receivedOf()], { schedule: [delayMs] })
    expect(await harness.item()).toMatchObject({ retryAtMs: nowMs + delayMs, dueMs: nowMs + dueInMs })
    expect(harness.sent.map(entry => entry.delayMs)).toEqual(Array.from({ length: sent }, () => delayMs))
  })
})

describe('what is recorded of a delivery', () => {
  test('that was cancelled is the place before the attempt that was not made', async () => {
    const harness = await createHarness({ endpoints: [endpointOf({ state: 'removed' })] })
    await harness.dispatch([receivedOf({ attempt: 3 })])
    expect(await harness.item()).toMatchObject({
      state: 'cancelled',
      reason: 'endpoint_removed',
      position: { round: 1, attempt: 2 },
    })
  })

  test('that dies at its first failure is when that was', async () => {
    const harness = await createHarness({ answer: () => answered(500) })
    await harness.dispatch([receivedOf()], { schedule: [] })
    expect(await harness.item()).toMatchObject({ state: 'dead', firstFailureAtMs: nowMs, dueMs: nowMs })
  })

  test('that waits for an operator has no first failure: its schedule’s time does not run', async () => {
    const harness = await createHarness({
      endpoints: [endpointOf({ state: 'disabled', stateReason: 'answered_410' })],
    })
    await harness.dispatch([receivedOf()])
    expect(await harness.item()).toMatchObject({ state: 'held', firstFailureAtMs: null, dueMs: nowMs })
  })

  test('that has no key to be signed with is held for as long as it takes, beyond its schedule', async () => {
    const harness = await createHarness()
    const firstFailureAtMs = nowMs - 10 * roundMsMax(harness.deps.schedule)
    await harness.store.write(deliveryOf({ firstFailureAtMs }), { kind: 'unsettled_before', rank: 1e9 })
    const credentials = {
      ...harness.deps.credentials,
      credentialsOf: async () => ({ kind: 'none', reason: 'key_missing' }) as const,
    }
    await harness.dispatch([receivedOf({ attempt: 2 })], { credentials })
    expect(await harness.item()).toMatchObject({ state: 'held', reason: 'key_missing', dueMs: nowMs })
    expect(harness.deadLetters).toEqual([])
  })
})

describe('a write', () => {
  test('that was taken at once is not looked at again', async () => {
    const harness = await createHarness()
    let reads = 0
    const read = async (...key: Parameters<typeof harness.store.read>) => {
      reads += 1
      return harness.store.read(...key)
    }
    await harness.dispatch([receivedOf()], { store: { ...harness.store, read } })
    expect([reads, (await harness.item())?.state]).toEqual([0, 'delivered'])
  })

  test.each([200, 500])(
    'that is refused where nothing is found any more is told as settled elsewhere, after a %i',
    async status => {
      const harness = await createHarness({ answer: () => answered(status) })
      const write = async () => 'refused' as const
      await harness.dispatch([receivedOf()], { store: { ...harness.store, write } })
      expect(harness.happenings.at(-1)).toEqual({
        kind: 'duplicate',
        event: idOf('one'),
        endpoint: 'endpoint',
        attempt: 1,
        reason: 'settled_elsewhere',
      })
      expect(harness.sent).toEqual([])
    },
  )
})

describe('faults of ours', () => {
  test('that last beyond a day are told as they are, with no delay', async () => {
    const harness = await createHarness()
    const faults = { count: 99, sinceMs: nowMs - faultsLastMsMax - 1 }
    await harness.dispatch([receivedOf({}, { faults })], { store: { ...harness.store, readMany: down } })
    expect(harness.happenings).toEqual([
      {
        kind: 'fault',
        event: idOf('one'),
        endpoint: 'endpoint',
        reason: 'table_unavailable',
        hint: 'Wait.',
        delayMs: 0,
      },
    ])
  })

  test('that the queue does not put off are told together with that', async () => {
    const harness = await createHarness()
    await harness.dispatch([receivedOf()], {
      store: { ...harness.store, readMany: down },
      queue: { send: failed('throttled') },
    })
    expect(harness.happenings).toMatchObject([
      { kind: 'fault', reason: 'table_unavailable', delayMs: 0 },
      { kind: 'fault', reason: 'queue_failed', delayMs: 0, event: idOf('one'), endpoint: 'endpoint' },
    ])
  })

  test('in sending are values: the code of ours, `unexpected` of others, and no result at all', async () => {
    expect(await sendOne(down)).toEqual({ kind: 'failed', reason: 'table_unavailable' })
    expect(await sendOne(() => Promise.reject(new Error('x')))).toEqual({
      kind: 'failed',
      reason: 'unexpected',
    })
    expect(await sendOne(async () => [])).toEqual({ kind: 'failed', reason: 'no_result' })
  })

  test('with the slow lane put a message for it off on its own lane', async () => {
    const harness = await createHarness({ endpoints: [endpointOf({ slow: true })] })
    const sent: string[] = []
    const send: typeof harness.deps.queue.send = async ([entry]) => {
      sent.push(`${entry?.lane} ${entry?.delayMs}`)
      return [entry?.lane === 'slow' ? { kind: 'failed', reason: 'throttled' } : { kind: 'sent' }]
    }
    await harness.dispatch([receivedOf()], { queue: { send } })
    expect(sent).toEqual(['slow 0', 'fast 5000'])
    expect(harness.happenings).toMatchObject([{ kind: 'fault', reason: 'queue_failed', delayMs: 5_000 }])
  })
})

test('what is settled is deleted early lane by lane', async () => {
  const waiting = Promise.withResolvers<void>()
  const slow = idOf('slow')
  const harness = await createHarness({
    answer: async ({ headers }) => {
      if (headers['webhook-id'] === slow) await waiting.promise
      return answered(200)
    },
  })
  const deleted: string[] = []
  const deleteMessages: typeof harness.deps.deleter.deleteMessages = async (lane, messages) => {
    deleted.push(...messages.map(message => `${lane} ${message.messageId}`))
  }
  const [one, two] = [receivedOf(), receivedOf({ eventId: idOf('two') }, { lane: 'slow' })]
  const ended = harness.dispatch([one, two, receivedOf({ eventId: slow })], { deleter: { deleteMessages } })
  await settled()
  await harness.turn(deletedEarlyAfterMs)
  waiting.resolve()
  await ended
  expect(deleted.toSorted()).toEqual([`fast ${one.messageId}`, `slow ${two.messageId}`])
})

describe('Retry-After of the whole endpoint', () => {
  test.each([
    [answered(429, { retryAtMs: nowMs + 1 }), nowMs + 1],
    [answered(503, { retryAtMs: nowMs }), null],
    [answered(503, { retryAtMs: nowMs - 1 }), null],
    [answered(503), null],
    [answered(502, { retryAtMs: nowMs + 1 }), null],
    [refused, null],
  ])('of %o is %o', (result, until) => {
    expect(pauseUntilMs(result, nowMs)).toBe(until)
  })
})

test('a delivery has answers where any of its attempts has one', () => {
  const attempt = { position: { round: 1, attempt: 1 }, atMs: 1, tookMs: 1, status: 500, reason: 'http_500' }
  const some = deliveryOf({
    attempts: [
      { ...attempt, answer: '' },
      { ...attempt, answer: 'no' },
    ],
  })
  expect([hasAnswers(some), hasAnswers(withoutAnswers(some))]).toEqual([true, false])
})
