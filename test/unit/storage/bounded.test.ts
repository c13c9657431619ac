import { describe, expect, it } from 'vitest'
import { chunks, mapBounded } from '../../../shared/adapters/bounded.ts'

describe('work on many items, some at once', () => {
  it('has results in the order of the items, and never more at once than allowed', async () => {
    let running = 0
    let most = 0
    const items = Array.from({ length: 20 }, (_, n) => n)
    const results = await mapBounded(items, 3, async n => {
      running += 1
      most = Math.max(most, running)
      for (let turn = 0; turn < (n * 7) % 5; turn += 1) await Promise.resolve()
      running -= 1
      return n * 2
    })
    expect(results).toEqual(items.map(n => n * 2))
    expect(most).toBe(3)
  })

  it('rejects with the first failure, starts no more, and leaves nothing running', async () => {
    const started: number[] = []
    let running = 0
    const work = mapBounded([0, 1, 2, 3, 4, 5], 2, async n => {
      started.push(n)
      running += 1
      await Promise.resolve()
      running -= 1
      if (n === 1) throw new Error(`failed at ${n}`)
      return n
    })
    await expect(work).rejects.toThrow('failed at 1')
    expect(running).toBe(0)
    expect(started.length).toBeLessThan(6)
  })

  it('does nothing with nothing', async () => {
    expect(await mapBounded([], 3, async () => 1)).toEqual([])
  })
})

it('splits into runs, the last one shorter', () => {
  expect(chunks([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunks([], 2)).toEqual([])
})
