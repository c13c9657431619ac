import { describe, expect, it } from 'vitest'
import {
  type Anchor,
  advanceWalk,
  beginWalk,
  noteKnown,
  type PageFacts,
  pendingAnchorsMax,
  type WalkState,
  walkStateSchema,
} from '../../../shared/domain/polling/walk-state.ts'

const overlapSeconds = 120
const now = 100_000
const at = (second: number, uuid = `r${second}`): Anchor => ({ uuid, second })
const page = (
  seconds: (number | Anchor)[],
  nextQuery: string | null = 'n',
  askedSecond = now,
): PageFacts => ({
  records: seconds.map(one => (typeof one === 'number' ? at(one) : one)),
  nextQuery,
  askedSecond,
})
const fromStart = beginWalk({ from: null, newestSecond: null, stopSecond: null })
const from = (anchor: Anchor, more: Partial<Parameters<typeof beginWalk>[0]> = {}): WalkState =>
  beginWalk({ from: anchor, newestSecond: null, stopSecond: null, ...more })

const step = (state: WalkState, facts: PageFacts) => advanceWalk(state, facts, overlapSeconds)
const advanced = (state: WalkState, ...pages: PageFacts[]): { state: WalkState; complete: boolean } => {
  let complete = false
  let reached = state
  for (const facts of pages) {
    const taken = step(reached, facts)
    if (taken.kind !== 'page') throw new Error(`the walk is ${taken.kind}`)
    reached = taken.state
    complete = taken.complete
  }
  return { state: reached, complete }
}

describe('where a walk goes on', () => {
  it('is after the last record of a second that the page shows whole', () => {
    expect(advanced(fromStart, page([1, 2, 2, 3])).state.ask).toEqual({ kind: 'after', anchor: at(2) })
  })

  it('is the page that `next` names where the page shows one second alone', () => {
    expect(advanced(fromStart, page([3, 3, 3], 'page=1')).state.ask).toEqual({
      kind: 'next',
      query: 'page=1',
    })
  })

  it('is by `next` through one second of many pages, and by our own last_id after it', () => {
    const { state } = advanced(from(at(1)), page([3, 3], 'a'), page([3, 3], 'b'), page([3, 4], 'c'))
    expect(state.ask).toEqual({ kind: 'after', anchor: at(3) })
    expect(state.orderIgnored).toBe(false)
  })

  it('is by `next` where only the second of our own last_id is whole: after it again would lead nowhere', () => {
    const { state } = advanced(from(at(3, 'a')), page([at(3, 'b'), at(4, 'c')], 'n'))
    expect(state.ask).toEqual({ kind: 'next', query: 'n' })
  })

  it('is nowhere after the last page', () => {
    expect(advanced(fromStart, page([1, 2], null)).complete).toBe(true)
    expect(advanced(fromStart, page([], null)).complete).toBe(true)
  })

  it('is nowhere where `next` has no query, or repeats the one that was asked', () => {
    expect(step(fromStart, page([3, 3], ''))).toEqual({ kind: 'stuck' })
    expect(step(advanced(fromStart, page([3, 3], 'same')).state, page([3, 3], 'same'))).toEqual({
      kind: 'stuck',
    })
  })
})

describe('the order of the pages', () => {
  it('is ignored where a page falls', () => {
    expect(advanced(fromStart, page([3, 2])).state).toMatchObject({
      orderIgnored: true,
      ask: { kind: 'next', query: 'n' },
    })
  })

  it('is ignored where a page begins before the end of the one that named it', () => {
    expect(advanced(fromStart, page([9, 9], 'a'), page([8, 8], 'b')).state.orderIgnored).toBe(true)
  })

  it('stays ignored: the walk goes on by `next` even where a page rises', () => {
    const { state } = advanced(fromStart, page([9, 8], 'a'), page([1, 2], 'b'))
    expect(state).toMatchObject({ orderIgnored: true, ask: { kind: 'next', query: 'b' } })
  })

  it('that is ignored leads to a page wholly before the anchor, and no page known in full ends the walk', () => {
    const begun = from(at(50), { newestSecond: 90 })
    const { state, complete } = advanced(begun, page([90, 80], 'a'), page([70, 50], 'b'))
    expect(complete).toBe(false)
    expect(advanced(noteKnown(state, 4), page([50, 49], 'c')).complete).toBe(false)
    expect(advanced(noteKnown(state, 4), page([49, 48], 'c'))).toMatchObject({ complete: true })
  })

  it('that is ignored leads to the end of the list where there is no anchor', () => {
    expect(advanced(fromStart, page([9, 8], 'a'), page([2, 1], 'b')).complete).toBe(false)
    expect(advanced(fromStart, page([9, 8], 'a'), page([2, 1], null)).complete).toBe(true)
  })
})

describe('an anchor that is lost', () => {
  it('is told by a record of an earlier second', () => {
    expect(step(from(at(50)), page([49, 51]))).toEqual({ kind: 'lost', reason: 'earlier_record' })
    expect(step(from(at(50)), page([at(50, 'other'), 51])).kind).toBe('page')
  })

  it('is told by an empty page after a record that others were seen to follow', () => {
    const { state } = advanced(from(at(50)), page([51, 52]))
    expect(step(state, page([], null))).toEqual({ kind: 'lost', reason: 'later_missing' })
  })

  it('is not told by an empty page alone: nothing may have come since', () => {
    expect(advanced(from(at(50)), page([], null)).complete).toBe(true)
  })

  it('is no matter for a page that `next` named', () => {
    const { state } = advanced(from(at(50)), page([60, 60], 'a'))
    expect(step(state, page([40], null)).kind).toBe('page')
  })
})

describe('the second up to which a walk goes', () => {
  const stop = from(at(10), { stopSecond: 50 })

  it('ends it where a page goes beyond', () => {
    expect(advanced(stop, page([20, 40])).complete).toBe(false)
    expect(advanced(stop, page([20, 51])).complete).toBe(true)
  })

  it('proves nothing on a page of one second, which may be the first one of a list that is newest first', () => {
    const { state, complete } = advanced(stop, page([90, 90], 'a'))
    expect(complete).toBe(false)
    expect(advanced(state, page([30, 30], 'b'))).toMatchObject({
      complete: false,
      state: { orderIgnored: true },
    })
    expect(advanced(state, page([90, 91], 'b'))).toMatchObject({ complete: true })
  })

  it('regression: is not proven by a page that lies after the one before, which shows what came since', () => {
    // Newest first, by number: two records have come, and what the first page showed stands on the second one now.
    const { state } = advanced(stop, page([90, 90], 'page=1'))
    expect(advanced(state, page([91, 91], 'page=2')).complete).toBe(false)
  })

  it('ends it on a page of one second that follows a record of our own', () => {
    expect(advanced(stop, page([20, 30]), page([90, 90], 'b')).complete).toBe(true)
  })

  it('is no end where the order is ignored', () => {
    expect(advanced(stop, page([90, 80], 'a')).complete).toBe(false)
  })
})

describe('the anchor that a walk allows', () => {
  const candidate = (...taken: Parameters<typeof advanced>) =>
    advanced(...taken).state.candidate?.uuid ?? null

  it('is the newest record that is settled and older than the overlap', () => {
    expect(candidate(fromStart, page([now - 500, now - 200, now - 121, now - 119, now - 1], null))).toBe(
      `r${now - 121}`,
    )
  })

  it('is none in a list that lies wholly within the overlap', () => {
    expect(candidate(fromStart, page([now - 100, now - 1], null))).toBeNull()
  })

  it('is counted from the newest record where the service lags', () => {
    expect(candidate(fromStart, page([now - 900, now - 720, now - 719, now - 600], null))).toBe(
      `r${now - 720}`,
    )
  })

  it('is never of the last second of a page that others follow', () => {
    expect(candidate(fromStart, page([1, 2, 2]))).toBeNull()
    expect(candidate(from(at(0), { newestSecond: now }), page([1, 2, 2]))).toBe('r1')
  })

  it('may be a record of an earlier page, once the newest is known', () => {
    const { state } = advanced(fromStart, page([10, 20]), page([30, 300]))
    expect(state.candidate?.uuid).toBe('r30')
    expect(advanced(fromStart, page([10, 100]), page([101, 102])).state.candidate).toBeNull()
    expect(advanced(fromStart, page([10, 100]), page([101, 170])).state.candidate?.uuid).toBe('r10')
  })

  it('does not count a record of the future as the newest', () => {
    expect(candidate(fromStart, page([now - 900, now - 600, now + 5_000], null))).toBe(`r${now - 900}`)
  })

  it('does not count what came during the walk as there when it began', () => {
    const lagging = from(at(0), { newestSecond: null })
    const pages = [page([10, 20], 'a', now), page([21, 200], 'b', now + 100)]
    // 200 was seen 100 s later, so 100 was the newest at the start, at least; 120 s before that is nothing.
    expect(candidate(lagging, ...pages)).toBeNull()
  })

  it('of an order that is ignored is the newest record of any page', () => {
    expect(candidate(fromStart, page([now - 1, now - 150], 'a'), page([now - 300], null))).toBe(
      `r${now - 150}`,
    )
  })
})

describe('a walk that goes on after a record which may be the anchor', () => {
  it('counts as begun when that record was asked for, so that an endless one moves the anchor', () => {
    let state = beginWalk({ from: null, newestSecond: null, stopSecond: null })
    let asked = now
    // Each page is asked for 30 s after the last, and shows 60 s of a list that grows all the time.
    for (let second = now - 2_000; second < now + 1_000; second += 60) {
      state = advanced(state, page([second, second + 59], 'n', asked)).state
      asked += 30
    }
    expect(state.startSecond).toBeGreaterThan(now)
    expect(state.candidate?.second).toBeGreaterThan(now)
  })

  it('does not count as begun later where the service lags: what it passed may still have gaps', () => {
    const lag = 3_600
    const edge = now - lag - 60
    const first = page([edge - 500, edge, now - lag], 'a', now)
    // A quarter of an hour later the list has grown by as much, and what was late has filled the second page's past.
    const second = page([now - lag, now - lag + 900], null, now + 900)
    const { state } = advanced(from(at(edge - 900)), first, second)
    expect(state.candidate?.second).toBe(edge - 500)
  })
})

describe('what a walk keeps of the records that it passed', () => {
  it('is bounded, and the oldest stay: their turn comes first', () => {
    let state = fromStart
    for (let second = 1; second <= 100; second += 1) {
      state = advanced(state, page([second, second + 1])).state
    }
    expect(state.pending).toHaveLength(pendingAnchorsMax)
    expect(state.pending[0]?.second).toBe(1)
    expect(advanced(state, page([101, 122])).state.candidate?.second).toBe(2)
  })

  it('can be written to the cursor and read again', () => {
    const { state } = advanced(fromStart, page([1, 200]), page([200, 400], 'x'))
    expect(walkStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state)
  })
})

describe('where fast polls go on', () => {
  it('is the newest record of a second before the newest one', () => {
    const { state } = advanced(fromStart, page([5, 7], 'a'), page([7, 9, 9], null))
    expect(state).toMatchObject({ newest: at(9), beforeNewest: at(7) })
  })

  it('does not depend on the order of the pages', () => {
    const { state } = advanced(fromStart, page([9, 9, 7], 'a'), page([7, 5], null))
    expect(state).toMatchObject({ newest: at(9), beforeNewest: at(7) })
  })

  it('takes no record of the future for the newest', () => {
    const { state } = advanced(fromStart, page([5, 7, now + 60], null))
    expect(state).toMatchObject({ newest: at(7), beforeNewest: at(5) })
  })
})
