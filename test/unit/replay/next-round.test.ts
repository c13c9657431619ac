import { describe, expect, test } from 'vitest'
import { encodeMessage } from '../../../shared/domain/delivery/delivery-message.ts'
import { release } from '../../../shared/domain/release/release.ts'
import {
  beginFirstRound,
  beginNextRound,
  dueBeforeExpiryMs,
} from '../../../shared/domain/replay/next-round.ts'
import {
  answered,
  createHarness as createDispatcherHarness,
  deliveryOf,
  idOf,
  messageOf,
  nowMs,
  receivedOf,
  second,
} from '../delivery/harness.ts'
import { createHarness as createReleaser, eventOf } from '../release/harness.ts'
import { createHarness, deadOf } from './harness.ts'

const begin = { dueMs: nowMs + 1_000, reason: 'replayed_by_operator' } as const

describe('the next round of a delivery', () => {
  test('waits for its first attempt from the given time, and keeps the attempts of the round before', async () => {
    const attempt = {
      position: { round: 1, attempt: 10 },
      atMs: 1,
      tookMs: 2,
      status: 500,
      reason: 'http_500',
      answer: '',
    }
    const dead = deadOf('one', { attempts: [attempt] })
    const { deps, item } = await createHarness([dead])
    expect(await beginNextRound(dead, begin, deps)).toBe('begun')
    expect(await item('one')).toEqual({
      ...dead,
      state: 'waiting',
      position: { round: 2, attempt: 0 },
      retryAtMs: nowMs + 1_000,
      dueMs: nowMs + 1_000,
      firstFailureAtMs: null,
      reason: 'replayed_by_operator',
      writeId: 'begin-1',
      updatedAtMs: nowMs,
    })
  })

  test('is not begun where another write came since the delivery was read', async () => {
    const dead = deadOf('one')
    const { deps, item } = await createHarness([{ ...dead, writeId: 'another' }])
    expect(await beginNextRound(dead, begin, deps)).toBe('moved_on')
    expect((await item('one'))?.state).toBe('dead')
  })

  test('is due before its event expires, and not before now, however slow the rate', async () => {
    const expiresAtSeconds = nowMs / 1_000 + 2 * 86_400
    const [early, late] = [
      deadOf('early', { expiresAtSeconds }),
      deadOf('late', { expiresAtSeconds: nowMs / 1_000 + 60 }),
    ]
    const { deps, item } = await createHarness([early, late])
    const far = { ...begin, dueMs: nowMs + 30 * 86_400_000 }
    await beginNextRound(early, far, deps)
    await beginNextRound(late, far, deps)
    expect((await item('early'))?.dueMs).toBe(expiresAtSeconds * 1_000 - dueBeforeExpiryMs)
    expect((await item('late'))?.dueMs).toBe(nowMs)
  })

  test('is due at a whole millisecond', async () => {
    const dead = deadOf('one')
    const { deps, item } = await createHarness([dead])
    await beginNextRound(dead, { ...begin, dueMs: nowMs + 333.333 }, deps)
    expect((await item('one'))?.dueMs).toBe(nowMs + 333)
  })
})

describe('the first round of an event without a delivery', () => {
  const event = eventOf('one', { expiresAtSeconds: second + 35 * 86_400 })

  test('is a delivery that waits, as if it had been read by the poller', async () => {
    const { deps, item } = await createHarness()
    expect(await beginFirstRound(event, { ...begin, endpointId: 'endpoint' }, deps)).toBe('begun')
    expect(await item('one')).toEqual(
      deliveryOf({
        position: { round: 1, attempt: 0 },
        retryAtMs: nowMs + 1_000,
        dueMs: nowMs + 1_000,
        firstFailureAtMs: null,
        reason: 'replayed_by_operator',
        writeId: 'begin-1',
        updatedAtMs: nowMs,
      }),
    )
  })

  test.each(['waiting', 'held', 'dead', 'delivered', 'cancelled'] as const)(
    'never takes the place of one that is %s',
    async state => {
      const there = deliveryOf({ state, position: { round: 1, attempt: 0 } })
      const { deps, item } = await createHarness([there])
      expect(await beginFirstRound(event, { ...begin, endpointId: 'endpoint' }, deps)).toBe('moved_on')
      expect(await item('one')).toEqual(there)
    },
  )
})

/** What the releaser sends of a delivery, given to the dispatcher. */
const sendThrough = async (state: 'dead' | 'delivered' | 'cancelled' | null, answer = 200) => {
  const releaser = await createReleaser()
  const event = eventOf('one')
  await releaser.log.record([event])
  const before = deliveryOf({
    state: state ?? 'waiting',
    position: { round: 1, attempt: 3 },
    ...{ retryAtMs: null, dueMs: null },
  })
  const how = { ...begin, dueMs: nowMs }
  if (state === null) await beginFirstRound(event, { ...how, endpointId: 'endpoint' }, releaser.deps)
  else {
    await releaser.put(before)
    await beginNextRound(before, how, releaser.deps)
  }
  // What was written since a run began is left to the next one.
  await releaser.turn(1)
  await release({ endsAtMs: nowMs + 50_000 }, releaser.deps)
  const dispatcher = await createDispatcherHarness({ answer: () => answered(answer) })
  const given = await releaser.item('one')
  if (given !== null) {
    await dispatcher.store.write(given, { kind: 'unsettled_before', rank: 0 })
  }
  return { dispatcher, sent: releaser.sent.map(({ body }) => body) }
}

describe('what was begun', () => {
  test.each([['dead', 2] as const, ['delivered', 2] as const, ['cancelled', 2] as const, [null, 1] as const])(
    'is sent by the releaser, POSTed with the same id and settled, where it was %s before',
    async (state, round) => {
      const { dispatcher, sent } = await sendThrough(state)
      expect(sent).toHaveLength(1)
      expect(await dispatcher.dispatch(sent.map(body => receivedOf(body)))).toEqual({ failedMessageIds: [] })
      expect(dispatcher.posts.map(({ headers }) => headers['webhook-id'])).toEqual([idOf('one')])
      expect(await dispatcher.item()).toMatchObject({ state: 'delivered', position: { round, attempt: 1 } })
    },
  )

  test('fails into the schedule of its own round', async () => {
    const { dispatcher, sent } = await sendThrough('dead', 500)
    await dispatcher.dispatch(sent.map(body => receivedOf(body)))
    expect(await dispatcher.item()).toMatchObject({
      state: 'waiting',
      position: { round: 2, attempt: 1 },
      firstFailureAtMs: nowMs,
    })
  })

  test('drops messages of the round before, and the queue copy once its round is settled', async () => {
    const { dispatcher, sent } = await sendThrough('dead')
    await dispatcher.dispatch([receivedOf({ round: 1, attempt: 4 })])
    expect(dispatcher.posts).toEqual([])
    await dispatcher.dispatch(sent.map(body => receivedOf(body)))
    // The copy that the dispatcher wrote when it gave up.
    await dispatcher.dispatch([receivedOf(encodeMessage(messageOf({ round: 2, attempt: 1 })))])
    expect(dispatcher.posts).toHaveLength(1)
    expect(dispatcher.kinds().filter(kind => kind === 'duplicate')).toHaveLength(2)
  })
})
