import { describe, expect } from 'vitest'
import type { SimulatorSetup } from '../../infra/simulator/simulator.ts'
import { expectExactly, expectLinesMatch } from './harness/checks.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, test } from './harness/world.ts'

// Each of these waits for a minute of the service, or of the bridge, to pass; so all of them at once.
const patienceMs = 110_000

describe.concurrent('what takes a minute', () => {
  test('--once ends with 1 when the source has failed for 60 s on end', async ({ world }) => {
    const simulator = await world.simulator({ fault: [{ fault: 500, share: 1 }] })
    const receiver = await world.receiver()
    const startedAt = Date.now()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { once: true, 'poll-every': '1' },
    })
    expect(await bridge.ended(patienceMs)).toEqual({ code: 1, signal: null })
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(60_000)
    expect(bridge.stderr()).toMatch(/complaints could not be read to the end: feedback_server_error/)
    // Never a hot loop: it asks more and more seldom.
    expect(simulator.requestCount).toBeLessThan(30)
    expect(receiver.posts).toEqual([])
  })

  const limits: readonly { title: string; service: SimulatorSetup }[] = [
    { title: 'told in headers, the reset in seconds', service: { reset: 'seconds' } },
    { title: 'told in headers, the reset a time', service: { reset: 'unix' } },
    { title: 'not told', service: { rateLimitHeaders: 'never' } },
  ]
  for (const { title, service } of limits) {
    test(`a limit of 60 requests a minute, ${title}, is never reached by a backlog of more pages`, async ({
      world,
    }) => {
      const simulator = await world.simulator({ ...service, rateLimit: 60, pageSize: 3 })
      simulator.add('bounces', recordsUntil(nowSecond() - 300, 55, 3))
      simulator.add('complaints', recordsUntil(nowSecond() - 300, 4, 3))
      const receiver = await world.receiver()
      const bridge = world.bridge({
        simulator,
        receivers: [receiver],
        dataDir: await world.dataDir(),
        flags: { once: true, 'requests-per-minute': null, 'poll-every': '5' },
      })
      expect(await bridge.ended(patienceMs)).toEqual({ code: 0, signal: null })
      expectExactly(receiver, idsOf(simulator))
      expectLinesMatch(bridge, [receiver])
      expect(simulator.requests.filter(({ status }) => status !== 200)).toEqual([])
      expect(simulator.requestCount).toBeGreaterThan(48)
      // A fifth of the limit is left to others in any minute.
      const times = simulator.requests.map(({ atMs }) => atMs)
      const inMinute = times.map(from => times.filter(at => at >= from && at < from + 60_000).length)
      expect(Math.max(...inMinute)).toBeLessThanOrEqual(48)
    })
  }

  test('a request that is never answered is given up, and asked again', async ({ world }) => {
    const simulator = await world.simulator({ pageSize: 5 })
    simulator.add('bounces', recordsUntil(nowSecond() - 100, 8, 2))
    simulator.add('complaints', recordsUntil(nowSecond() - 100, 4, 2))
    let bouncePages = 0
    simulator.setIntercept(({ path }) => {
      if (!path.endsWith('/bounces')) return undefined
      bouncePages += 1
      return bouncePages === 2 ? { fault: 'timeout' } : undefined
    })
    const receiver = await world.receiver()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { once: true },
    })
    await world.change.until(
      'the other stream arrives meanwhile',
      () => receiver.posts.filter(({ event }) => event.type === 'email.complaint').length === 8,
    )
    expect(bridge.polls().filter(({ outcome }) => outcome === 'failed')).toEqual([])
    expect(await bridge.ended(patienceMs)).toEqual({ code: 0, signal: null })
    expect(bridge.polls().filter(({ outcome }) => outcome === 'failed').length).toBe(1)
    expectExactly(receiver, idsOf(simulator))
    expectLinesMatch(bridge, [receiver])
  })
})
