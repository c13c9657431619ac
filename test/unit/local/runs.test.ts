import { describe, expect, test } from 'vitest'
import { startRuns } from '../../../infra/local/runs.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const start = (of: { complete: (tries: number) => boolean | Error; ready?: () => number }) => {
  const clock = createVirtualClock(0)
  const log: string[] = []
  const beats: number[] = []
  let tries = 0
  const releaser = async (event: unknown) => {
    const isStart = typeof event === 'object' && event !== null && 'start' in event
    log.push(`${isStart ? 'start' : 'release'} ${clock.now()}`)
    if (!isStart) return { released: 0, reconciled: 0, complete: true }
    tries += 1
    const complete = of.complete(tries)
    if (complete instanceof Error) throw complete
    return { released: 0, reconciled: 0, complete }
  }
  const poller = async (_tick: unknown, limits: { endsAtMs?: number; signal?: AbortSignal } = {}) => {
    log.push(`poll ${clock.now()} to ${limits.endsAtMs}`)
    await clock.sleep((limits.endsAtMs ?? 0) - clock.now(), limits.signal)
  }
  const runs = startRuns({
    bridge: {
      ...{ clock, releaser, poller, release: () => log.push('let go') },
      heartbeats: async () => void beats.push(clock.now()),
    },
    depth: async () => ({ ready: of.ready?.() ?? 0, delayed: 3 }),
    onFault: (whose, error) => log.push(`${whose}: ${String(error)}`),
  })
  return { clock, log, beats, runs }
}

describe('the runs of a bridge', () => {
  test('heartbeats are looked after every 15 s once the start is through, until the bridge stops', async () => {
    const { clock, beats, runs } = start({ complete: () => true })
    await clock.turnTo(31_000)
    expect(beats).toEqual([0, 15_000, 30_000])
    await runs.stop(0)
    await clock.turnTo(120_000)
    expect(beats).toHaveLength(3)
  })

  test('what earlier starts left is sent again before anything is polled', async () => {
    const { clock, log, runs } = start({ complete: () => true })
    await clock.turnTo(61_000)
    expect(log).toEqual([
      ...['start 0', 'poll 0 to 150000', 'release 0', 'release 15000', 'release 30000', 'release 45000'],
      ...['poll 60000 to 210000', 'release 60000'],
    ])
    expect(runs.hasStarted()).toBe(true)
    await runs.stop(0)
  })

  test('a start that did not get through everything is repeated, once what it sent is through', async () => {
    let ready = 2
    const { clock, log, runs } = start({ complete: tries => tries > 1, ready: () => ready })
    await clock.turnTo(1_000)
    expect([log, runs.hasStarted()]).toEqual([['start 0'], false])
    ready = 0
    await clock.turnTo(1_500)
    expect(log.slice(0, 3)).toEqual(['start 0', 'start 1250', 'poll 1250 to 151250'])
    await runs.stop(0)
  })

  test('a start that fails again and again is told, and does not keep the source from being polled', async () => {
    const { clock, log, runs } = start({ complete: () => new Error('no table') })
    await clock.turnTo(10_000)
    expect(log.filter(line => line.startsWith('start'))).toHaveLength(5)
    expect(log.filter(line => line === 'releaser: Error: no table')).toHaveLength(5)
    expect(log.filter(line => line.startsWith('poll'))).toHaveLength(1)
    await runs.stop(0)
  })

  test('once polling is stopped nothing is polled again, while releasing goes on', async () => {
    const { clock, log, runs } = start({ complete: () => true })
    await clock.turnTo(1_000)
    await runs.stopPolling()
    await clock.turnTo(130_000)
    expect(log.filter(line => line.startsWith('poll'))).toEqual(['poll 0 to 150000'])
    expect(log.at(-1)).toBe('release 120000')
    await runs.stop(0)
  })
})
