import { describe, expect, test } from 'vitest'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { purgeDead, replayDead } from '../../../shared/domain/replay/change-dead.ts'
import { nowMs } from '../delivery/harness.ts'
import { createHarness, deadOf, pagesOf, planOf } from './harness.ts'

const calm = { signal: new AbortController().signal, onProgress: () => undefined, isRemoved: () => false }
const nothingLeft = { movedOn: 0, expired: 0, endpointRemoved: 0, diedSince: 0 }
const names = ['a', 'b', 'c', 'd']

describe('replaying dead letters', () => {
  test('spreads them over time by the rate, from where the plan is', async () => {
    const dead = names.map(name => deadOf(name))
    const { deps, item, plans } = await createHarness(dead)
    const plan = planOf({ nextDueMs: nowMs + 10_000 })
    const pages = pagesOf(dead.slice(0, 2), dead.slice(2))
    const done = await replayDead({ ...calm, pages, plan, ratePerSecond: 4 }, deps)
    expect(done).toEqual({ replayed: 4, left: nothingLeft, lastDueMs: nowMs + 10_750, complete: true })
    const due = await Promise.all(names.map(async name => (await item(name))?.dueMs))
    expect(due).toEqual([10_000, 10_250, 10_500, 10_750].map(ms => nowMs + ms))
    expect(await plans.read(plan.name)).toBeNull()
  })

  test('leaves what moved on, expired, died since it began, or was for an endpoint that is removed', async () => {
    const [moved, expired, since, removed, plain] = [
      deadOf('moved'),
      deadOf('expired', { expiresAtSeconds: nowMs / 1_000 }),
      deadOf('since', { updatedAtMs: nowMs }),
      deadOf('removed', { endpointId: 'gone' }),
      deadOf('plain'),
    ]
    const all = [moved, expired, since, removed, plain]
    const { deps, put, item } = await createHarness(all)
    await put({ ...moved, writeId: 'another' })
    const of = { ...calm, isRemoved: (id: string) => id === 'gone', plan: planOf(), ratePerSecond: 1 }
    expect(await replayDead({ ...of, pages: pagesOf(all) }, deps)).toMatchObject({
      replayed: 1,
      left: { movedOn: 1, expired: 1, endpointRemoved: 1, diedSince: 1 },
    })
    const states = ['moved', 'expired', 'since', 'plain'].map(async name => (await item(name))?.state)
    expect(await Promise.all(states)).toEqual(['dead', 'dead', 'dead', 'waiting'])
    expect((await item('removed', 'gone'))?.state).toBe('dead')
  })

  test('ends after the page under way, and keeps the pace for the same call', async () => {
    const dead = names.map(name => deadOf(name))
    const { deps, plans } = await createHarness(dead)
    const stop = new AbortController()
    const pages = pagesOf(dead.slice(0, 2), dead.slice(2))
    const first = await replayDead(
      {
        ...calm,
        pages,
        plan: planOf(),
        ratePerSecond: 1,
        signal: stop.signal,
        onProgress: () => stop.abort(),
      },
      deps,
    )
    expect(first).toMatchObject({ replayed: 2, complete: false })
    const left = await plans.read('replay-1')
    expect(left).toEqual(planOf({ nextDueMs: nowMs + 2_000 }))
    if (left === null) return
    const rest = await replayDead(
      { ...calm, pages: pagesOf(dead.slice(2)), plan: left, ratePerSecond: 1 },
      deps,
    )
    expect(rest).toMatchObject({ replayed: 2, lastDueMs: nowMs + 3_000, complete: true })
  })
})

describe('purging dead letters', () => {
  test('cancels them with the reason and out of the index, but for what moved on', async () => {
    const [one, moved] = [deadOf('one'), deadOf('moved')]
    const { deps, put, item, store } = await createHarness([one, moved])
    await put({ ...moved, writeId: 'another' })
    const progress: number[] = []
    const onProgress = ({ changed }: { changed: number }) => void progress.push(changed)
    const pages = pagesOf<readonly Delivery[]>([one, moved])
    expect(await purgeDead({ ...calm, pages, onProgress }, deps)).toEqual({
      purged: 1,
      movedOn: 1,
      complete: true,
    })
    expect(await item('one')).toEqual({
      ...one,
      state: 'cancelled',
      reason: 'purged_by_operator',
      dueMs: null,
      writeId: 'begin-1',
      updatedAtMs: nowMs,
    })
    const due = await store.due({ endpointId: 'endpoint', state: 'dead', untilMs: nowMs, limit: 9 })
    expect(due.map(({ eventId }) => eventId)).toEqual([moved.eventId])
    expect(progress).toEqual([1])
  })

  test('ends after the page under way when it is interrupted', async () => {
    const dead = names.map(name => deadOf(name))
    const { deps, item } = await createHarness(dead)
    const stop = new AbortController()
    const pages = pagesOf(dead.slice(0, 3), dead.slice(3))
    const of = { ...calm, pages, signal: stop.signal, onProgress: () => stop.abort() }
    expect(await purgeDead(of, deps)).toEqual({ purged: 3, movedOn: 0, complete: false })
    expect((await item('d'))?.state).toBe('dead')
  })
})
