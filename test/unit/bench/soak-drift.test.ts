import { describe, expect, it } from 'vitest'
import { createRandom } from '../../bench/isolation/seeded-random.ts'
import { driftOf, type Reading } from '../../bench/soak/drift.ts'

const minuteMs = 60_000
const hourOf = (valueAt: (minute: number) => number): Reading[] =>
  Array.from({ length: 61 }, (_, minute) => ({ atMs: minute * minuteMs, value: valueAt(minute) }))
const figureOf = (readings: readonly Reading[], name: string): number => {
  const value = driftOf(readings)[name]
  if (typeof value !== 'number') throw new Error(`no figure ${name}`)
  return value
}

describe('how a quantity drifts', () => {
  it('is nothing, for certain, where it stays as it is', () => {
    const drift = driftOf(hourOf(() => 7))
    expect(drift).toEqual({ firstThird: 7, lastThird: 7, change: 0, perHour: 0, giveOrTake: 0 })
  })

  it('is its slope an hour where it grows, and the difference of its thirds', () => {
    const drift = driftOf(hourOf(minute => 100 + minute / 10))
    expect(drift['perHour']).toBeCloseTo(6, 9)
    expect(drift['giveOrTake']).toBeCloseTo(0, 6)
    // Of 20 readings each: of the middle of one third and of the other lie 41 minutes.
    expect(drift['change']).toBeCloseTo(4.1, 9)
  })

  it('is found under noise, within what it is sure of', () => {
    const random = createRandom(3)
    const noisy = hourOf(minute => minute / 60 + random())
    expect(Math.abs(figureOf(noisy, 'perHour') - 1)).toBeLessThan(figureOf(noisy, 'giveOrTake'))
    expect(figureOf(noisy, 'giveOrTake')).toBeLessThan(0.5)
  })

  it('is surer of noise that is new each time than of a swing that lasts', () => {
    const quick = hourOf(minute => (minute % 2 === 0 ? 1 : -1))
    const slow = hourOf(minute => Math.sin(minute / 4))
    expect(figureOf(slow, 'giveOrTake')).toBeGreaterThan(2 * figureOf(quick, 'giveOrTake'))
  })

  it('can not be told of fewer readings than thirds', () => {
    expect(() => driftOf(hourOf(() => 1).slice(0, 2))).toThrow(/too few/)
  })
})
