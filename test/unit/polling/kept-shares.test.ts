import { describe, expect, it } from 'vitest'
import { createKeptShares, keptMs } from '../../../shared/domain/polling/kept-shares.ts'

const t0 = 1_763_631_000_000
const requestsMax = 12

/** Re-reading of one stream, refused and permitted at `t0` unless said. */
const rereads = () => {
  const kept = createKeptShares(requestsMax)
  return {
    kept,
    refused: (atMs = t0) => kept.refused('bounces', 'reread', atMs),
    granted: (atMs = t0) => kept.granted('bounces', 'reread', atMs),
    owed: (atMs = t0) => kept.owed('reread', atMs),
    has: (atMs = t0) => kept.has('bounces', 'reread', atMs),
  }
}

describe('what is kept free of the budget', () => {
  it('is nothing while nothing was refused', () => {
    const { granted, owed, has } = rereads()
    granted()
    expect([owed(), has()]).toEqual([0, false])
  })

  it('is one request for what was refused, until it was had', () => {
    const { refused, granted, owed, has } = rereads()
    refused()
    expect([owed(), has()]).toEqual([1, true])
    granted()
    expect([owed(), has()]).toEqual([0, false])
    granted()
    expect([owed(), has()]).toEqual([0, false])
  })

  it('stays the same where it is refused again before it was had', () => {
    const { refused, owed } = rereads()
    refused()
    refused()
    refused()
    expect(owed()).toBe(1)
  })

  it('is twice as much each time that all of it was had and more was refused, to the whole share', () => {
    const { refused, granted, owed } = rereads()
    const owedAfterEach = [1, 2, 3, 4, 5, 6].map(() => {
      refused()
      const kept = owed()
      for (let had = 0; had < kept; had += 1) granted()
      return kept
    })
    expect(owedAfterEach).toEqual([1, 2, 4, 8, requestsMax, requestsMax])
  })

  it('is what is left of it where only a part was had', () => {
    const { refused, granted, owed } = rereads()
    refused()
    granted()
    refused()
    granted()
    refused()
    expect(owed()).toBe(1)
  })

  it('ends two minutes after the last refusal, and begins at one again', () => {
    const { refused, granted, owed, has } = rereads()
    refused()
    granted()
    refused()
    refused(t0 + 1_000)
    expect([owed(t0 + 1_000 + keptMs - 1), has(t0 + 1_000 + keptMs - 1)]).toEqual([2, true])
    expect([owed(t0 + 1_000 + keptMs), has(t0 + 1_000 + keptMs)]).toEqual([0, false])
    refused(t0 + 1_000 + keptMs)
    expect(owed(t0 + 1_000 + keptMs)).toBe(1)
  })

  it('is for each stream and kind its own', () => {
    const { kept, refused, owed } = rereads()
    refused()
    kept.refused('complaints', 'reread', t0)
    kept.refused('complaints', 'sweep', t0)
    kept.granted('bounces', 'reread', t0)
    expect([owed(), kept.owed('sweep', t0)]).toEqual([1, 1])
    expect(kept.has('bounces', 'reread', t0)).toBe(false)
    expect(kept.has('bounces', 'sweep', t0)).toBe(false)
    expect(kept.has('complaints', 'reread', t0)).toBe(true)
  })
})
