import { describe, expect, it } from 'vitest'
import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import { resetAfterLoss, walkFromAnchor, walkNews } from '../../../shared/domain/polling/main-walks.ts'
import {
  ago,
  createMain,
  mainCursor as cursor,
  fromAnchor,
  nowMs,
  nowSecond,
  pageOf,
} from './walk-harness.ts'

const rules = { floorSecond: nowSecond - 90_000, memoryFromSecond: nowSecond - 34 * 86_400 }
describe('a poll for news', () => {
  it('reads from where it is told to the end of the list, and moves no cursor', async () => {
    const { context, gate, asked, taken, commits } = await createMain({
      answers: [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000, 9])],
      known: [9],
    })
    const poll = { cursor, state: fromAnchor, expectKnown: true, isOver: () => false }
    expect((await walkNews(context, gate, poll)).end).toEqual({ kind: 'complete' })
    expect(asked).toEqual([
      { lastId: '5000 s ago', nextQuery: null, purpose: { kind: 'news', backlog: false } },
      { lastId: '4000 s ago', nextQuery: null, purpose: { kind: 'news', backlog: true } },
    ])
    expect(taken).toEqual([
      { uuids: ['4000 s ago', '3000 s ago'], rules },
      { uuids: ['3000 s ago', '9 s ago'], rules },
    ])
    expect(commits).toEqual([])
  })

  it('finds out that what it began with is lost where the list lacks a record that is known', async () => {
    const { context, gate } = await createMain({ answers: [pageOf([9])] })
    const poll = { cursor, state: fromAnchor, expectKnown: true, isOver: () => false }
    expect((await walkNews(context, gate, poll)).end).toEqual({ kind: 'lost', reason: 'known_missing' })
  })

  it('ends with the run', async () => {
    const { context, gate } = await createMain({ answers: [pageOf([4_000, 3_000], '?page=2')] })
    const poll = { cursor, state: fromAnchor, expectKnown: false, isOver: () => true }
    expect((await walkNews(context, gate, poll)).end).toEqual({ kind: 'unfinished', why: 'run_over' })
  })
})

describe('a walk from the anchor', () => {
  it.each<['news' | 'reread']>([['news'], ['reread']])(
    'commits each page, and asks for %s with its first request, for a backlog with the others',
    async purpose => {
      const { walk, asked, taken, commits, stored } = await createMain({
        answers: [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000, 9])],
      })
      const { report, at } = await walk({ purpose })
      expect([report.end, report.counts.read]).toEqual([{ kind: 'complete' }, 4])
      expect(asked).toEqual([
        { lastId: '5000 s ago', nextQuery: null, purpose: { kind: purpose, backlog: false } },
        { lastId: '4000 s ago', nextQuery: null, purpose: { kind: purpose, backlog: true } },
      ])
      expect(taken.map(page => page.rules)).toEqual([rules, rules])
      expect(commits.map(commit => [commit.name, commit.cursor.place?.ask])).toEqual([
        ['main', { kind: 'after', anchor: ago(4_000) }],
        ['main', undefined],
      ])
      const complete = { ...cursor, anchor: ago(3_000), newest: ago(9), lastCompleteWalkAtMs: nowMs }
      expect(at).toEqual({ cursor: complete, version: 3 })
      expect(await stored('main')).toEqual(at)
    },
  )

  it('goes on in a later run where it was', async () => {
    const { walk, context, gate, lastIds } = await createMain({
      answers: [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000])],
    })
    const begun = await walk({ isOver: () => true })
    expect(begun.report.end).toEqual({ kind: 'unfinished', why: 'run_over' })
    const poll = { at: begun.at, purpose: 'news', stopSecond: null, isOver: () => false } as const
    expect((await walkFromAnchor(context, gate, poll)).report.end).toEqual({ kind: 'complete' })
    expect(lastIds()).toEqual(['5000 s ago', '4000 s ago'])
  })

  it('ends where another poller has committed, and says what was committed of its own', async () => {
    const { walk, othersCommitFirst, commits } = await createMain({
      answers: [pageOf([4_000, 3_000], '?page=2'), pageOf([3_000])],
    })
    othersCommitFirst(2)
    const { report, at } = await walk({})
    expect(report.end).toEqual({ kind: 'superseded' })
    expect(commits).toHaveLength(1)
    expect(at).toEqual({ cursor: commits[0]?.cursor, version: 2 })
    expect(at.cursor.place?.ask).toEqual({ kind: 'after', anchor: ago(4_000) })
  })

  it.each<[string, Partial<Cursor>, readonly number[], string]>([
    ['a known record is newer, and the list shows none', { newest: ago(4_999) }, [], 'lost'],
    ['that record is shown', { newest: ago(4_999) }, [9], 'complete'],
    ['no newer one is known', { newest: ago(5_000) }, [], 'complete'],
    ['none is known at all', { newest: null }, [], 'complete'],
    ['there is no anchor to lose', { anchor: null, newest: ago(9) }, [], 'complete'],
  ])('finds out whether its anchor is lost where %s', async (_, over, known, end) => {
    const { walk } = await createMain({ answers: [pageOf([9])], known, cursor: over })
    expect((await walk({})).report.end.kind).toBe(end)
  })
})

describe('a walk that finds nothing new', () => {
  it.each<[string, number | null, number]>([
    ['is not written within a minute of the last that was', nowMs - 59_999, 0],
    ['is written after a minute', nowMs - 60_000, 1],
    ['is written where none ever was', null, 1],
  ])('%s', async (_, lastCompleteWalkAtMs, count) => {
    const { walk, at, commits } = await createMain({
      answers: [pageOf([])],
      cursor: { lastCompleteWalkAtMs },
    })
    const walked = await walk({})
    expect(walked.report.end).toEqual({ kind: 'complete' })
    expect(commits).toHaveLength(count)
    const told = { cursor: { ...at.cursor, lastCompleteWalkAtMs: nowMs }, version: 2 }
    expect(walked.at).toEqual(count === 0 ? at : told)
  })
})

describe('after a loss', () => {
  const loss = { reason: 'rejected', wasAnchor: true }
  const told = { kind: 'anchor_lost', source: 'main', stream: 'bounces', reason: 'rejected' }
  const place = { ...fromAnchor, stopSecond: 7 }

  it('of its anchor the stream goes on from an older one, and it is told', async () => {
    const { context, at, logged, happenings, stored } = await createMain({
      answers: [],
      cursor: { place },
    })
    await logged(5_001)
    expect(await resetAfterLoss(context, at, loss)).toBe('committed')
    expect(await stored('main')).toEqual({
      cursor: { ...cursor, anchor: ago(5_001), anchorsLost: 1 },
      version: 2,
    })
    expect(happenings).toEqual([told])
  })

  it.each<[string, boolean, Partial<Cursor>]>([
    ['of its place the stream goes on from its anchor', false, {}],
    ['without an anchor the stream begins its list again', true, { anchor: null }],
  ])('%s, and nothing is told', async (_, wasAnchor, over) => {
    const { context, at, happenings, stored } = await createMain({
      answers: [],
      cursor: { ...over, place },
    })
    expect(await resetAfterLoss(context, at, { ...loss, wasAnchor })).toBe('committed')
    expect(await stored('main')).toEqual({ cursor: { ...cursor, ...over }, version: 2 })
    expect(happenings).toEqual([])
  })

  it('nothing is set back that another poller has moved', async () => {
    const { context, at, othersCommitFirst, stored } = await createMain({ answers: [] })
    othersCommitFirst()
    expect(await resetAfterLoss(context, at, loss)).toBe('moved')
    expect(await stored('main')).toEqual({ cursor, version: 2 })
  })
})
