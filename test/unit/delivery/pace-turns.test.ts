import { describe, expect, test } from 'vitest'
import { createMemoryPaceStore } from '../../../shared/adapters/memory/pace-store.ts'
import type { Clock } from '../../../shared/domain/clock.ts'
import { createPaceGate, type PaceStore, paceTriesMax } from '../../../shared/domain/delivery/pace-gate.ts'
import { type EndpointLimits, noLimits } from '../../../shared/domain/endpoint/endpoint.ts'
import { paceWaitMsMax } from '../../../shared/domain/endpoint/pace-policy.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { createTestClock, endpointOf, nowMs, settled } from './harness.ts'

const down = async (): Promise<never> => {
  throw new Error('no table')
}

/** The turns of a batch with so many attempts; `enter` says by the name of an attempt when it has its turn. */
const create = (
  limits: Partial<EndpointLimits>,
  wanted: number,
  of: { store?: PaceStore; clock?: Clock } = {},
) => {
  const { clock, turn } = createTestClock()
  const store = of.store ?? createMemoryPaceStore()
  const asked: string[] = []
  const failing = new Set<'read' | 'write'>()
  const paces: PaceStore = {
    read: id => {
      asked.push('read')
      return failing.has('read') ? down() : store.read(id)
    },
    write: async (id, state) => {
      asked.push('write')
      return failing.has('write') ? false : store.write(id, state)
    },
  }
  const happenings: Happening[] = []
  const reporter = { report: (happening: Happening) => void happenings.push(happening) }
  const gate = createPaceGate(
    { paces, clock: of.clock ?? clock, reporter, newId: () => 'mine' },
    () => wanted,
  )
  const endpoint = endpointOf({ limits: { ...noLimits, ...limits } })
  const leaves = new Map<string, () => void>()
  const turns: string[] = []
  const enter = async (name: string): Promise<void> => {
    const leave = await gate.enter(endpoint)
    turns.push(`${name} ${leave === null ? 'is set aside' : 'begins'}`)
    if (leave !== null) leaves.set(name, leave)
  }
  const leave = (name: string): void => leaves.get(name)?.()
  return { gate, turn, store, asked, failing, happenings, turns, enter, leave }
}

describe('a slot', () => {
  test('that is left while nobody waits is there for who comes later', async () => {
    const { turn, turns, enter, leave } = create({ maxPerSecond: 2, maxInFlight: 1 }, 2)
    void enter('one')
    void enter('two')
    await settled()
    leave('one')
    await settled()
    expect(turns).toEqual(['one begins'])
    await turn(500)
    expect(turns).toEqual(['one begins', 'two begins'])
  })

  test('goes to who still waits for it, not to who was set aside before', async () => {
    const { turn, turns, enter, leave } = create({ maxPerSecond: 1, maxInFlight: 1 }, 3)
    for (const name of ['one', 'two', 'three']) void enter(name)
    await settled()
    await turn(1_000)
    await turn(1_000)
    await turn(1_000)
    expect(turns).toEqual(['one begins', 'two is set aside'])
    leave('one')
    await settled()
    expect(turns).toEqual(['one begins', 'two is set aside', 'three begins'])
  })

  test('is given back by who has it, to each one after the other', async () => {
    const { turns, enter, leave } = create({ maxInFlight: 1 }, 3)
    for (const name of ['one', 'two', 'three']) void enter(name)
    await settled()
    leave('one')
    await settled()
    expect(turns).toEqual(['one begins', 'two begins'])
    leave('two')
    await settled()
    expect(turns).toEqual(['one begins', 'two begins', 'three begins'])
  })

  test.each([0, 1, 2, 3, 4])(
    'given in the moment in which it was too late is not lost: %i steps after that',
    async steps => {
      const { clock, turn } = createTestClock()
      const wakes: (() => void)[] = []
      const sleep: Clock['sleep'] = () => new Promise(resolve => wakes.push(resolve))
      const { turns, enter, leave } = create({ maxInFlight: 1 }, 3, { clock: { now: clock.now, sleep } })
      await enter('one')
      void enter('two')
      await settled()
      wakes[0]?.()
      for (let step = 0; step < steps; step += 1) await Promise.resolve()
      leave('one')
      await turn(0)
      // Whoever has it, it can be left and taken again.
      leave('two')
      await enter('three')
      expect(turns.at(-1)).toBe('three begins')
      expect(turns[1]).toMatch(/^two (begins|is set aside)$/)
    },
  )

  test('that comes in time leaves no timer behind', async () => {
    const { clock } = createTestClock()
    const signals: AbortSignal[] = []
    const sleep: Clock['sleep'] = (ms, signal) => {
      if (signal !== undefined) signals.push(signal)
      return clock.sleep(ms, signal)
    }
    const { turns, enter, leave } = create({ maxInFlight: 1 }, 2, { clock: { now: clock.now, sleep } })
    await enter('one')
    void enter('two')
    await settled()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    leave('one')
    await settled()
    expect([turns.length, signals.map(({ aborted }) => aborted)]).toEqual([2, [true]])
  })
})

describe('what a batch asks of the table', () => {
  test('is one reading and one write to take, and the same to give back', async () => {
    const { gate, asked, enter, store } = create({ maxInFlight: 5 }, 2)
    await Promise.all([enter('one'), enter('two')])
    expect(asked).toEqual(['read', 'write'])
    await gate.close()
    expect(asked).toEqual(['read', 'write', 'read', 'write'])
    expect((await store.read('endpoint')).leases).toEqual([])
  })

  test('is nothing to give back where it took no slots', async () => {
    const { gate, asked, enter } = create({ maxPerSecond: 5 }, 1)
    await enter('one')
    await gate.close()
    expect(asked).toEqual(['read', 'write'])
  })

  test('is no write where others have every slot', async () => {
    const store = createMemoryPaceStore()
    const lease = { id: 'theirs', slots: 1, untilMs: nowMs + 60_000 }
    await store.write('endpoint', { version: 1, nextAtMs: 0, leases: [lease] })
    const { gate, asked, turn, turns, enter } = create({ maxInFlight: 1 }, 1, { store })
    void enter('one')
    for (let waitedMs = 0; waitedMs <= paceWaitMsMax; waitedMs += 250) {
      await settled()
      await turn(250)
    }
    expect(turns).toEqual(['one is set aside'])
    expect(asked).not.toContain('write')
    await gate.close()
    expect((await store.read('endpoint')).leases).toEqual([lease])
    expect(asked).not.toContain('write')
  })
})

describe('giving back', () => {
  test('takes away the batch’s own lease and leaves those of others', async () => {
    const store = createMemoryPaceStore()
    const theirs = { id: 'theirs', slots: 1, untilMs: nowMs + 60_000 }
    await store.write('endpoint', { version: 1, nextAtMs: 0, leases: [theirs] })
    const { gate, enter } = create({ maxInFlight: 3 }, 2, { store })
    await enter('one')
    expect((await store.read('endpoint')).leases).toHaveLength(2)
    await gate.close()
    expect((await store.read('endpoint')).leases).toEqual([theirs])
  })

  test('is tried a few times where other dispatchers write each time; then the lease ends by itself', async () => {
    const { gate, asked, failing, enter, store, happenings } = create({ maxInFlight: 3 }, 1)
    await enter('one')
    failing.add('write')
    await gate.close()
    expect(asked.filter(what => what === 'write')).toHaveLength(1 + paceTriesMax)
    expect((await store.read('endpoint')).leases).toMatchObject([{ id: 'mine', slots: 1 }])
    expect(happenings).toEqual([])
  })

  test('that fails is told, and ends the batch no worse', async () => {
    const { gate, failing, enter, happenings } = create({ maxInFlight: 3 }, 1)
    await enter('one')
    failing.add('read')
    await gate.close()
    expect(happenings).toMatchObject([
      { kind: 'fault', event: null, endpoint: 'endpoint', reason: 'unexpected', delayMs: 0 },
    ])
  })
})

test('an endpoint without limits is asked nothing, and every attempt begins at once', async () => {
  const { gate, asked, turns, enter, leave } = create({}, 2)
  await Promise.all([enter('one'), enter('two')])
  leave('one')
  await gate.close()
  expect([asked, turns]).toEqual([[], ['one begins', 'two begins']])
})
