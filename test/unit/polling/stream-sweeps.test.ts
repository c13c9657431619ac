import { describe, expect, it } from 'vitest'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { SweepPlan } from '../../../shared/domain/polling/sweeps.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { at, fails, noBudget, nowSecond, readOnce } from './poll-harness.ts'

const sweeps: readonly SweepPlan[] = [
  { name: 'sweep-hour', spanSeconds: 3_600, everyMs: 30_000 },
  { name: 'sweep-days', spanSeconds: 32 * 3_600, everyMs: 30_000 },
]

const isSweep = (asked: string) => asked.startsWith('sweep')

/** Both sweeps are due, the overlap is not. */
const sweepsDue = (due = sweeps) => readOnce({ sweeps: due, afterMs: 30_000 })

describe('the sweeps of a stream', () => {
  it('follow a poll that read all that was new, each once it is due', async () => {
    const { poll, turn, askedSince, told } = await sweepsDue()
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: after -60', 'sweep: start', 'sweep: start'])
    expect(told()).toEqual(['news: complete', 'sweep-hour: complete', 'sweep-days: complete'])
    await turn(29_000)
    await poll()
    expect(askedSince()).toEqual(['news: after -60'])
  })

  it('do not follow one that failed, nor the end of the run', async () => {
    const { poll, service, askedSince } = await sweepsDue()
    service.answer = asked => (asked.startsWith('news') ? fails('unreachable') : null)
    await poll()
    service.answer = () => null
    await poll(() => true)
    expect(askedSince()).toEqual(['news: after -60', 'news: after -60'])
  })

  it('do not follow a re-reading in which the run has ended', async () => {
    const { poll, turn, asked, askedSince } = await sweepsDue()
    await turn(30_000)
    askedSince()
    await poll(() => asked.some(one => one.startsWith('reread')))
    expect(askedSince()).toEqual(['news: after -60', 'reread: after -200'])
  })

  it('do not follow a re-reading that failed, and follow one that is gone on with later', async () => {
    const { poll, turn, service, askedSince, told } = await sweepsDue()
    await turn(30_000)
    service.answer = asked => (asked.startsWith('reread') ? fails('unreachable') : null)
    await poll()
    expect(askedSince().filter(isSweep)).toEqual([])
    service.answer = asked => (asked.startsWith('reread') ? noBudget : null)
    told()
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(told()).toEqual(['news: complete', 'sweep-hour: complete', 'sweep-days: complete'])
  })

  it('wait until the list was read once, where an operator had the stream begin anew', async () => {
    const { poll, turn, keep, service, askedSince } = await sweepsDue()
    await turn(30_000)
    // Another process has begun; this one reads its cursor, and has no time to read all.
    await keep({ floorSecond: 0 })
    service.answer = asked => (asked.startsWith('reread') ? noBudget : null)
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: after -60', 'reread: start'])
  })

  it('read a page each, even where the service is too slow for more, and go on after the next poll', async () => {
    const { poll, service, askedSince, told } = await sweepsDue()
    service.pageSize = 2
    service.tookMs = 6_000
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'sweep: start', 'sweep: start'])
    expect(told()).toEqual(['news: complete', 'sweep-hour: unfinished', 'sweep-days: unfinished'])
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'sweep: after -600', 'sweep: after -600'])
  })

  it('regression: say so where they go on from an earlier poll', async () => {
    const { poll, service, told } = await sweepsDue(sweeps.slice(0, 1))
    service.pageSize = 2
    service.tookMs = 6_000
    await poll()
    service.tookMs = 0
    told()
    await poll()
    expect(told()).toEqual(['news: complete', 'sweep-hour resumed: complete'])
  })

  it('keep their anchor at a 5xx, and lose it at the third in a row: the poll before was answered', async () => {
    const { poll, turn, keep, service, askedSince } = await sweepsDue(sweeps.slice(0, 1))
    const range = { fromSecond: nowSecond - 3_600, toSecond: nowSecond - 120, running: true, nextAtMs: 0 }
    await keep({ ...emptyCursor, anchor: at(-600), sweep: range }, 'sweep-hour')
    service.answer = asked => (asked === 'sweep: after -600' ? fails('server_error', 500) : null)
    for (let time = 0; time < 4; time += 1) {
      await poll()
      await turn(minuteMs)
    }
    expect(askedSince().filter(isSweep)).toEqual([
      ...['sweep: after -600', 'sweep: after -600', 'sweep: after -600', 'sweep: start'],
    ])
  })
})
