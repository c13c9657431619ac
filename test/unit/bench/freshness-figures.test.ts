import { describe, expect, it } from 'vitest'
import { freshnessFigures } from '../../bench/freshness/freshness-figures.ts'
import type { RecordTimes, WorldReport } from '../../bench/freshness/world-messages.ts'

const span = { fromMs: 10_000, untilMs: 40_000 }
const endedMs = 60_000

const reportOf = (records: RecordTimes[], requestedAtMs: number[] = []): WorldReport => ({
  ...{ arrived: 0, posts: 0, lastAtMs: 0, refused: 0 },
  records,
  requestedAtMs,
})

describe('the figures of a freshness run', () => {
  it('count the records that became visible in the measured time, and no others', () => {
    const figures = freshnessFigures(
      reportOf([
        { visibleAtMs: 9_999, arrivedAtMs: 39_000 },
        { visibleAtMs: 10_000, arrivedAtMs: 11_000 },
        { visibleAtMs: 39_999, arrivedAtMs: 42_999 },
        { visibleAtMs: 40_000, arrivedAtMs: 59_000 },
      ]),
      span,
      endedMs,
    )
    expect(figures).toMatchObject({ p50: 1, p99: 3, max: 3, 'not arrived': 0 })
  })

  it('take a record that never arrived for as old as it was at the end', () => {
    const records = [{ visibleAtMs: 20_000, arrivedAtMs: null }]
    expect(freshnessFigures(reportOf(records), span, endedMs)).toMatchObject({
      ...{ p50: 40, max: 40, 'not arrived': 1, 'arrived a second': 0 },
    })
  })

  it('say how far the bridge is behind: the oldest record that had not arrived when the measured time ended', () => {
    const records = [
      { visibleAtMs: 5_000, arrivedAtMs: 40_000 },
      { visibleAtMs: 15_000, arrivedAtMs: 41_000 },
      { visibleAtMs: 50_000, arrivedAtMs: null },
    ]
    expect(freshnessFigures(reportOf(records), span, endedMs).behind).toBe(25)
  })

  it('count arrivals and requests of the measured time alone, and the worst minute of all', () => {
    const records = [15_000, 39_999, 40_000].map(arrivedAtMs => ({ visibleAtMs: 0, arrivedAtMs }))
    const figures = freshnessFigures(reportOf(records, [1_000, 12_000, 13_000, 50_000]), span, endedMs)
    expect(figures['arrived a second']).toBeCloseTo(2 / 30)
    expect(figures['requests a minute']).toBeCloseTo(4)
    expect(figures['worst minute']).toBe(4)
  })
})
