import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSchedule, type ScheduleOptions } from '../../../infra/simulator/schedule.ts'
import { startMs, startSecond } from './simulator-fixtures.ts'

const scheduleWith = (options: Partial<ScheduleOptions>) =>
  createSchedule({
    seed: 7,
    startMs,
    backlog: 0,
    backlogSpanMs: 3_600_000,
    live: Number.POSITIVE_INFINITY,
    ratePerSecond: 2,
    ties: 1,
    lagMs: 0,
    lateMs: 0,
    lateShare: 0.5,
    ...options,
  })

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)

describe('the schedule of records', () => {
  it('gives each record the second in which it comes', () => {
    const schedule = scheduleWith({})
    expect(range(5).map(schedule.visibleAtMs)).toEqual([0, 500, 1000, 1500, 2000].map(ms => startMs + ms))
    expect(range(5).map(schedule.secondOf)).toEqual([0, 0, 1, 1, 2].map(second => startSecond + second))
  })

  it('lets tied records share a second and show one by one while it lasts', () => {
    const schedule = scheduleWith({ ties: 4 })
    expect(range(8).map(schedule.secondOf)).toEqual([0, 0, 0, 0, 2, 2, 2, 2].map(at => startSecond + at))
    expect(range(5).map(schedule.visibleAtMs)).toEqual([0, 250, 500, 750, 2000].map(ms => startMs + ms))
  })

  it('spreads a backlog over the time before the start', () => {
    const schedule = scheduleWith({ backlog: 4, ratePerSecond: 0 })
    expect(schedule.total).toBe(4)
    expect(range(4).map(schedule.secondOf)).toEqual([3600, 2700, 1800, 900].map(ago => startSecond - ago))
    expect(schedule.firstInvisible(startMs)).toBe(4)
  })

  it('shows every record late by the lag', () => {
    const schedule = scheduleWith({ lagMs: 30_000 })
    expect(schedule.visibleAtMs(3)).toBe(startMs + 31_500)
    expect(schedule.secondOf(3)).toBe(startSecond + 1)
  })

  it('shows only the chosen share late, and none later than the bound', () => {
    const onTime = scheduleWith({ ratePerSecond: 10 })
    const schedule = scheduleWith({ ratePerSecond: 10, lateMs: 60_000, lateShare: 0.1 })
    const lateness = range(10_000).map(index => schedule.visibleAtMs(index) - onTime.visibleAtMs(index))
    const late = lateness.filter(ms => ms > 0)
    expect(late.length).toBeGreaterThan(850)
    expect(late.length).toBeLessThan(1150)
    expect(Math.max(...late)).toBeLessThanOrEqual(60_000)
    expect(Math.min(...lateness)).toBe(0)
  })

  const anySchedule = fc.record({
    seed: fc.nat(),
    backlog: fc.nat(50),
    ratePerSecond: fc.constantFrom(0, 0.3, 1, 7, 2500),
    ties: fc.integer({ min: 1, max: 9 }),
    lagMs: fc.constantFrom(0, 1500),
  })

  it('never goes back: neither in seconds nor, without late records, in what shows next', () => {
    fc.assert(
      fc.property(anySchedule, options => {
        const schedule = scheduleWith(options)
        for (let index = 1; index < Math.min(120, schedule.total); index += 1) {
          expect(schedule.secondOf(index)).toBeGreaterThanOrEqual(schedule.secondOf(index - 1))
          expect(schedule.visibleAtMs(index)).toBeGreaterThanOrEqual(schedule.visibleAtMs(index - 1))
          expect(schedule.visibleAtMs(index)).toBeGreaterThanOrEqual(schedule.secondOf(index) * 1000)
        }
      }),
    )
  })

  it('finds its bounds as counting one by one does', () => {
    const withLate = fc.record({ options: anySchedule, lateMs: fc.constantFrom(0, 4000), atMs: fc.nat(9000) })
    fc.assert(
      fc.property(withLate, ({ options, lateMs, atMs }) => {
        const schedule = scheduleWith({ ...options, lateMs, live: 200 })
        const nowMs = startMs + atMs
        const all = range(schedule.total)
        const visible = all.filter(index => schedule.visibleAtMs(index) <= nowMs)
        expect(schedule.firstInvisible(nowMs)).toBeGreaterThanOrEqual((visible.at(-1) ?? -1) + 1)
        expect(visible.slice(0, schedule.firstUnsettled(nowMs))).toEqual(
          range(schedule.firstUnsettled(nowMs)),
        )
        const second = Math.floor(nowMs / 1000)
        const found = all.findIndex(index => schedule.secondOf(index) >= second)
        // Where every record is earlier, any bound at or beyond the last one will do.
        if (found >= 0) expect(schedule.firstFromSecond(second)).toBe(found)
        else expect(schedule.firstFromSecond(second)).toBe(schedule.total)
      }),
    )
  })
})
