import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { noFilters } from '../../../shared/domain/endpoint/endpoint.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { reconciledAfterMs } from '../../../shared/domain/release/due-marks.ts'
import { replayDead } from '../../../shared/domain/replay/change-dead.ts'
import { beginFirstRound } from '../../../shared/domain/replay/next-round.ts'
import { eventsAtOnceMax, recover } from '../../../shared/domain/replay/recover.ts'
import { judgeEvent } from '../../../shared/domain/replay/recover-rules.ts'
import { fitsFilters } from '../../../shared/domain/replay/wanted-events.ts'
import { deliveryOf, endpointOf, nowMs, second } from '../delivery/harness.ts'
import { eventOf } from '../release/harness.ts'
import { createHarness, deadOf, pagesOf, planOf, toRecover } from './harness.ts'

const old = { loggedAtMs: nowMs - 2 * reconciledAfterMs }
const nothingLeft = { movedOn: 0, expired: 0, endpointRemoved: 0, diedSince: 0 }
const manyOld = (count: number) =>
  Array.from({ length: count }, (_, at) => eventOf(`e${at}`, old)).toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** What hands out these, and is interrupted when it comes to its end. */
async function* endingIn<T>(stop: AbortController, ...pages: T[]): AsyncGenerator<T> {
  yield* pages
  stop.abort()
}

describe('replaying dead letters', () => {
  const calm = { signal: new AbortController().signal, isRemoved: () => false, ratePerSecond: 1 }

  test('tells after each page how many were replayed so far, and gives the operator as reason', async () => {
    const dead = ['a', 'b', 'c'].map(name => deadOf(name))
    const { deps, item } = await createHarness(dead)
    const progress: number[] = []
    const onProgress = ({ changed }: { changed: number }): void => void progress.push(changed)
    const pages = pagesOf<readonly Delivery[]>(dead.slice(0, 2), dead.slice(2))
    await replayDead({ ...calm, pages, plan: planOf(), onProgress }, deps)
    expect(progress).toEqual([2, 3])
    expect((await item('a'))?.reason).toBe('replayed_by_operator')
  })

  test('is not complete, and keeps its plan, where it was interrupted while it looked for more', async () => {
    const dead = deadOf('a')
    const { deps, plans } = await createHarness([dead])
    const stop = new AbortController()
    const pages = endingIn<readonly Delivery[]>(stop, [dead])
    const of = { ...calm, pages, plan: planOf(), onProgress: () => undefined, signal: stop.signal }
    expect(await replayDead(of, deps)).toEqual({
      replayed: 1,
      left: nothingLeft,
      lastDueMs: nowMs,
      complete: false,
    })
    expect(await plans.read('replay-1')).toEqual(planOf({ nextDueMs: nowMs + 1_000 }))
  })

  test('of none gives no due time', async () => {
    const { deps, plans } = await createHarness()
    const of = { ...calm, pages: pagesOf<readonly Delivery[]>(), plan: planOf(), onProgress: () => undefined }
    expect(await replayDead(of, deps)).toEqual({
      replayed: 0,
      left: nothingLeft,
      lastDueMs: null,
      complete: true,
    })
    expect(await plans.read('replay-1')).toBeNull()
  })
})

describe('recover', () => {
  test.each([0, 1, eventsAtOnceMax, eventsAtOnceMax + 1])(
    'of %i events tells after each step how many were set and where it is, and no more often',
    async count => {
      const events = manyOld(count)
      const { deps } = await createHarness()
      const progress: { set: number; eventId: string }[] = []
      const onProgress = (at: { set: number; eventId: string }): void => void progress.push(at)
      expect(await recover(toRecover(events, { onProgress }), deps)).toMatchObject({
        looked: count,
        complete: true,
      })
      const ends = [events[eventsAtOnceMax - 1], count > eventsAtOnceMax ? events.at(-1) : undefined]
      const steps = count === 1 ? [events[0]] : ends
      const expected = steps.flatMap(event =>
        event === undefined ? [] : [{ set: events.indexOf(event) + 1, eventId: event.id }],
      )
      expect(progress).toEqual(expected)
    },
  )

  test('is not complete, and keeps its plan, where it was interrupted while it looked for more', async () => {
    const { deps, plans } = await createHarness()
    const stop = new AbortController()
    // As many as make a step: what comes after them is looked for in vain.
    const events = manyOld(eventsAtOnceMax)
    const done = await recover(
      toRecover([], { events: endingIn(stop, ...events), signal: stop.signal }),
      deps,
    )
    expect(done).toMatchObject({ looked: eventsAtOnceMax, complete: false })
    expect((await plans.read('replay-1'))?.placeId).toBe(events.at(-1)?.id)
  })

  test('leaves the plan of a run that was interrupted alone in a dry run', async () => {
    const { deps, plans } = await createHarness()
    const plan = planOf({ placeId: 'there' })
    await plans.put(plan)
    expect(await recover(toRecover(manyOld(2), { isDryRun: true }), deps)).toMatchObject({
      complete: true,
    })
    expect(await plans.read('replay-1')).toEqual(plan)
  })

  test('asks the table for no delivery of an event whose type the endpoint does not want', async () => {
    const { deps, store } = await createHarness()
    const asked: number[] = []
    const readMany: typeof store.readMany = async keys => {
      asked.push(keys.length)
      return store.readMany(keys)
    }
    const complaint = eventOf('complaint', { ...old, type: 'email.complaint' })
    const endpoint = endpointOf({ types: ['email.bounce.*'] })
    const watched = { ...deps, store: { ...store, readMany } }
    const some = toRecover([complaint, eventOf('bounce', old)], { endpoint })
    expect(await recover(some, watched)).toMatchObject({ set: { missing: 1 }, left: { unwanted: 1 } })
    const none = toRecover([complaint], { endpoint })
    expect(await recover(none, watched)).toMatchObject({ set: { missing: 0 }, left: { unwanted: 1 } })
    expect(asked).toEqual([1])
  })
})

describe('the first round of a delivery', () => {
  test.each(['waiting', 'held', 'dead', 'delivered', 'cancelled'] as const)(
    'is not begun where there is one that is %s by now',
    async state => {
      const there = deliveryOf({ state, position: { round: 1, attempt: 0 } })
      const { deps, item } = await createHarness([there])
      const how = { endpointId: 'endpoint', dueMs: nowMs, reason: 'recovered_by_operator' } as const
      expect(await beginFirstRound(eventOf('one'), how, deps)).toBe('moved_on')
      expect(await item('one')).toEqual(there)
    },
  )
})

describe('an event that is to be recovered', () => {
  const judged = (of: Partial<Parameters<typeof judgeEvent>[0]> = {}) =>
    judgeEvent({
      event: eventOf('one', old),
      delivery: null,
      only: 'missing',
      endpoint: { id: 'endpoint' },
      plan: planOf(),
      floorSecond: null,
      nowMs,
      ...of,
    })
  const atStart = eventOf('one', { ...old, endpointIds: [] })

  test.each([
    ['is missing', {}, { kind: 'set', because: 'missing' }],
    [
      'is dead, and dead ones are asked for',
      { delivery: deliveryOf({ state: 'dead' }), only: 'failed' },
      { kind: 'set', because: 'dead' },
    ],
    [
      'is dead, and missing ones are asked for',
      { delivery: deliveryOf({ state: 'dead' }) },
      { kind: 'left', why: 'notAsked' },
    ],
    [
      'was enqueued as long ago as reconcile waits',
      { event: eventOf('one', { loggedAtMs: nowMs - reconciledAfterMs }) },
      { kind: 'set', because: 'missing' },
    ],
    [
      'was enqueued after that',
      { event: eventOf('one', { loggedAtMs: nowMs - reconciledAfterMs + 1 }) },
      { kind: 'left', why: 'onItsWay' },
    ],
    [
      'stood in the first second, and was only seen',
      { event: atStart, floorSecond: second },
      { kind: 'left', why: 'seenAtStart' },
    ],
    [
      'stood in the first second, and was only seen, where all are asked for',
      { event: atStart, floorSecond: second, only: 'all' },
      { kind: 'set', because: 'missing' },
    ],
    [
      'stood in the first second, and matched an endpoint',
      { event: eventOf('one', { ...old, endpointIds: ['other'] }), floorSecond: second },
      { kind: 'set', because: 'missing' },
    ],
    [
      'matched no endpoint after the first second',
      { event: atStart, floorSecond: second - 1 },
      { kind: 'set', because: 'missing' },
    ],
  ] as const)('and %s', (_, of, verdict) => {
    expect(judged(of)).toEqual(verdict)
  })
})

describe('whether an endpoint wants an event of the log', () => {
  const facts = { data: { recipient: { domain: 'a.example' }, sender: { domain: null } } }
  const wanting = async (filters: Partial<typeof noFilters>, event: Partial<LoggedEvent> | null = {}) => {
    const { log } = await createHarness()
    const logged = eventOf('one', { body: JSON.stringify(facts), ...event })
    if (event !== null) await log.record([logged])
    const reads: string[] = []
    const read: typeof log.read = async key => {
      reads.push(key.eventId)
      return log.read(key)
    }
    const endpoint = endpointOf({ filters: { ...noFilters, ...filters } })
    const fits = await fitsFilters(logged, endpoint, { read })
    return { fits, reads: reads.length }
  }

  test('is known without its body where no filter needs that', async () => {
    expect(await wanting({})).toEqual({ fits: true, reads: 0 })
    expect(await wanting({ sources: ['other'] })).toEqual({ fits: false, reads: 0 })
  })

  test('goes by its body where a filter needs it', async () => {
    expect(await wanting({ recipientDomains: ['a.example'] })).toEqual({ fits: true, reads: 1 })
    expect(await wanting({ recipientDomains: ['b.example'] })).toEqual({ fits: false, reads: 1 })
    expect(await wanting({ bounceCategories: ['any'] })).toEqual({ fits: false, reads: 1 })
  })

  test('is no where a filter needs its body and that is gone, or says nothing', async () => {
    expect(await wanting({ recipientDomains: ['a.example'] }, null)).toEqual({ fits: false, reads: 1 })
    expect(await wanting({ recipientDomains: ['a.example'] }, { body: 'null' })).toEqual({
      fits: false,
      reads: 1,
    })
  })

  test('is yes where one of several types fits', async () => {
    const { deps, item } = await createHarness()
    const event = eventOf('one', old)
    const endpoint = endpointOf({ types: ['email.complaint', 'email.bounce.*'] })
    await recover(toRecover([event], { endpoint }), deps)
    expect((await item('one'))?.reason).toBe('recovered_by_operator')
  })
})
