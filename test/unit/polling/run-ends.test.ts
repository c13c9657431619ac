import { describe, expect, it } from 'vitest'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { createRuns, failed } from './runs-harness.ts'

describe('a run', () => {
  it('goes on to its end where nothing says when the next one begins', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    expect(await runs.run(runs.newProcess())).toBe(150)
    expect(runs.pollsOf('bounces')).toEqual([0, 60, 120])
  })

  it('ends at once where no stream is to be polled before the next one', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    expect(await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })).toBe(0)
    expect(runs.pollsOf('bounces')).toEqual([0])
    expect(runs.pollsOf('complaints')).toEqual([0])
  })

  it('goes on where a stream is to be polled before the next one', async () => {
    const runs = createRuns({ pollEverySeconds: 45 })
    expect(await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })).toBe(45)
    expect(runs.pollsOf('bounces')).toEqual([0, 45])
  })

  it('of fast polls never ends early: the next one may come late', async () => {
    const runs = createRuns({ pollEverySeconds: 5 })
    expect(await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })).toBe(150)
  })

  it('keeps the pace of the run before it in the same process', async () => {
    const runs = createRuns({ pollEverySeconds: 300 })
    const polled = runs.newProcess()
    const startMs = runs.clock.now()
    for (let tick = 0; tick < 6; tick += 1) {
      await runs.run(polled, { nextRunInMs: minuteMs })
      if (tick < 5) await runs.clock.turnTo(startMs + (tick + 1) * minuteMs)
    }
    expect(runs.pollsOf('bounces')).toEqual([0, 300])
  })
})

describe('the state of a stream, told at the end of each run', () => {
  it('is the time since this process saw a complete walk', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })
    expect(runs.states()).toEqual([
      ['bounces', 0, true],
      ['complaints', 0, true],
    ])
  })

  it('counts from the first run of all where no walk was ever complete', async () => {
    const runs = createRuns({ pollEverySeconds: 60, end: failed })
    await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })
    await runs.pass(minuteMs)
    await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })
    expect(runs.states()).toEqual([
      ['bounces', 0, false],
      ['complaints', 0, false],
      ['bounces', 60, false],
      ['complaints', 60, false],
    ])
  })

  it('goes by what another process saw, where that was later', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    const first = runs.newProcess()
    await runs.run(first, { nextRunInMs: minuteMs })
    await runs.pass(10 * minuteMs)
    const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
    await runs.deps.cursors.commit(key, { ...emptyCursor, lastCompleteWalkAtMs: runs.clock.now() }, null)
    await runs.pass(2 * minuteMs)
    runs.state.end = failed
    await runs.run(first, { nextRunInMs: minuteMs })
    expect(runs.states().slice(2)).toEqual([
      ['bounces', 120, true],
      ['complaints', 720, true],
    ])
  })

  it('is told where the cursor can not be read', async () => {
    const runs = createRuns({ pollEverySeconds: 60, end: failed })
    runs.deps.cursors.read = async () => Promise.reject(new Error('the table is away'))
    await runs.run(runs.newProcess(), { nextRunInMs: minuteMs })
    expect(runs.states()).toEqual([
      ['bounces', 0, false],
      ['complaints', 0, false],
    ])
  })
})
