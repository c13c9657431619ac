import { describe, expect, test } from 'vitest'
import type { DeliveryState } from '../../../shared/domain/delivery/delivery.ts'
import { noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import { eventsAtOnceMax, recover, sumOf } from '../../../shared/domain/replay/recover.ts'
import { recoverModes } from '../../../shared/domain/replay/recover-rules.ts'
import { deliveryOf, endpointOf, idOf, nowMs, second } from '../delivery/harness.ts'
import { eventOf } from '../release/harness.ts'
import { createHarness, planOf, toRecover } from './harness.ts'

const old = { loggedAtMs: nowMs - 2 * 3_600_000 }
const states: readonly DeliveryState[] = ['waiting', 'held', 'delivered', 'dead', 'cancelled']

/** An event for each state of its delivery, and one that has none. */
const allStates = async () => {
  const events = ['missing', ...states].map(name => eventOf(name, old))
  const harness = await createHarness(
    states.map(state =>
      deliveryOf({ eventId: idOf(state), state, writeId: state, position: { round: 1, attempt: 2 } }),
    ),
  )
  await harness.log.record(events)
  return { ...harness, events }
}

describe('recover', () => {
  test.each([
    ['missing', ['missing']],
    ['failed', ['dead']],
    ['all', ['missing', 'delivered', 'dead', 'cancelled']],
  ] as const)('of %s sets these, and never what goes out by itself: %j', async (only, expected) => {
    const { events, deps, item } = await allStates()
    const done = await recover(toRecover(events, { only }), deps)
    expect(done).toMatchObject({ looked: 6, complete: true, left: { unsettled: 2 } })
    expect(sumOf(done.set)).toBe(expected.length)
    const set = ['missing', ...states].map(async name =>
      (await item(name))?.reason === 'recovered_by_operator' ? name : null,
    )
    expect((await Promise.all(set)).filter(name => name !== null)).toEqual(expected)
    const position = async (name: string) => (await item(name))?.position
    if (only !== 'failed') expect(await position('missing')).toEqual({ round: 1, attempt: 0 })
    if (only === 'all') expect(await position('delivered')).toEqual({ round: 2, attempt: 0 })
  })

  test.each(recoverModes)('of %s counts the same, and writes nothing, in a dry run', async only => {
    const dry = await allStates()
    const before = await Promise.all(states.map(name => dry.item(name)))
    const counted = await recover(toRecover(dry.events, { only, isDryRun: true }), dry.deps)
    expect(await Promise.all(states.map(name => dry.item(name)))).toEqual(before)
    expect([await dry.item('missing'), await dry.plans.read('replay-1')]).toEqual([null, null])
    const wet = await allStates()
    expect(await recover(toRecover(wet.events, { only }), wet.deps)).toEqual(counted)
  })

  test('sends what an endpoint wants by now: its types, and its filters by the body', async () => {
    const body = (domain: string) =>
      JSON.stringify({ data: { recipient: { domain }, sender: { domain: null } } })
    const events = [
      eventOf('hard', { ...old, body: body('a.example') }),
      eventOf('soft', { ...old, type: 'email.bounce.soft', body: body('a.example') }),
      eventOf('elsewhere', { ...old, body: body('b.example') }),
    ]
    const { log, deps, item } = await createHarness()
    await log.record(events)
    const filters = { ...noFilters, recipientDomains: ['a.example'] }
    const endpoint = endpointOf({ types: ['email.bounce.hard'], filters })
    const done = await recover(toRecover(events, { endpoint }), deps)
    expect([done.set.missing, done.left.unwanted]).toEqual([1, 2])
    expect((await item('hard'))?.state).toBe('waiting')
  })

  test('leaves what was enqueued within the hour, unless it matched no more than now', async () => {
    const events = [
      eventOf('enqueued'),
      eventOf('not-for-it', { endpointIds: ['other'] }),
      eventOf('old', old),
    ]
    const { deps, item } = await createHarness()
    const done = await recover(toRecover(events), deps)
    expect([done.set.missing, done.left.onItsWay]).toEqual([2, 1])
    expect(await item('enqueued')).toBeNull()
  })

  test('leaves what expires, and what was written since it began', async () => {
    const events = [eventOf('expired', { ...old, expiresAtSeconds: nowMs / 1_000 }), eventOf('again', old)]
    const again = deliveryOf({ eventId: idOf('again'), state: 'delivered', updatedAtMs: nowMs })
    const { deps } = await createHarness([again])
    const done = await recover(toRecover(events, { only: 'all' }), deps)
    expect([sumOf(done.set), done.left.expired, done.left.since]).toEqual([0, 1, 1])
  })

  test('takes for missing nothing of the first second of a stream that was only logged as seen', async () => {
    const seen = eventOf('seen', { ...old, endpointIds: [] })
    const after = eventOf('after', { ...old, endpointIds: [], second: second + 1 })
    const of = { floorSecondOf: () => second }
    const one = await createHarness()
    const missing = await recover(toRecover([seen, after], of), one.deps)
    expect([missing.set.missing, missing.left.seenAtStart]).toEqual([1, 1])
    const other = await createHarness()
    expect((await recover(toRecover([seen, after], { ...of, only: 'all' }), other.deps)).set.missing).toBe(2)
  })

  test('keeps its place and pace, so that it sets nothing twice though some was delivered meanwhile', async () => {
    const events = Array.from({ length: eventsAtOnceMax + 20 }, (_, at) => eventOf(`e${at}`, old)).sort(
      (a, b) => (a.id < b.id ? -1 : 1),
    )
    const delivered = events.map(({ id }) => deliveryOf({ eventId: id, state: 'delivered', writeId: id }))
    const { deps, plans, store, put, turn } = await createHarness(delivered)
    const stop = new AbortController()
    const interrupted = { only: 'all', signal: stop.signal, onProgress: () => stop.abort() } as const
    const first = await recover(toRecover(events, interrupted), deps)
    expect(first).toMatchObject({ set: { delivered: eventsAtOnceMax }, complete: false })
    const left = await plans.read('replay-1')
    expect(left).toEqual(
      planOf({ placeId: events[eventsAtOnceMax - 1]?.id ?? '', nextDueMs: nowMs + 10_000 }),
    )
    if (left === null) return
    await turn(1_000)
    // The bridge delivers some again before the command goes on, from before its place: even so none is set twice.
    const [again] = events
    const item = await store.read({ endpointId: 'endpoint', eventId: again?.id ?? '' })
    if (item === null) return
    await put({ ...item, state: 'delivered', updatedAtMs: nowMs + 500, dueMs: null, retryAtMs: null })
    const rest = await recover(toRecover(events, { only: 'all', plan: { ...left, placeId: null } }), deps)
    expect(rest).toMatchObject({
      set: { delivered: 20 },
      left: { since: 1, unsettled: eventsAtOnceMax - 1 },
      lastDueMs: nowMs + 11_900,
      complete: true,
    })
    expect(await plans.read('replay-1')).toBeNull()
  })

  test('counts what the bridge wrote between reading and writing', async () => {
    const dead = deliveryOf({ state: 'dead' })
    const { deps, put, store } = await createHarness([dead])
    const meddling = {
      ...store,
      readMany: async (...keys: Parameters<typeof store.readMany>) => {
        const found = await store.readMany(...keys)
        await put({ ...dead, writeId: 'another' })
        return found
      },
    }
    const done = await recover(toRecover([eventOf('one', old)], { only: 'failed' }), {
      ...deps,
      store: meddling,
    })
    expect([sumOf(done.set), done.left.movedOn]).toEqual([0, 1])
  })
})
