import { describe, expect, test } from 'vitest'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { noCounts } from '../../../shared/domain/polling/intake.ts'
import {
  askedForAnchor,
  failedWithLastId,
  queryOf,
  type WalkEnd,
  type WalkReport,
} from '../../../shared/domain/polling/walk.ts'
import {
  type Anchor,
  type Ask,
  advanceWalk,
  beginWalk,
  byNextInstead,
  type PageFacts,
  type WalkState,
} from '../../../shared/domain/polling/walk-state.ts'

const at = (second: number, uuid = `r${second}`): Anchor => ({ uuid, second })
const start = (of: Partial<WalkState> = {}): WalkState => ({
  ...beginWalk({ from: at(10), newestSecond: null, stopSecond: null }),
  ...of,
})
const behind = (anchor: Anchor | null): Ask => ({ kind: 'after', anchor })
const next = (query: string): Ask => ({ kind: 'next', query })
const report = (end: WalkEnd, state: Partial<WalkState>): WalkReport => ({
  end,
  state: start(state),
  counts: noCounts,
  pages: 1,
})
const error = (failure: FeedbackApiError['failure']) =>
  new FeedbackApiError({ code: `feedback_${failure}`, message: 'm', hint: 'h', failure, status: null })
const failed = (failure: FeedbackApiError['failure']): WalkEnd => ({
  kind: 'failed',
  reason: 'r',
  error: error(failure),
})

describe('whether it was the anchor that led nowhere', () => {
  const anchor = at(10)
  const missing: WalkEnd = { kind: 'lost', reason: 'known_missing' }
  const rejected: WalkEnd = { kind: 'lost', reason: 'rejected' }

  test.each<[string, WalkEnd, Partial<WalkState>, boolean]>([
    ['it was asked for, and rejected', rejected, { ask: behind(anchor) }, true],
    ['a later record was asked for', rejected, { ask: behind(at(20)) }, false],
    ['the list was asked for from its start', rejected, { ask: behind(null) }, false],
    ['a `next` was asked for', rejected, { ask: next('n') }, false],
    ['it was asked for, and failed', failed('server_error'), { ask: behind(anchor) }, true],
    ['a walk from it found nothing that was known, on its way', missing, { ask: behind(at(20)) }, true],
    ['a walk from another one did', missing, { from: at(9), ask: behind(anchor) }, false],
    ['a walk from the start did', missing, { from: null, ask: behind(anchor) }, false],
  ])('where %s', (_, end, state, was) => {
    expect(askedForAnchor(report(end, state), anchor)).toBe(was)
    expect(askedForAnchor(report(end, state), null)).toBe(false)
  })
})

describe('whether a request failed that named a record', () => {
  test.each<[string, WalkEnd, Ask, boolean]>([
    ['a server’s error to a record', failed('server_error'), behind(at(10)), true],
    ['a server’s error to a `next`', failed('server_error'), next('n'), true],
    ['a server’s error to the first page', failed('server_error'), behind(null), false],
    ['another failure', failed('unreachable'), behind(at(10)), false],
    ['a fault of ours', { kind: 'failed', reason: 'r', error: null }, behind(at(10)), false],
    ['a walk that ended well', { kind: 'complete' }, behind(at(10)), false],
    ['an anchor that was lost', { kind: 'lost', reason: 'rejected' }, behind(at(10)), false],
  ])('%s', (_, end, ask, did) => {
    expect(failedWithLastId(report(end, { ask }))).toBe(did)
  })
})

test('a query may be empty, and ends before a fragment that follows at once', () => {
  expect([queryOf('?'), queryOf('?#x'), queryOf('/list?#x')]).toEqual(['', '', ''])
})

describe('the other way on', () => {
  const onItsWay = { ask: behind(at(20)), nextQuery: 'page=2' }
  test.each<[string, Partial<WalkState>, boolean]>([
    ['of a walk on its way is its last `next`', onItsWay, true],
    ['is none before the first page', { ...onItsWay, ask: behind(at(10)) }, false],
    ['is none at the start of the list', { ...onItsWay, ask: behind(null) }, false],
    ['is none of a walk that goes by `next` already', { ...onItsWay, ask: next('n') }, false],
    ['is none without a `next`', { ...onItsWay, nextQuery: null }, false],
    ['is none by one that leads nowhere', { ...onItsWay, nextQuery: '' }, false],
  ])('%s', (_, of, isThere) => {
    const state = start(of)
    expect(byNextInstead(state)).toEqual(isThere ? { ...state, byNext: true, ask: next('page=2') } : null)
  })

  test('is kept from page to page', () => {
    const page = { records: [at(20), at(30)], nextQuery: 'page=3', askedSecond: 10_000 }
    const step = advanceWalk(start({ byNext: true, ask: next('page=2') }), page, 120)
    expect(step).toMatchObject({ kind: 'page', state: { byNext: true, ask: next('page=3') } })
  })
})

describe('a page', () => {
  const askedSecond = 10_000
  const page = (of: Partial<PageFacts>): PageFacts => ({ records: [], nextQuery: 'n', askedSecond, ...of })
  const step = (state: WalkState, facts: Partial<PageFacts>) => advanceWalk(state, page(facts), 120)

  test('of a second at the service’s own time may be the newest one', () => {
    const records = [at(askedSecond - 5), at(askedSecond), at(askedSecond + 1)]
    expect(step(start(), { records })).toMatchObject({
      state: { newestSecond: askedSecond, newest: at(askedSecond), beforeNewest: at(askedSecond - 5) },
    })
  })

  test('that shows a second twice has as newest its last record, and none of it before that', () => {
    const records = [at(20), at(30, 'a'), at(30, 'b')]
    expect(step(start(), { records })).toMatchObject({ state: { newest: at(30, 'b'), beforeNewest: at(20) } })
  })

  test('that came later than the walk’s begin bounds what was newest then', () => {
    const begun = start({ startSecond: askedSecond - 50 })
    expect(step(begun, { records: [at(9_000), at(9_500)] })).toMatchObject({ state: { newestSecond: 9_450 } })
  })

  test('of nothing is stuck where its `next` is its own, or leads nowhere', () => {
    const byNext = start({ ask: next('n') })
    expect(step(byNext, { nextQuery: 'n' })).toEqual({ kind: 'stuck' })
    expect(step(byNext, { nextQuery: '' })).toEqual({ kind: 'stuck' })
    expect(step(byNext, { nextQuery: 'm' })).toMatchObject({ kind: 'page', complete: false, atEnd: false })
  })

  test('of the record that was asked for alone goes on by its `next`', () => {
    const begun = start({ ask: behind(null), from: null })
    expect(step(begun, { records: [at(20), at(20, 'b')] })).toMatchObject({
      kind: 'page',
      state: { ask: next('n'), lastSecond: 20 },
    })
  })

  test('of nothing on the way by `next` keeps the last second that was seen', () => {
    const byNext = start({ ask: next('n'), lastSecond: 77 })
    expect(step(byNext, { nextQuery: 'm' })).toMatchObject({ state: { ask: next('m'), lastSecond: 77 } })
  })

  test('ends a walk that is to stop where it goes beyond that second, and not where it comes to it', () => {
    const stopping = start({ stopSecond: 30 })
    expect(step(stopping, { records: [at(20), at(30)] })).toMatchObject({ complete: false })
    expect(step(stopping, { records: [at(20), at(31)] })).toMatchObject({ complete: true, atEnd: false })
    expect(step(stopping, { records: [at(31), at(31, 'b')] })).toMatchObject({ complete: false })
  })

  test('leaves as pending what is later than the limit, and what is not is the candidate', () => {
    const limit = askedSecond - 120
    const records = [at(limit - 1), at(limit), at(limit + 1), at(askedSecond)]
    const taken = step(start(), { records })
    expect(taken).toMatchObject({
      state: { candidate: { second: limit }, pending: [{ second: limit + 1 }] },
    })
    const settled = step(start(), { records: [at(limit), at(askedSecond)] })
    expect(settled).toMatchObject({ state: { candidate: { second: limit }, pending: [] } })
  })
})

test('a walk begins by records, and by `next` alone where that is wanted', () => {
  const of = { from: null, newestSecond: null, stopSecond: null }
  expect(beginWalk(of)).toMatchObject({ byNext: false, pending: [] })
  expect(beginWalk({ ...of, byNext: true })).toMatchObject({ byNext: true })
})
