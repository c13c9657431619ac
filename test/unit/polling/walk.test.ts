import { describe, expect, it } from 'vitest'
import { FeedbackApiError } from '../../../shared/domain/polling/feedback-api.ts'
import { noCounts } from '../../../shared/domain/polling/intake.ts'
import type { FetchResult } from '../../../shared/domain/polling/request-gate.ts'
import { queryOf, runWalk, type WalkDeps } from '../../../shared/domain/polling/walk.ts'
import { beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { serviceRecord } from './world/records.ts'

describe('of a `next`, the bridge', () => {
  it('takes the query and nothing else', () => {
    expect(queryOf('https://elsewhere.example:8443/api/v9/list?page=2&order=asc')).toBe('page=2&order=asc')
    expect(queryOf('/api/v2/bounces?cursor=a%3Fb')).toBe('cursor=a%3Fb')
    expect(queryOf('?page=2')).toBe('page=2')
  })

  it('leaves out the fragment, and keeps a question mark within the query', () => {
    expect(queryOf('https://a.example/?q=1?2#part?3')).toBe('q=1?2')
  })

  it('finds no query where there is none, which leads nowhere', () => {
    expect(queryOf('https://a.example/list')).toBe('')
    expect(queryOf('')).toBe('')
  })

  it('learns that there are no more pages', () => {
    expect(queryOf(null)).toBeNull()
  })
})

const second = 100_000
const pageOf = (uuids: readonly string[], next: string | null): FetchResult => ({
  kind: 'page',
  page: {
    serverDateMs: null,
    rateLimit: null,
    next,
    bytes: 0,
    records: uuids.map(uuid => serviceRecord({ uuid, second }).raw),
  },
  askedSecond: second,
  answeredSecond: second,
})
const depsOf = (over: Partial<WalkDeps>): WalkDeps => ({
  fetch: async () => pageOf([], null),
  intake: async page => ({ counts: { ...noCounts, read: page.records.length }, failure: null }),
  commit: async () => 'committed',
  isOver: () => false,
  overlapSeconds: 120,
  expectKnown: false,
  ...over,
})
const countedCommits = () => {
  let count = 0
  const commit: WalkDeps['commit'] = async () => {
    count += 1
    return 'committed'
  }
  return { commit, commits: () => count }
}
const start = beginWalk({ from: null, newestSecond: null, stopSecond: null })

describe('a walk', () => {
  it('sends what a page shows even where its `next` leads nowhere, and commits nothing of it', async () => {
    const taken: number[] = []
    const { commit, commits } = countedCommits()
    const report = await runWalk(
      start,
      depsOf({
        fetch: async () => pageOf(['a', 'b'], 'https://service.example/list'),
        intake: async page => {
          taken.push(page.records.length)
          return { counts: noCounts, failure: null }
        },
        commit,
      }),
    )
    expect(report.end).toEqual({ kind: 'failed', reason: 'page_does_not_advance', error: null })
    expect({ taken, commits: commits() }).toEqual({ taken: [2], commits: 0 })
  })

  it('ends by the fault of its intake, and a fault of the page in flight ends nothing more', async () => {
    let asked = 0
    const deps = depsOf({
      fetch: async () => {
        asked += 1
        if (asked > 1) throw new Error('in flight')
        return pageOf(['a', 'b'], '?page=2')
      },
      intake: () => Promise.reject(new Error('the table is away')),
    })
    await expect(runWalk(start, deps)).rejects.toThrow('the table is away')
    // An unhandled rejection would fail the test run here.
    await new Promise(resolve => setImmediate(resolve))
    expect(asked).toBe(2)
  })

  it('ends where another run polls now, and commits nothing of the page that it left to that one', async () => {
    const { commit, commits } = countedCommits()
    const report = await runWalk(
      start,
      depsOf({
        fetch: async () => pageOf(['a'], null),
        intake: async () => ({ counts: noCounts, failure: null, isSuperseded: true }),
        commit,
      }),
    )
    expect({ end: report.end, commits: commits() }).toEqual({ end: { kind: 'superseded' }, commits: 0 })
  })

  it('says of a failure whether it got on before', async () => {
    const away = new FeedbackApiError({
      ...{ code: 'feedback_server_error', message: 'away', hint: '' },
      ...{ failure: 'server_error', status: 503 },
    })
    const failed: FetchResult = { kind: 'failed', error: away }
    const atOnce = await runWalk(start, depsOf({ fetch: async () => failed }))
    expect(atOnce.end).toEqual({ kind: 'failed', reason: 'feedback_server_error', error: away })
    const onItsWay = depsOf({ fetch: async (_, first) => (first ? pageOf(['a'], '?page=2') : failed) })
    expect((await runWalk(start, onItsWay)).end).toMatchObject({ kind: 'failed', gotOn: true })
  })

  it('commits no page of which a record is neither enqueued nor in quarantine', async () => {
    const { commit, commits } = countedCommits()
    const report = await runWalk(
      start,
      depsOf({
        fetch: async () => pageOf(['a'], null),
        intake: async () => ({ counts: noCounts, failure: 'queue_failed' }),
        commit,
      }),
    )
    expect(report.end).toEqual({ kind: 'failed', reason: 'queue_failed', error: null })
    expect(commits()).toBe(0)
  })

  it('ends where somebody else has moved the cursor', async () => {
    const report = await runWalk(start, depsOf({ commit: async () => 'moved' }))
    expect(report.end).toEqual({ kind: 'superseded' })
  })

  it('has lost its anchor where the end of the list is reached and no record was known', async () => {
    const from = beginWalk({
      from: { uuid: 'x', second: second - 500 },
      newestSecond: null,
      stopSecond: null,
    })
    const deps = depsOf({ fetch: async () => pageOf(['new'], null), expectKnown: true })
    expect((await runWalk(from, deps)).end).toEqual({ kind: 'lost', reason: 'known_missing' })
  })

  it.each(['known', 'beforeFloor', 'beyondMemory'] as const)(
    'has its anchor where a record of those that end as `%s` was shown: it may have been seen before',
    async heading => {
      const anchor = { uuid: 'x', second: second - 500 }
      const from = beginWalk({ from: anchor, newestSecond: null, stopSecond: null })
      const counts = { ...noCounts, [heading]: 1 }
      const fetch = async () => pageOf(['new'], null)
      const deps = depsOf({ fetch, expectKnown: true, intake: async () => ({ counts, failure: null }) })
      expect((await runWalk(from, deps)).end).toEqual({ kind: 'complete' })
    },
  )

  describe('where the service does not know a record that it has just shown', () => {
    const listOf = (seconds: readonly number[], next: string | null): FetchResult => ({
      kind: 'page',
      page: {
        serverDateMs: null,
        rateLimit: null,
        next,
        bytes: 0,
        records: seconds.map(at => serviceRecord({ uuid: `at ${at}`, second: second + at }).raw),
      },
      askedSecond: second,
      answeredSecond: second,
    })
    const unknown = new FeedbackApiError({
      ...{ code: 'validation_failed', message: 'unknown last_id', hint: '' },
      ...{ failure: 'rejected', status: 422 },
    })
    const answers: Readonly<Record<string, FetchResult>> = {
      'refuses it': { kind: 'failed', error: unknown },
      'shows the list from its start': listOf([-99, -9], '?page=2'),
      'shows nothing': listOf([], null),
    }
    for (const [what, answer] of Object.entries(answers)) {
      it(`goes on by \`next\` where it ${what}`, async () => {
        const asked: (string | null)[] = []
        const firsts: boolean[] = []
        const deps = depsOf({
          fetch: async (ask, first) => {
            firsts.push(first)
            asked.push(ask.kind === 'next' ? ask.query : (ask.anchor?.uuid ?? null))
            if (ask.kind === 'next') return listOf([-7], null)
            return ask.anchor === null ? listOf([-9, -8], '?page=2') : answer
          },
        })
        const report = await runWalk(start, deps)
        expect(report.end).toEqual({ kind: 'complete' })
        // The first page once more, since a larger one would say that pages by number have shifted.
        expect(asked).toEqual([null, 'at -9', 'page=2', null])
        expect(firsts).toEqual([true, false, false, false])
        expect(report.counts.read).toBe(5)
      })
    }

    it('has failed, and lost nothing, where it refuses a request that named none', async () => {
      const deps = depsOf({ fetch: async () => ({ kind: 'failed', error: unknown }) })
      const { end } = await runWalk(start, deps)
      expect(end).toEqual({ kind: 'failed', reason: 'validation_failed', error: unknown })
    })
  })
})
