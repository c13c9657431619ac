import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueHeartbeat, heartbeatEverySecondsMin } from '../../../shared/domain/endpoint/heartbeat-interval.ts'

const runEveryMs = 60_000
const due = (of: { everySeconds?: number; lastStartMs: number | null; nowMs: number }) =>
  dueHeartbeat({ everySeconds: 300, runEveryMs, ...of })

/** The begins of the intervals whose heartbeats runs at these times send. */
const sentBy = (runsMs: readonly number[], everySeconds: number): { atMs: number; startMs: number }[] => {
  const sent: { atMs: number; startMs: number }[] = []
  for (const nowMs of runsMs) {
    const lastStartMs = sent.at(-1)?.startMs ?? null
    const startMs = due({ everySeconds, lastStartMs, nowMs })
    if (startMs !== null) sent.push({ atMs: nowMs, startMs })
  }
  return sent
}

describe('a heartbeat', () => {
  test('is due at once where there was none, in a whole second', () => {
    expect(due({ lastStartMs: null, nowMs: 1_234_567 })).toBe(1_234_000)
  })

  test.each([
    [269_999, null],
    [270_000, 300_000],
    [300_000, 300_000],
    [569_999, 300_000],
    [570_000, 600_000],
  ])('of every 300 s is due %i ms after the last: %j', (nowMs, startMs) => {
    expect(due({ lastStartMs: 0, nowMs })).toBe(startMs)
  })

  test('leaves out the intervals of a silence, and goes on in step', () => {
    expect(due({ lastStartMs: 0, nowMs: 86_400_000 + 7_000 })).toBe(86_400_000)
  })

  test('goes on from the last one where the interval was changed', () => {
    expect(due({ everySeconds: 60, lastStartMs: 3_600_000, nowMs: 3_670_000 })).toBe(3_660_000)
    expect(due({ everySeconds: 7_200, lastStartMs: 3_660_000, nowMs: 3_720_000 })).toBeNull()
  })

  test('of every minute is sent by every run, however the runs jitter by up to 29 s', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 29_000 }), { minLength: 2, maxLength: 50 }), late => {
        const runs = late.map((byMs, run) => run * runEveryMs + (run === 0 ? 0 : byMs))
        expect(sentBy(runs, heartbeatEverySecondsMin)).toHaveLength(runs.length)
      }),
    )
  })

  test('comes within half a run of its time, once an interval', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: heartbeatEverySecondsMin, max: 7_200 }),
        fc.integer({ min: 0, max: 59_999 }),
        (everySeconds, phaseMs) => {
          const runs = Array.from({ length: 300 }, (_, run) => phaseMs + run * runEveryMs)
          const sent = sentBy(runs, everySeconds)
          const starts = sent.map(({ startMs }) => startMs)
          const first = starts[0] ?? 0
          expect(starts).toEqual(starts.map((_, at) => first + at * everySeconds * 1_000))
          for (const { atMs, startMs } of sent.slice(1))
            expect(Math.abs(atMs - startMs)).toBeLessThanOrEqual(runEveryMs / 2)
        },
      ),
    )
  })
})
