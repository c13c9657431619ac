import { describe, expect, it } from 'vitest'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { cursorAfter } from '../../../shared/domain/polling/main-walks.ts'
import { type Anchor, beginWalk, type WalkState } from '../../../shared/domain/polling/walk-state.ts'

const at = (second: number, uuid = `r${second}`): Anchor => ({ uuid, second })
const passed = (second: number) => ({ ...at(second), askedSecond: 900 })
const state = (over: Partial<WalkState>): WalkState => ({
  ...beginWalk({ from: at(10), newestSecond: null, stopSecond: null }),
  ...over,
})
const cursor: Cursor = { ...emptyCursor, anchor: at(10), origin: at(5), newest: at(50), floorSecond: 0 }
const done = { complete: true, nowMs: 7_000 }
const underway = { complete: false, nowMs: 7_000 }

describe('the cursor after a page', () => {
  it('keeps the place, and moves the anchor to what the rule allows', () => {
    const reached = state({ candidate: passed(20) })
    expect(cursorAfter(cursor, reached, underway)).toEqual({ ...cursor, anchor: at(20), place: reached })
  })

  it('moves no anchor while an order that is ignored may hide older records', () => {
    const reached = state({ candidate: passed(20), orderIgnored: true })
    expect(cursorAfter(cursor, reached, underway).anchor).toEqual(at(10))
    expect(cursorAfter(cursor, reached, done).anchor).toEqual(at(20))
  })

  it('says what was newest, so that with the anchor a newer record is known', () => {
    const reached = state({ candidate: passed(60), newest: at(190) })
    expect(cursorAfter(cursor, reached, underway)).toMatchObject({ anchor: at(60), newest: at(190) })
  })

  it('never moves the anchor back', () => {
    expect(cursorAfter(cursor, state({ candidate: passed(9) }), done).anchor).toEqual(at(10))
    expect(cursorAfter(cursor, state({ candidate: null }), done).anchor).toEqual(at(10))
  })

  it('remembers the first anchor that the stream had', () => {
    const first = cursorAfter(
      { ...cursor, anchor: null, origin: null },
      state({ candidate: passed(7) }),
      done,
    )
    expect(first.origin).toEqual(at(7))
    expect(cursorAfter(first, state({ candidate: passed(30) }), done).origin).toEqual(at(7))
  })
})

describe('the cursor after a whole walk', () => {
  it('has no place and no loss, and the time of the walk', () => {
    const before = { ...cursor, place: state({}), anchorsLost: 2 }
    expect(cursorAfter(before, state({ newest: at(60) }), done)).toEqual({
      ...cursor,
      newest: at(60),
      firstWalkComplete: true,
      lastCompleteWalkAtMs: 7_000,
    })
  })

  it('still expects the newest record that was ever seen', () => {
    expect(cursorAfter(cursor, state({ newest: at(40) }), done).newest).toEqual(at(50))
  })

  it('forgets what the list has no more where all of it was read', () => {
    expect(cursorAfter(cursor, state({ from: null, newest: at(40) }), done).newest).toEqual(at(40))
    expect(cursorAfter(cursor, state({ from: null, newest: null }), done).newest).toBeNull()
  })

  it('forgets nothing where the walk stopped before the end of the list', () => {
    const stopped = state({ from: null, newest: at(40), stopSecond: 30 })
    expect(cursorAfter(cursor, stopped, done).newest).toEqual(at(50))
  })
})
