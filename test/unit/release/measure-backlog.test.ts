import { describe, expect, it } from 'vitest'
import { createHandler, measureEveryMs } from '../../../functions/releaser/handler.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { countedPerShardMax, measureBacklog } from '../../../shared/domain/release/measure-backlog.ts'
import { endpointOf, idOf, nowMs, second } from '../delivery/harness.ts'
import { createHarness } from './harness.ts'

const endsAtMs = nowMs + 50_000
const backlogs = (happenings: readonly Happening[]) =>
  happenings.filter(one => one.kind === 'backlog' || one.kind === 'endpoint_backlog')
const none = {
  ...{ waiting: 0, held: 0, dead: 0, oldestHeldSeconds: null, oldestWaitingSeconds: null, atLeast: false },
}

describe('the backlog', () => {
  it('is counted by endpoint and state, with the age of the oldest event, whatever its due time', async () => {
    const endpoints = [endpointOf(), endpointOf({ id: 'other' }), endpointOf({ id: 'idle' })]
    const harness = await createHarness({ endpoints })
    const held = { state: 'held', dueMs: nowMs + 900_000 } as const
    await harness.put({ eventId: idOf('held'), ...held })
    await harness.put({ eventId: idOf('older', second - 3_600), ...held, dueMs: nowMs + 950_000 })
    await harness.put({ eventId: idOf('waiting'), dueMs: nowMs - 1 })
    await harness.put({ eventId: idOf('dead'), state: 'dead', dueMs: nowMs })
    await harness.put({ eventId: idOf('elsewhere'), endpointId: 'other', dueMs: nowMs })
    await harness.put({ eventId: idOf('done'), state: 'delivered', dueMs: null })
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(backlogs(harness.happenings)).toEqual([
      {
        ...{ kind: 'endpoint_backlog', endpoint: 'endpoint', waiting: 1, held: 2, dead: 1 },
        ...{ oldestHeldSeconds: 3_660, oldestWaitingSeconds: 60, atLeast: false },
      },
      { ...none, kind: 'endpoint_backlog', endpoint: 'other', waiting: 1, oldestWaitingSeconds: 60 },
      {
        ...{ kind: 'backlog', endpoints: 3, waiting: 2, held: 2, dead: 1 },
        ...{ oldestHeldSeconds: 3_660, oldestWaitingSeconds: 60, atLeast: false },
      },
    ])
  })

  it('is told as nothing where there is none', async () => {
    const harness = await createHarness()
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(backlogs(harness.happenings)).toEqual([{ ...none, kind: 'backlog', endpoints: 1 }])
  })

  it('is "at least" where an endpoint has more than are counted', async () => {
    const harness = await createHarness()
    const limits: number[] = []
    const entry = { endpointId: 'endpoint', eventId: idOf('one'), state: 'held', dueMs: nowMs } as const
    harness.deps.store = {
      ...harness.store,
      due: async ({ state, limit }) => {
        limits.push(limit)
        return state === 'held' ? Array.from({ length: limit }, () => entry) : []
      },
    }
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(limits).toEqual([countedPerShardMax, countedPerShardMax, countedPerShardMax])
    expect(backlogs(harness.happenings)).toMatchObject([
      { kind: 'endpoint_backlog', held: countedPerShardMax, atLeast: true },
      { kind: 'backlog', held: countedPerShardMax, atLeast: true },
    ])
  })

  it('is "at least" where one endpoint can not be read, which is told and stops no other', async () => {
    const harness = await createHarness({ endpoints: [endpointOf(), endpointOf({ id: 'other' })] })
    await harness.put({ eventId: idOf('one'), endpointId: 'other', dueMs: nowMs })
    harness.deps.store = {
      ...harness.store,
      due: query =>
        query.endpointId === 'other' ? harness.store.due(query) : Promise.reject(new Error('away')),
    }
    await measureBacklog({ endsAtMs }, harness.deps)
    expect(harness.happenings.filter(one => one.kind === 'fault')).toMatchObject([{ endpoint: 'endpoint' }])
    expect(backlogs(harness.happenings)).toMatchObject([
      { kind: 'endpoint_backlog', endpoint: 'other', waiting: 1 },
      { kind: 'backlog', waiting: 1, atLeast: true },
    ])
  })

  it('regression: is counted of other endpoints first each time, where there is not time enough for all', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => `endpoint-${String(at).padStart(2, '0')}`)
    const harness = await createHarness({ endpoints: ids.map(id => endpointOf({ id })) })
    const counted = new Set<string>()
    for (let run = 0; run < 10; run += 1) {
      const endsAtRunMs = harness.deps.clock.now() + 12
      const store: typeof harness.deps.store = {
        ...harness.store,
        due: async query => {
          if (query.state === 'dead') counted.add(query.endpointId)
          if (query.state === 'waiting') await harness.turn(1)
          return []
        },
      }
      await measureBacklog({ endsAtMs: endsAtRunMs }, { ...harness.deps, store })
      await harness.turn(measureEveryMs)
    }
    expect([...counted].sort()).toEqual(ids)
  })

  it('is "at least" where the time is over, and nothing more is asked', async () => {
    const harness = await createHarness()
    await harness.put({ eventId: idOf('one'), dueMs: nowMs })
    await measureBacklog({ endsAtMs: nowMs }, harness.deps)
    expect(backlogs(harness.happenings)).toEqual([{ ...none, kind: 'backlog', endpoints: 1, atLeast: true }])
  })
})

describe('the releaser', () => {
  it('counts the backlog every five minutes, where it is to', async () => {
    const harness = await createHarness()
    const handler = createHandler({ ...harness.deps, measures: true })
    const counted = () => backlogs(harness.happenings).length
    await handler({})
    expect(counted()).toBe(1)
    await harness.turn(measureEveryMs - 1)
    await handler({})
    expect(counted()).toBe(1)
    await harness.turn(1)
    await handler({})
    expect(counted()).toBe(2)
  })

  it('counts nothing where nobody asks for it', async () => {
    const harness = await createHarness()
    await createHandler(harness.deps)({})
    expect(backlogs(harness.happenings)).toEqual([])
  })
})
