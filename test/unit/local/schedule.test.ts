import { describe, expect, test } from 'vitest'
import { startSchedule } from '../../../infra/local/schedule.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'

const start = (of: { overlaps: boolean; runMs: number; fails?: boolean }) => {
  const clock = createVirtualClock(0)
  const begun: number[] = []
  const ended: number[] = []
  const errors: unknown[] = []
  const schedule = startSchedule({
    everyMs: 60_000,
    overlaps: of.overlaps,
    run: async signal => {
      begun.push(clock.now())
      if (of.fails) throw new Error('no table')
      await clock.sleep(of.runMs, signal)
      ended.push(clock.now())
    },
    onError: error => errors.push(error),
    clock,
  })
  return { clock, begun, ended, errors, schedule }
}

describe('a schedule', () => {
  test('runs at once and then every minute, although the last run goes on', async () => {
    const { clock, begun, schedule } = start({ overlaps: true, runMs: 150_000 })
    await clock.turnTo(125_000)
    expect(begun).toEqual([0, 60_000, 120_000])
    await schedule.stop()
  })

  test('where runs do not overlap, the next one waits for the last', async () => {
    const { clock, begun, schedule } = start({ overlaps: false, runMs: 70_000 })
    await clock.turnTo(150_000)
    expect(begun).toEqual([0, 70_000, 140_000])
    await schedule.stop()
  })

  test('a run that fails is told, and the next one comes at its time', async () => {
    const { clock, begun, errors, schedule } = start({ overlaps: false, runMs: 0, fails: true })
    await clock.turnTo(60_000)
    expect([begun, errors.length]).toEqual([[0, 60_000], 2])
    await schedule.stop()
  })

  test('stopping tells the runs under way to end and waits for them', async () => {
    const { clock, begun, ended, schedule } = start({ overlaps: true, runMs: 150_000 })
    await clock.turnTo(61_000)
    await schedule.stop()
    await clock.turnTo(600_000)
    expect([begun, ended]).toEqual([
      [0, 60_000],
      [61_000, 61_000],
    ])
  })
})
