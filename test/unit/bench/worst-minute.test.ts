import { describe, expect, it } from 'vitest'
import { worstMinute } from '../../bench/freshness/worst-minute.ts'

describe('the worst minute of requests', () => {
  it('counts what lies within 60 s, wherever these begin', () => {
    expect(worstMinute([0, 40_000, 59_999, 70_000, 99_999, 200_000])).toBe(4)
  })

  it('leaves out the request that is exactly 60 s older', () => {
    expect(worstMinute([0, 60_000])).toBe(1)
    expect(worstMinute([1, 60_000])).toBe(2)
  })

  it('is 0 without requests', () => {
    expect(worstMinute([])).toBe(0)
  })
})
