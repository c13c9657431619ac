import { describe, expect, test } from 'vitest'
import type { IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import { goodHealth } from '../../../shared/domain/endpoint/endpoint-health.ts'
import {
  createDueEntries,
  entriesAtOnceMax,
  entriesLeftMax,
  entriesPerShardMax,
  leaseMs,
  lostQueueHorizonMs,
} from '../../../shared/domain/release/due-entries.ts'
import { endDelivery } from '../../../shared/domain/release/end-delivery.ts'
import { release } from '../../../shared/domain/release/release.ts'
import { createTestClock, deliveryOf, endpointOf, idOf, messageIn, nowMs } from '../delivery/harness.ts'
import { createHarness, held, waiting } from './harness.ts'

const open = {
  sinceMs: nowMs,
  because: 'failing_share',
  probes: 0,
  nextProbeAtMs: nowMs + 3_600_000,
} as const
const down = async (): Promise<never> => {
  throw new Error('no table')
}

/** A releaser that tells what it asks of index, items and queue. */
const watched = async (of: Parameters<typeof createHarness>[0] = {}) => {
  const harness = await createHarness(of)
  const asked: string[] = []
  const { store } = harness
  const deps = {
    ...harness.deps,
    store: {
      ...store,
      due: (query: Parameters<typeof store.due>[0]) => {
        asked.push(`${query.state} of ${query.endpointId}, ${query.limit}`)
        return store.due(query)
      },
      readMany: (keys: Parameters<typeof store.readMany>[0]) => {
        asked.push(`${keys.length} items`)
        return store.readMany(keys)
      },
    },
    queue: {
      send: (entries: Parameters<typeof harness.deps.queue.send>[0]) => {
        asked.push(`queue, ${entries.length}`)
        return harness.deps.queue.send(entries)
      },
    },
  }
  return { ...harness, deps, asked }
}

describe('what a run asks', () => {
  const first = entriesPerShardMax

  test('is the index until it shows nothing more, and no item whose due time says enough', async () => {
    const harness = await watched()
    await harness.given('one', waiting)
    expect(await release(harness, harness.deps)).toEqual({ sent: 1, complete: true })
    expect(harness.asked).toEqual([
      `waiting of endpoint, ${first}`,
      'queue, 1',
      `held of endpoint, ${first}`,
      `waiting of endpoint, ${first}`,
    ])
  })

  test('is the items of those alone that are due at the run’s begin or later', async () => {
    const harness = await watched()
    await harness.given('sure', waiting)
    await harness.given('unsure', { ...waiting, dueMs: nowMs, retryAtMs: nowMs })
    await release({ ...harness, horizonMs: lostQueueHorizonMs }, harness.deps)
    expect(harness.asked.filter(what => what.endsWith('items'))).toEqual(['1 items'])
    expect(harness.sentIds()).toEqual([idOf('sure'), idOf('unsure')].toSorted())
  })

  test('is the queue for nothing where nothing can be sent', async () => {
    const harness = await watched()
    await harness.put({ ...waiting, eventId: idOf('unlogged') })
    expect(await release(harness, harness.deps)).toEqual({ sent: 0, complete: true })
    expect(harness.asked.filter(what => what.startsWith('queue'))).toEqual([])
    expect(harness.happenings).toEqual([])
  })

  test('of what is held while a breaker is open is what was held for a whole round, and no more', async () => {
    const harness = await watched({ endpoints: [endpointOf({ health: { ...goodHealth, open } })] })
    await release(harness, harness.deps)
    expect(harness.asked.filter(what => what.startsWith('held'))).toEqual([`held of endpoint, ${first}`])
  })

  test('of what is held for an endpoint without pace is all, in one go', async () => {
    const harness = await watched()
    await release(harness, harness.deps)
    expect(harness.asked.filter(what => what.startsWith('held'))).toEqual([`held of endpoint, ${first}`])
  })

  test('is no more once a pace is used up', async () => {
    const harness = await watched({
      endpoints: [endpointOf({ health: { ...goodHealth, readySinceMs: nowMs } })],
    })
    for (let at = 0; at < 130; at += 1) await harness.given(`event ${at}`, held)
    await release({ endsAtMs: Number.MAX_SAFE_INTEGER }, harness.deps)
    // Two a second for a minute, in two pages.
    expect(harness.sent).toHaveLength(120)
    const pages = harness.asked.filter(what => what.startsWith('held'))
    expect(pages).toHaveLength(Math.ceil(120 / Math.min(entriesAtOnceMax, 8 * first)))
  })
})

test('what is held for a removed endpoint goes to the dispatcher, whatever its breaker says', async () => {
  const endpoint = endpointOf({ state: 'removed', health: { ...goodHealth, open } })
  const harness = await createHarness({ endpoints: [endpoint] })
  await harness.given('one', held)
  expect(await release(harness, harness.deps)).toEqual({ sent: 1, complete: true })
  expect(harness.sent.map(entry => messageIn(entry).eventId)).toEqual([idOf('one')])
})

test('a fault with one endpoint is told, and the others get what is theirs', async () => {
  const harness = await createHarness({ endpoints: [endpointOf(), endpointOf({ id: 'other' })] })
  await harness.given('one', waiting)
  await harness.given('two', { ...waiting, endpointId: 'other' })
  const log = {
    ...harness.log,
    read: (key: Parameters<typeof harness.log.read>[0]) =>
      key.eventId === idOf('one') ? down() : harness.log.read(key),
  }
  expect(await release(harness, { ...harness.deps, log })).toEqual({ sent: 1, complete: true })
  expect(harness.sentIds()).toEqual([idOf('two')])
  expect(harness.happenings).toEqual([
    expect.objectContaining({ kind: 'fault', event: null, endpoint: 'endpoint', reason: 'unexpected' }),
    { kind: 'released', endpoint: 'other', state: 'waiting', count: 1 },
  ])
})

test('an entry of which the queue says nothing is told as not sent, and comes back', async () => {
  const harness = await createHarness()
  await harness.given('one', waiting)
  const queue = { send: async () => [] }
  expect(await release(harness, { ...harness.deps, queue })).toEqual({ sent: 0, complete: true })
  expect(harness.happenings).toMatchObject([
    { kind: 'fault', event: idOf('one'), endpoint: 'endpoint', reason: 'no_result' },
  ])
  expect(await harness.item('one')).toMatchObject({ state: 'waiting', dueMs: nowMs + leaseMs })
})

test('an ending that came too late is not told', async () => {
  const harness = await createHarness()
  await harness.given('one', waiting)
  const ending = {
    state: 'dead',
    reason: 'queue_refused',
    condition: { kind: 'unchanged', writeId: 'x' },
  } as const
  await endDelivery({ ...ending, delivery: deliveryOf() }, harness.deps)
  expect(harness.happenings).toEqual([])
  expect(await harness.item('one')).toMatchObject({ state: 'waiting' })
})

describe('an index that is stale', () => {
  const entries = Array.from(
    { length: entriesLeftMax + 10 * entriesAtOnceMax },
    (_, at): IndexEntry => ({
      endpointId: 'endpoint',
      state: 'waiting',
      dueMs: nowMs - 1,
      eventId: `id ${at}`,
    }),
  )
  const createPages = async (wins: (eventId: string) => boolean) => {
    const { store, deps } = await createHarness()
    const { reporter } = deps
    const limits: number[] = []
    const moved = new Set<string>()
    const stale = {
      ...store,
      due: async ({ limit }: { limit: number }) => {
        limits.push(limit)
        // As many shards as it takes to show a whole page that is new.
        return entries.slice(moved.size, moved.size + limit + entriesAtOnceMax)
      },
      moveDue: async ({ eventId }: IndexEntry) => {
        if (!wins(eventId)) return null
        moved.add(eventId)
        return deliveryOf({ eventId })
      },
    }
    const of = { endpoint: endpointOf(), state: 'waiting', startedAtMs: nowMs, horizonMs: 0 } as const
    return { limits, pages: createDueEntries(of, { store: stale, clock: createTestClock().clock, reporter }) }
  }

  test('is gone through until so many entries stayed where they are, and no further', async () => {
    const { pages, limits } = await createPages(() => false)
    let count = 0
    while ((await pages.takePage()) !== null) count += 1
    expect([count, limits.length]).toEqual([entriesLeftMax / entriesAtOnceMax + 1, count])
    expect(limits.at(-1)).toBe(entriesLeftMax + entriesPerShardMax)
    expect(await pages.takePage()).toBeNull()
    expect(limits).toHaveLength(count)
  })

  test('is asked for no more than before where every entry could be taken', async () => {
    const { pages, limits } = await createPages(() => true)
    for (let page = 0; page < 3; page += 1) await pages.takePage()
    expect(limits).toEqual([entriesPerShardMax, entriesPerShardMax, entriesPerShardMax])
  })
})
