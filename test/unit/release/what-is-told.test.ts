import { describe, expect, test } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryHeartbeatStore } from '../../../shared/adapters/memory/heartbeat-store.ts'
import type { IndexEntry } from '../../../shared/domain/delivery/delivery-store.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { TellResult } from '../../../shared/domain/endpoint/operator-events.ts'
import { countStanding } from '../../../shared/domain/release/count-standing.ts'
import { dropHeld } from '../../../shared/domain/release/drop-held.ts'
import { measureBacklog } from '../../../shared/domain/release/measure-backlog.ts'
import { heldAllowance } from '../../../shared/domain/release/release-pace.ts'
import { sendHeartbeats } from '../../../shared/domain/release/send-heartbeats.ts'
import { tellDisabled } from '../../../shared/domain/release/tell-disabled.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { createTestClock, deliveryOf, endpointOf, idOf, nowMs, second, settled } from '../delivery/harness.ts'
import { createHarness } from './harness.ts'

describe('the operator of a disabled endpoint', () => {
  const create = async (
    results: (endpoints: readonly Endpoint[]) => TellResult[],
    stateReason: string | null,
  ) => {
    const harness = await createHarness({ endpoints: [] })
    const disabled = endpointOf({ state: 'disabled', stateReason, stateSinceMs: nowMs })
    const asked: number[] = []
    const told: string[] = []
    const endpoints = {
      untold: async () => [disabled],
      setTold: async ({ id }: Pick<Endpoint, 'id'>) => {
        await settled()
        told.push(id)
      },
    }
    const operator = {
      tellDisabled: async (of: readonly Endpoint[]) => {
        asked.push(of.length)
        return results(of)
      },
    }
    return { ...harness, asked, told, endpoints, deps: { ...harness.deps, endpoints, operator } }
  }

  test('was told once the run is over, for whatever reason', async () => {
    const { deps, told, happenings } = await create(() => [{ kind: 'told' }], null)
    await tellDisabled(deps)
    expect(told).toEqual(['endpoint'])
    expect(happenings).toEqual([{ kind: 'operator_told', endpoint: 'endpoint', reason: 'endpoint_disabled' }])
  })

  test('hears the reason that the endpoint has', async () => {
    const { deps, happenings } = await create(() => [{ kind: 'told' }], 'answered_410')
    await tellDisabled(deps)
    expect(happenings).toMatchObject([{ kind: 'operator_told', reason: 'answered_410' }])
  })

  test('is told by the next run where nothing came back', async () => {
    const { deps, told, happenings } = await create(() => [], 'answered_410')
    await tellDisabled(deps)
    expect(told).toEqual([])
    expect(happenings).toMatchObject([
      { kind: 'fault', event: null, endpoint: 'endpoint', reason: 'no_result', delayMs: 0 },
    ])
  })

  test('is not asked for where there is nothing to tell', async () => {
    const { deps, endpoints, asked } = await create(() => [], null)
    await tellDisabled({ ...deps, endpoints: { ...endpoints, untold: async () => [] } })
    expect(asked).toEqual([])
  })

  test('is told once more where that can not be written, and the fault is told', async () => {
    const { deps, endpoints, happenings } = await create(() => [{ kind: 'known' }], null)
    const setTold = async () => Promise.reject(new Error('no table'))
    await tellDisabled({ ...deps, endpoints: { ...endpoints, setTold } })
    expect(happenings).toMatchObject([{ kind: 'fault', endpoint: 'endpoint', reason: 'unexpected' }])
  })
})

describe('the backlog', () => {
  const endsAtMs = nowMs + 50_000

  test('is told of an endpoint that has as many waiting as dead', async () => {
    const harness = await createHarness()
    await harness.put({ eventId: idOf('waiting'), dueMs: nowMs })
    await harness.put({ eventId: idOf('dead'), state: 'dead', dueMs: nowMs })
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(harness.happenings).toMatchObject([
      { kind: 'endpoint_backlog', waiting: 1, held: 0, dead: 1 },
      { kind: 'backlog', waiting: 1, held: 0, dead: 1 },
    ])
  })

  test('of all is as old as the oldest of any endpoint', async () => {
    const harness = await createHarness({ endpoints: [endpointOf(), endpointOf({ id: 'other' })] })
    await harness.put({ eventId: idOf('new'), dueMs: nowMs })
    await harness.put({ eventId: idOf('old', second - 100), endpointId: 'other', dueMs: nowMs })
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(harness.happenings.at(-1)).toMatchObject({ kind: 'backlog', oldestWaitingSeconds: 160 })
  })

  test.each([
    ['first', ['old', 'new', 'newer']],
    ['last', ['newer', 'new', 'old']],
    ['between', ['new', 'old', 'newer']],
  ])('has the oldest event also where the index shows it %s', async (_, order) => {
    const seconds: Record<string, number> = { old: second - 10, new: second, newer: second + 10 }
    const entries = order.map((uuid): IndexEntry => {
      const eventId = idOf(uuid, seconds[uuid] ?? 0)
      return { endpointId: 'endpoint', state: 'held', dueMs: nowMs, eventId }
    })
    const of = { endpointId: 'endpoint', state: 'held', nowMs, perShardMax: 10 } as const
    expect(await countStanding({ due: async () => entries }, of)).toEqual({
      count: 3,
      atLeast: false,
      oldestEventMs: (second - 10) * 1_000,
    })
  })
})

describe('dropping what is held', () => {
  const dropped = (reason = 'held', count = 3) =>
    Array.from({ length: count }, (_, at) =>
      deliveryOf({ eventId: idOf(`event ${at}`), state: 'held', dueMs: nowMs, retryAtMs: null, reason }),
    )

  test('asks for more of the index by as many as it has seen, and for no items beyond those', async () => {
    const harness = await createHarness()
    for (const delivery of dropped()) await harness.put(delivery)
    const asked: string[] = []
    const { store } = harness
    const watched = {
      ...store,
      due: (query: Parameters<typeof store.due>[0]) => {
        asked.push(`index ${query.limit}`)
        return store.due(query)
      },
      readMany: (keys: Parameters<typeof store.readMany>[0]) => {
        asked.push(`items ${keys.length}`)
        return store.readMany(keys)
      },
    }
    const run = { endpointId: 'endpoint', signal: new AbortController().signal, onProgress: () => undefined }
    expect(await dropHeld(run, { ...harness.deps, store: watched })).toEqual({ dropped: 3, complete: true })
    expect(asked).toEqual(['index 100', 'items 3', 'index 103'])
  })

  test('leaves alone what the index shows as held and is not any more, and goes on to what it shows next', async () => {
    const harness = await createHarness()
    const [one, two] = [idOf('one'), idOf('two')]
    await harness.put({ eventId: one, state: 'waiting', dueMs: nowMs + 1_000 })
    await harness.put({ eventId: two, state: 'held', dueMs: nowMs, retryAtMs: null })
    const entry = { endpointId: 'endpoint', state: 'held', dueMs: nowMs } as const
    const pages: IndexEntry[][] = [
      [{ ...entry, eventId: one }],
      [
        { ...entry, eventId: one },
        { ...entry, eventId: two },
      ],
    ]
    let asked = 0
    const due = async () => pages[Math.min(asked++, 1)] ?? []
    const run = { endpointId: 'endpoint', signal: new AbortController().signal, onProgress: () => undefined }
    expect(await dropHeld(run, { ...harness.deps, store: { ...harness.store, due } })).toEqual({
      dropped: 1,
      complete: true,
    })
    expect([(await harness.item('one'))?.state, (await harness.item('two'))?.state]).toEqual([
      'waiting',
      'cancelled',
    ])
  })
})

test('an endpoint that was never in trouble gets all that it limits not', () => {
  const { health, limits } = endpointOf()
  const now = { nowMs: 30_000, everyMs: 60_000 }
  expect(heldAllowance({ health, limits }, now)).toEqual({ count: Number.POSITIVE_INFINITY, spreadMs: 0 })
  const limited = { ...limits, maxPerSecond: 5 }
  expect(heldAllowance({ health, limits: limited }, now)).toEqual({ count: 300, spreadMs: 60_000 })
})

describe('heartbeats', () => {
  const create = async (sources = 0) => {
    const harness = await createHarness({
      endpoints: ['a', 'b'].map(id => endpointOf({ id, heartbeatEverySeconds: 300 })),
    })
    for (let at = 0; at < sources; at += 1) {
      const source = {
        ...sourceDefaults,
        id: `source ${at}`,
        baseUrl: 'https://service.example',
        tokenSecret: 't',
      }
      await harness.sources.put(source)
    }
    const deps = {
      ...harness.deps,
      clock: createTestClock().clock,
      cursors: createMemoryCursorStore(),
      heartbeats: createMemoryHeartbeatStore(),
    }
    return { ...harness, deps }
  }

  test('that are sent are told by nobody but their endpoint', async () => {
    const { deps, sent, happenings } = await create()
    await sendHeartbeats({ endsAtMs: nowMs + 1 }, deps)
    expect([sent.map(({ group }) => group).toSorted(), happenings]).toEqual([['a', 'b'], []])
  })

  test('that the queue does not take are told, each', async () => {
    const { deps, happenings } = await create()
    const queue = { send: async () => [{ kind: 'failed', reason: 'throttled' } as const] }
    await sendHeartbeats({ endsAtMs: nowMs + 1 }, { ...deps, queue })
    expect(happenings).toMatchObject([
      { kind: 'fault', event: null, reason: 'queue_failed', delayMs: 0 },
      { kind: 'fault', event: null, reason: 'queue_failed', delayMs: 0 },
    ])
  })

  test('are left out by a run that has no time left', async () => {
    const { deps, sent } = await create()
    await sendHeartbeats({ endsAtMs: nowMs }, deps)
    expect(sent).toEqual([])
  })

  test('tell of so many sources as fit a message', async () => {
    const { deps, sent } = await create(1_002)
    await sendHeartbeats({ endsAtMs: nowMs + 1 }, deps)
    const told = JSON.parse(JSON.parse(sent[0]?.body ?? '').body)
    expect(told.data.sources).toHaveLength(1_000)
  })
})
