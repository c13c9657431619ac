import { describe, expect, it } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryRunLease } from '../../../shared/adapters/memory/run-lease.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { newPolledSource, runSource } from '../../../shared/domain/polling/source-run.ts'
import type { WalkEnd } from '../../../shared/domain/polling/walk.ts'
import { type Source, sourceDefaults, streamNames } from '../../../shared/domain/source.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { createVirtualClock } from './world/virtual-clock.ts'

const runMs = 150_000
const complete: WalkEnd = { kind: 'complete' }
const failed: WalkEnd = { kind: 'failed', reason: 'x', error: null }

/** Runs over one source whose polls end as they are told to. */
const createRuns = (of: { pollEverySeconds: number; end?: WalkEnd }) => {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20, 9, 30))
  const startMs = clock.now()
  const pass = (ms: number) => clock.turnTo(clock.now() + ms)
  const happenings: Happening[] = []
  const deps = {
    clock,
    lease: createMemoryRunLease(),
    cursors: createMemoryCursorStore(),
    reporter: { report: (happening: Happening) => void happenings.push(happening) },
  }
  const source: Source = {
    ...{ ...sourceDefaults, id: 'main', baseUrl: 'https://service.example', tokenSecret: 'token-main' },
    pollEverySeconds: of.pollEverySeconds,
  }
  const polls: { stream: string; atSecond: number }[] = []
  const state = { end: of.end ?? complete }
  const pollerOf = (stream: (typeof streamNames)[number]) => ({
    poll: async () => {
      polls.push({ stream, atSecond: (clock.now() - startMs) / 1_000 })
      return state.end
    },
  })
  const newProcess = () => {
    const api = { listPage: async () => Promise.reject(new Error('no page is asked for')) }
    return newPolledSource(source, api, new Map(streamNames.map(stream => [stream, pollerOf(stream)])))
  }
  let runs = 0
  /** Says when the run had ended, in seconds since the start. */
  const run = async (polled: ReturnType<typeof newProcess>, tickEveryMs?: number): Promise<number> => {
    const nowMs = clock.now()
    const next = tickEveryMs === undefined ? {} : { nextRunAtMs: nowMs + tickEveryMs }
    const { signal } = new AbortController()
    const running = runSource(deps, polled, {
      runId: `run-${++runs}`,
      endsAtMs: nowMs + runMs,
      ...next,
      signal,
    })
    let endedAtMs: number | null = null
    const ended = running.then(() => {
      endedAtMs = clock.now()
    })
    await pass(0)
    while (endedAtMs === null) await pass(1_000)
    await ended
    return (endedAtMs - startMs) / 1_000
  }
  const pollsOf = (stream: string) => polls.filter(one => one.stream === stream).map(one => one.atSecond)
  const states = () =>
    happenings.flatMap(one =>
      one.kind === 'stream_state' ? [[one.stream, one.sinceCompleteWalkSeconds, one.everComplete]] : [],
    )
  return { clock, pass, deps, state, newProcess, run, pollsOf, states }
}

describe('a run', () => {
  it('goes on to its end where nothing says when the next one begins', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    expect(await runs.run(runs.newProcess())).toBe(150)
    expect(runs.pollsOf('bounces')).toEqual([0, 60, 120])
  })

  it('ends at once where no stream is to be polled before the next one', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    expect(await runs.run(runs.newProcess(), minuteMs)).toBe(0)
    expect(runs.pollsOf('bounces')).toEqual([0])
    expect(runs.pollsOf('complaints')).toEqual([0])
  })

  it('goes on where a stream is to be polled before the next one', async () => {
    const runs = createRuns({ pollEverySeconds: 45 })
    expect(await runs.run(runs.newProcess(), minuteMs)).toBe(45)
    expect(runs.pollsOf('bounces')).toEqual([0, 45])
  })

  it('of fast polls never ends early: the next one may come late', async () => {
    const runs = createRuns({ pollEverySeconds: 5 })
    expect(await runs.run(runs.newProcess(), minuteMs)).toBe(150)
  })

  it('keeps the pace of the run before it in the same process', async () => {
    const runs = createRuns({ pollEverySeconds: 300 })
    const polled = runs.newProcess()
    const startMs = runs.clock.now()
    for (let tick = 0; tick < 6; tick += 1) {
      await runs.run(polled, minuteMs)
      if (tick < 5) await runs.clock.turnTo(startMs + (tick + 1) * minuteMs)
    }
    expect(runs.pollsOf('bounces')).toEqual([0, 300])
  })
})

describe('the state of a stream, told at the end of each run', () => {
  it('is the time since this process saw a complete walk', async () => {
    const runs = createRuns({ pollEverySeconds: 60 })
    await runs.run(runs.newProcess(), minuteMs)
    expect(runs.states()).toEqual([
      ['bounces', 0, true],
      ['complaints', 0, true],
    ])
  })

  it('counts from the first run of all where no walk was ever complete', async () => {
    const runs = createRuns({ pollEverySeconds: 60, end: failed })
    await runs.run(runs.newProcess(), minuteMs)
    await runs.pass(minuteMs)
    await runs.run(runs.newProcess(), minuteMs)
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
    await runs.run(first, minuteMs)
    await runs.pass(10 * minuteMs)
    const key = { sourceId: 'main', stream: 'bounces', name: 'main' } as const
    await runs.deps.cursors.commit(key, { ...emptyCursor, lastCompleteWalkAtMs: runs.clock.now() }, null)
    await runs.pass(2 * minuteMs)
    runs.state.end = failed
    await runs.run(first, minuteMs)
    expect(runs.states().slice(2)).toEqual([
      ['bounces', 120, true],
      ['complaints', 720, true],
    ])
  })

  it('is told where the cursor can not be read', async () => {
    const runs = createRuns({ pollEverySeconds: 60, end: failed })
    runs.deps.cursors.read = async () => Promise.reject(new Error('the table is away'))
    await runs.run(runs.newProcess(), minuteMs)
    expect(runs.states()).toEqual([
      ['bounces', 0, false],
      ['complaints', 0, false],
    ])
  })
})
