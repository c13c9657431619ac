import { describe, expect } from 'vitest'
import type { SimulatorSetup } from '../../infra/simulator/simulator.ts'
import { expectExactly, expectLinesMatch } from './harness/checks.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { type BridgeOf, idsOf, test, type World } from './harness/world.ts'

const settled = async (world: World, of: BridgeOf) => {
  const bridge = world.bridge({ ...of, flags: { once: true, ...of.flags } })
  expect(await bridge.ended()).toEqual({ code: 0, signal: null })
  return bridge
}

describe.concurrent('a source that fails now and then', () => {
  const faults: readonly { title: string; service: SimulatorSetup }[] = [
    {
      title: 'status 500 and 503, in the form that is specified',
      service: {
        fault: [
          { fault: 500, share: 0.1 },
          { fault: 503, share: 0.1 },
        ],
      },
    },
    { title: 'status 502 in HTML', service: { fault: [{ fault: 502, share: 0.2 }], errorBody: 'html' } },
    {
      title: 'status 500 without a body',
      service: { fault: [{ fault: 500, share: 0.2 }], errorBody: 'empty' },
    },
    { title: 'garbage in place of a page', service: { fault: [{ fault: 'garbage', share: 0.2 }] } },
    {
      title: 'HTML or nothing in place of a page',
      service: {
        fault: [
          { fault: 'html', share: 0.1 },
          { fault: 'empty', share: 0.1 },
        ],
        lastId: 'timelogged',
      },
    },
    { title: 'a page cut short', service: { fault: [{ fault: 'truncated', share: 0.2 }] } },
    { title: 'a connection that is reset', service: { fault: [{ fault: 'reset', share: 0.2 }] } },
    {
      title: 'all of these, with order ignored',
      service: {
        order: 'ignored',
        errorBody: 'detail',
        fault: (['garbage', 'html', 'empty', 'truncated', 'reset', 500] as const).map(fault => ({
          fault,
          share: 0.04,
        })),
      },
    },
  ]
  for (const { title, service } of faults) {
    test(`faults of the service cost no record and no duplicate: ${title}`, async ({ world }) => {
      const simulator = await world.simulator({ pageSize: 10, seed: 11, ...service })
      simulator.add('bounces', recordsUntil(nowSecond() - 100, 18, 3))
      simulator.add('complaints', recordsUntil(nowSecond() - 100, 10, 2))
      const receiver = await world.receiver()
      const bridge = await settled(world, {
        simulator,
        receivers: [receiver],
        dataDir: await world.dataDir(),
        flags: { 'poll-every': '0.1' },
      })
      expectExactly(receiver, idsOf(simulator))
      expectLinesMatch(bridge, [receiver])
      const failed = bridge.polls().filter(({ outcome }) => outcome === 'failed')
      expect(failed.length).toBeGreaterThan(0)
    })
  }

  for (const reset of ['1', 'time', null] as const) {
    test(`a 429 is waited out as its headers say, with a reset ${reset === null ? 'that it does not tell' : reset === '1' ? 'in seconds' : 'that is a time'}`, async ({
      world,
    }) => {
      const simulator = await world.simulator({ pageSize: 6, rateLimitHeaders: 'never' })
      simulator.add('bounces', recordsUntil(nowSecond() - 100, 10, 2))
      const limitedAt: number[] = []
      const askedAt: number[] = []
      simulator.setIntercept(() => {
        askedAt.push(Date.now())
        if (askedAt.length !== 3) return undefined
        limitedAt.push(Date.now())
        const resetHeader = {
          'x-ratelimit-limit': '60',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': reset === 'time' ? String(Math.ceil(Date.now() / 1000) + 2) : '2',
        }
        return {
          status: 429,
          headers: { 'retry-after': '2', ...(reset === null ? {} : resetHeader) },
          body: '{"errors":["Too many requests."]}',
        }
      })
      const receiver = await world.receiver()
      const bridge = await settled(world, {
        simulator,
        receivers: [receiver],
        dataDir: await world.dataDir(),
      })
      expectExactly(receiver, idsOf(simulator))
      expectLinesMatch(bridge, [receiver])
      const [limited = 0] = limitedAt
      // A request that was under way already may follow at once: one of each stream.
      expect(askedAt.filter(at => at > limited + 200 && at < limited + 1_900)).toEqual([])
    })
  }
})
