import { describe, expect, it } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import type { FeedbackFailure } from '../../../shared/domain/polling/feedback-api.ts'
import { usualRequestsMax } from '../../../shared/domain/polling/news-pace.ts'
import { failureWaitMsMax, refusedWaitMs, waitAfter } from '../../../shared/domain/polling/source-run.ts'
import type { WalkEnd } from '../../../shared/domain/polling/walk.ts'
import { failure } from './poll-harness.ts'
import { complete, createRuns, failed, spend } from './runs-harness.ts'

const pollEveryMs = 5_000
const failedBy = (kind: FeedbackFailure): WalkEnd => ({ ...failed, error: failure(kind) })

describe('the wait between the starts of two polls', () => {
  it('is the pace of the source after any poll that did not fail', () => {
    const ends: WalkEnd[] = [
      { kind: 'complete' },
      { kind: 'unfinished', why: 'run_over' },
      { kind: 'unfinished', why: 'no_budget' },
      { kind: 'superseded' },
      { kind: 'lost', reason: 'rejected' },
    ]
    for (const end of ends) expect(waitAfter(end, 0, pollEveryMs)).toBe(pollEveryMs)
  })

  it('doubles with each failure in a row, up to a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 1_000].map(failures =>
      waitAfter(failedBy('server_error'), failures, pollEveryMs),
    )
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, failureWaitMsMax])
  })

  it('grows the same for a fault of ours', () => {
    expect(waitAfter(failed, 3, pollEveryMs)).toBe(20_000)
  })

  it('is a minute at once where the token is refused', () => {
    expect(waitAfter(failedBy('refused'), 1, pollEveryMs)).toBe(refusedWaitMs)
  })

  it('is never shorter than the pace of the source', () => {
    expect(waitAfter(failedBy('refused'), 1, 300_000)).toBe(300_000)
    expect(waitAfter(failedBy('unreachable'), 1, 300_000)).toBe(300_000)
  })
})

/** Polls of bounces that end so, one after the other, and are complete from then on; complaints always are. */
const runsEnding = (pollEverySeconds: number, ends: readonly WalkEnd[]) => {
  const runs = createRuns({ pollEverySeconds })
  runs.state.poll = async (stream, nth) => (stream === 'bounces' ? ends[nth] : undefined) ?? complete
  return runs
}

/** Polls of complaints at their pace of 5 s: in turn with those of bounces, from the second one on. */
const everyFive = (untilSecond: number): number[] => [
  0,
  ...Array.from({ length: untilSecond / 5 }, (_, nth) => nth * 5 + 2.5),
]

describe('streams', () => {
  it('are polled in turn, in later runs as well: what both bring at once would wait for itself', async () => {
    const runs = runsEnding(10, [])
    const polled = runs.newProcess()
    await runs.run(polled, { lastsMs: 27_000 })
    await runs.run(polled, { lastsMs: 13_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 10, 20, 30])
    expect(runs.pollsOf('complaints')).toEqual([0, 5, 15, 25, 35])
  })

  it('are so once a poll is complete: a failure waits as long as ever', async () => {
    const runs = createRuns({ pollEverySeconds: 5 })
    runs.state.poll = async (stream, nth) => (stream === 'complaints' && nth === 0 ? failed : complete)
    await runs.run(runs.newProcess(), { lastsMs: 20_000 })
    expect(runs.pollsOf('complaints')).toEqual([0, 5, 7.5, 12.5, 17.5])
  })

  it('are polled at once where their run would last longer else', async () => {
    for (const [pollEverySeconds, expected] of [
      [29, [0, 14.5, 43.5]],
      [30, [0, 30]],
    ] as const) {
      const runs = runsEnding(pollEverySeconds, [])
      await runs.run(runs.newProcess(), { lastsMs: 50_000 })
      expect(runs.pollsOf('complaints')).toEqual(expected)
    }
  })
})

describe('a stream', () => {
  const lost: WalkEnd = { kind: 'lost', reason: 'rejected' }

  it('is polled again at once where its `last_id` is lost, five times in a row and then at its pace', async () => {
    const losses = Array.from({ length: 7 }, () => lost)
    const runs = runsEnding(5, [...losses, complete, lost, lost])
    await runs.run(runs.newProcess(), { lastsMs: 30_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 0, 0, 0, 0, 5, 10, 15, 20, 20, 20, 25])
    expect(runs.pollsOf('complaints')).toEqual(everyFive(30))
  })

  it('that fails waits longer each time, and no longer than at first once a poll was complete', async () => {
    const runs = runsEnding(5, [failed, failed, failed, complete, failed, failed])
    await runs.run(runs.newProcess(), { lastsMs: 65_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 5, 15, 35, 40, 45, 55, 60])
    expect(runs.pollsOf('complaints')).toEqual(everyFive(65))
  })

  it('that fails on its way, after a page, waits no longer than after a first failure', async () => {
    const onItsWay: WalkEnd = { ...failed, error: failure('server_error', 503), gotOn: true }
    const runs = runsEnding(5, [failed, failed, onItsWay, onItsWay, failed])
    await runs.run(runs.newProcess(), { lastsMs: 45_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 5, 15, 20, 25, 35, 40])
  })

  it('goes on where a fault of ours ends a poll, which is told, and waits as after any failure', async () => {
    const runs = createRuns({ pollEverySeconds: 5 })
    const fault = new BridgeError({ code: 'table_away', message: 'away', hint: 'Look at the table.' })
    runs.state.poll = async stream => {
      if (stream === 'bounces') throw fault
      return complete
    }
    await runs.run(runs.newProcess(), { lastsMs: 20_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 5, 15])
    expect(runs.pollsOf('complaints')).toEqual(everyFive(20))
    const told = {
      ...{ kind: 'poll_fault', source: 'main', stream: 'bounces' },
      ...{ reason: 'table_away', hint: 'Look at the table.' },
    }
    expect(runs.happenings.filter(({ kind }) => kind === 'poll_fault')).toEqual([told, told, told])
  })

  it('keeps its failures in a row from one run to the next', async () => {
    const runs = runsEnding(5, [failed, failed, failed])
    const polled = runs.newProcess()
    await runs.run(polled, { lastsMs: 10_000 })
    await runs.run(polled, { lastsMs: 30_000 })
    expect(runs.pollsOf('bounces')).toEqual([0, 5, 15, 35])
  })
})

describe('polls that need more requests than the budget has for them at their pace', () => {
  const runsSpending = async (end: WalkEnd) => {
    const runs = createRuns({ pollEverySeconds: 1 })
    runs.state.poll = async (stream, _, gate) => {
      if (stream === 'complaints') return complete
      await spend(gate, stream, 5)
      return end
    }
    await runs.run(runs.newProcess(), { lastsMs: 55_000 })
    return runs.pollsOf('bounces')
  }

  it('are spread over the minute once two of them were complete', async () => {
    // Of 48 requests a minute 36 are for news: seven polls, of which the first two say what one takes.
    expect(await runsSpending(complete)).toEqual([0, 1, 10.85, 20.7, 30.55, 40.4, 50.25])
  })

  it('are not where they were not complete: they say nothing of what a poll takes', async () => {
    expect(await runsSpending({ kind: 'unfinished', why: 'run_over' })).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ])
  })
})

describe('a poll that takes more requests than usual', () => {
  /** When complaints, which are read to their end, are polled beside bounces of which one poll is so great. */
  const pollsBeside = async (end: WalkEnd) => {
    const runs = createRuns({ pollEverySeconds: 5 })
    runs.state.poll = async (stream, nth, gate) => {
      if (stream === 'complaints') return complete
      if (nth === 0) await spend(gate, stream, usualRequestsMax + 1)
      return end
    }
    await runs.run(runs.newProcess(), { lastsMs: 20_000 })
    return runs.pollsOf('complaints')
  }

  it('catches up with a backlog: the other stream rests meanwhile', async () => {
    expect(await pollsBeside({ kind: 'unfinished', why: 'run_over' })).toEqual([0, 2.5])
  })

  it.each<[string, WalkEnd]>([
    ['fails', failed],
    ['is lost', { kind: 'lost', reason: 'rejected' }],
  ])('and %s, catches up with nothing: the other stream is polled as ever', async (_, end) => {
    expect(await pollsBeside(end)).toEqual(everyFive(20))
  })
})

describe('a run whose streams rest until the next one begins', () => {
  it('ends where they rest for half a minute, and goes on where they rest for less', async () => {
    const half = createRuns({ pollEverySeconds: 30 })
    expect(await half.run(half.newProcess(), { nextRunInMs: 30_000 })).toBe(0)
    const less = createRuns({ pollEverySeconds: 29 })
    expect(await less.run(less.newProcess(), { nextRunInMs: 29_000, lastsMs: 60_000 })).toBe(60)
    expect(less.pollsOf('bounces')).toEqual([0, 29, 58])
  })
})
