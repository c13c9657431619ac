import { describe, expect, it } from 'vitest'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { intakeRules } from '../../../shared/domain/polling/stream-context.ts'

const nowSecond = 1_800_000_000
const day = 86_400
const clock = { now: () => nowSecond * 1000, sleep: async () => undefined }
const walked = { ...emptyCursor, floorSecond: 7, firstWalkComplete: true }

describe('which records may be sent', () => {
  it('regression: a service whose clock is far ahead makes no record too old', () => {
    const ahead = intakeRules({ clock }, walked, nowSecond + 40 * day)
    expect(ahead).toEqual({ floorSecond: 7, memoryFromSecond: nowSecond - 34 * day })
  })

  it('a service whose clock is behind counts: its records are as old as it says', () => {
    expect(intakeRules({ clock }, walked, nowSecond - day).memoryFromSecond).toBe(nowSecond - 35 * day)
  })

  it('until the first walk is complete no record is too old, and before the start is found none may be sent', () => {
    expect(intakeRules({ clock }, emptyCursor, nowSecond)).toEqual({
      floorSecond: Number.POSITIVE_INFINITY,
      memoryFromSecond: null,
    })
  })
})
