import { describe, expect, test } from 'vitest'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { noOutcomes as none } from '../../../shared/domain/delivery/batch-outcomes.ts'
import { createEndpointDirectory } from '../../../shared/domain/delivery/endpoint-directory.ts'
import { createHealthKeeper } from '../../../shared/domain/delivery/health-keeper.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { type BatchOutcomes, goodHealth, windowMs } from '../../../shared/domain/endpoint/endpoint-health.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { createTestClock, endpointOf, nowMs } from './harness.ts'

const successes = (count: number): BatchOutcomes => ({ ...none, successes: count, lastSuccessAtMs: nowMs })
const failure: BatchOutcomes = { ...none, failures: 1, failuresSinceSuccess: 1, failingSinceMs: nowMs }
const due = { sinceMs: nowMs - 60_000, because: 'failing_share', probes: 0, nextProbeAtMs: nowMs } as const

const create = async (...stored: Endpoint[]) => {
  const { clock, turn } = createTestClock()
  const store = createMemoryEndpointStore()
  for (const endpoint of stored) await store.put(endpoint)
  const happenings: Happening[] = []
  const reporter = { report: (happening: Happening) => void happenings.push(happening) }
  const writes: string[] = []
  const endpoints = {
    ...store,
    writeHealth: async (...[id, health]: Parameters<typeof store.writeHealth>) => {
      writes.push(id)
      return store.writeHealth(id, health)
    },
  }
  const directory = createEndpointDirectory({ endpoints, clock, reporter })
  const noted: string[] = []
  const watched = {
    ...directory,
    noteHealth: async (...[id, health]: Parameters<typeof directory.noteHealth>) => {
      noted.push(id)
      return directory.noteHealth(id, health)
    },
  }
  const keeper = (of: Partial<typeof endpoints> = {}) =>
    createHealthKeeper({
      endpoints: { ...endpoints, ...of },
      directory: watched,
      reporter,
      clock,
      random: () => 0.5,
    })
  const health = async () => (await store.read('endpoint'))?.health
  return { keeper, turn, store, writes, noted, happenings, health }
}

describe('successes that were not written', () => {
  test('go along with the next failure, for as long as a window lasts since the first of them', async () => {
    const { keeper, turn, writes, health } = await create(endpointOf())
    const kept = keeper()
    await kept.note('endpoint', successes(3))
    await turn(windowMs - 1)
    await kept.note('endpoint', successes(4))
    expect(writes).toEqual([])
    await kept.note('endpoint', failure)
    expect((await health())?.window).toMatchObject({ failures: 1, successes: 7 })
  })

  test('are forgotten when that time is over, also the later ones', async () => {
    const { keeper, turn, health } = await create(endpointOf())
    const kept = keeper()
    await kept.note('endpoint', successes(3))
    await turn(windowMs - 1)
    await kept.note('endpoint', successes(4))
    await turn(1)
    await kept.note('endpoint', failure)
    expect((await health())?.window).toMatchObject({ failures: 1, successes: 0 })
  })

  test('begin a new time after that', async () => {
    const { keeper, turn, health } = await create(endpointOf())
    const kept = keeper()
    await kept.note('endpoint', successes(3))
    await turn(windowMs)
    await kept.note('endpoint', successes(4))
    await turn(windowMs - 1)
    await kept.note('endpoint', failure)
    expect((await health())?.window).toMatchObject({ failures: 1, successes: 4 })
  })

  test('are counted once, beside those of the batch that fails', async () => {
    const { keeper, health } = await create(endpointOf())
    const kept = keeper()
    await kept.note('endpoint', successes(2))
    await kept.note('endpoint', { ...failure, successes: 3, lastSuccessAtMs: nowMs })
    expect((await health())?.window).toMatchObject({ failures: 1, successes: 5 })
    await kept.note('endpoint', failure)
    expect((await health())?.window).toMatchObject({ failures: 2, successes: 5 })
  })
})

describe('what a batch met', () => {
  test('is written where it has as many failures as refusals for the rate', async () => {
    const { keeper, health } = await create(endpointOf())
    await keeper().note('endpoint', { ...failure, throttled: 1 })
    expect(await health()).toMatchObject({ failuresInRow: 1, failingSinceMs: nowMs })
  })

  test('is written where it was a success of an endpoint in trouble', async () => {
    const { keeper, health } = await create(endpointOf({ health: { ...goodHealth, failuresInRow: 3 } }))
    await keeper().note('endpoint', successes(1))
    expect(await health()).toMatchObject({ failuresInRow: 0 })
  })

  test.each(['disabled', 'removed'] as const)('is not written for an endpoint that is %s', async state => {
    const { keeper, writes, happenings } = await create(endpointOf({ state }))
    await keeper().note('endpoint', failure)
    expect([writes, happenings]).toEqual([[], []])
  })

  test('of an endpoint that is no more is dropped', async () => {
    const { keeper, writes, happenings } = await create()
    await keeper().note('endpoint', failure)
    expect([writes, happenings]).toEqual([[], []])
  })
})

describe('the probe of an open breaker', () => {
  const open = endpointOf({ health: { ...goodHealth, open: due } })

  test('is this process’s once its health is written, and known here at once', async () => {
    const { keeper, noted, health } = await create(open)
    expect(await keeper().claimProbe(open)).toBe(true)
    expect(noted).toEqual(['endpoint'])
    expect((await health())?.open?.probes).toBe(1)
  })

  test('is another’s where the write is refused, and nothing is known by it', async () => {
    const { keeper, noted } = await create(open)
    expect(await keeper({ writeHealth: async () => false }).claimProbe(open)).toBe(false)
    expect(noted).toEqual([])
  })

  test('is not taken before it is due', async () => {
    const { keeper, writes } = await create(open)
    const early = endpointOf({ health: { ...goodHealth, open: { ...due, nextProbeAtMs: nowMs + 1 } } })
    expect(await keeper().claimProbe(early)).toBe(false)
    expect(writes).toEqual([])
  })

  test('is not taken where the table is away, and that is told', async () => {
    const { keeper, happenings } = await create(open)
    const writeHealth = async () => Promise.reject(new Error('no table'))
    expect(await keeper({ writeHealth }).claimProbe(open)).toBe(false)
    expect(happenings).toMatchObject([
      { kind: 'fault', event: null, endpoint: 'endpoint', reason: 'unexpected', delayMs: 0 },
    ])
  })
})
