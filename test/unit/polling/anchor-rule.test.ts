import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anchorLimit,
  laterAnchor,
  newestWithin,
  settledRecords,
} from '../../../shared/domain/polling/anchor-rule.ts'

const at = (second: number, uuid = `r${second}`) => ({ uuid, second })

describe('the last second of which a record may be the anchor', () => {
  it('is the overlap before the start of the walk where newer records are known', () => {
    expect(anchorLimit({ startSecond: 1_000, newestSecond: 1_005, overlapSeconds: 120 })).toBe(880)
  })

  it('is the overlap before the newest record where the service lags behind its own clock', () => {
    expect(anchorLimit({ startSecond: 1_000, newestSecond: 400, overlapSeconds: 120 })).toBe(280)
  })

  it('is none where no newest record is known', () => {
    expect(anchorLimit({ startSecond: 1_000, newestSecond: null, overlapSeconds: 120 })).toBeNull()
  })

  it('stays before the newest record without any overlap, so that the loss of the anchor can be told', () => {
    expect(anchorLimit({ startSecond: 1_000, newestSecond: 900, overlapSeconds: 0 })).toBe(899)
  })
})

describe('the later of two anchors', () => {
  it('is the one that there is', () => {
    expect(laterAnchor(null, at(5))).toEqual(at(5))
    expect(laterAnchor(at(5), null)).toEqual(at(5))
    expect(laterAnchor(null, null)).toBeNull()
  })

  it('is the second one of the same second', () => {
    expect(laterAnchor(at(5, 'a'), at(5, 'b'))).toEqual(at(5, 'b'))
    expect(laterAnchor(at(6, 'a'), at(5, 'b'))).toEqual(at(6, 'a'))
  })
})

describe('the newest record within a limit', () => {
  it('is the last of the newest second that the limit allows', () => {
    expect(newestWithin([at(9), at(3), at(7, 'a'), at(7, 'b'), at(5)], 7)).toEqual(at(7, 'b'))
  })

  it('is none below the first record, or without a limit', () => {
    expect(newestWithin([at(9)], 8)).toBeNull()
    expect(newestWithin([at(9)], null)).toBeNull()
  })

  it('is never beyond the limit, and nothing within it is newer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.nat(20), (seconds, limit) => {
        const within = seconds.filter(second => second <= limit)
        const newest = newestWithin(
          seconds.map(second => at(second)),
          limit,
        )
        expect(newest?.second ?? null).toBe(within.length === 0 ? null : Math.max(...within))
      }),
    )
  })
})

describe('the records of a page whose second is read whole', () => {
  it('are those before its last second, the rest of which may stand on the next page', () => {
    expect(settledRecords([at(1), at(2), at(3, 'a'), at(3, 'b')], false)).toEqual([at(1), at(2)])
  })

  it('are all of the last page', () => {
    expect(settledRecords([at(1), at(3)], true)).toEqual([at(1), at(3)])
  })

  it('are none of a page that is newest first, or of one second', () => {
    expect(settledRecords([at(3), at(2), at(1)], false)).toEqual([])
    expect(settledRecords([at(3, 'a'), at(3, 'b')], false)).toEqual([])
  })
})
