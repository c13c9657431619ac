import { describe, expect, it } from 'vitest'
import { emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import { cursorKey } from '../../../shared/domain/polling/stream-context.ts'
import { at, createStream, fails, failure, readOnce } from './poll-harness.ts'

const isOver = () => true
const unreachable = {
  ...{ kind: 'failed', reason: 'feedback_unreachable' },
  error: failure('unreachable'),
} as const

const later = { afterMs: 5_000, pageSize: 2 }

describe('the first poll of a stream', () => {
  it('finds out where it begins, and reads all from there on', async () => {
    const { poll, service, asked, told, taken } = createStream()
    service.list = [at(-600), at(-300), at(-60), at(-30)]
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(told()).toEqual(['start: complete', 'overlap: complete'])
    expect(asked).toEqual(['news: start'])
    expect(taken).toEqual(['-600', '-300', '-60', '-30'])
  })

  it('reads nothing where that can not be found out now', async () => {
    const { poll, service, asked, told } = createStream({ source: { startAt: { kind: 'latest' } } })
    service.answer = () => fails('unreachable')
    expect(await poll()).toEqual(unreachable)
    expect([asked, told()]).toEqual([['news backlog: newest first'], ['start: failed, feedback_unreachable']])
  })

  it('goes on with the search that an earlier process began', async () => {
    const { poll, service, keep, told } = createStream({ source: { startAt: { kind: 'latest' } } })
    service.list = [at(-30), at(-20)]
    const start = { query: '', newestSecond: null, before: null, lastSecond: null, newestFirst: true }
    await keep({ start })
    await poll()
    expect(told()).toEqual(['start resumed: complete', 'overlap: complete'])
  })

  it('of a process goes on from the anchor where an earlier one has found the start', async () => {
    const { poll, service, keep, asked, told } = createStream()
    service.list = [at(-600), at(-300), at(-60)]
    await keep({ floorSecond: 0, anchor: at(-300), firstWalkComplete: true })
    expect(await poll()).toEqual({ kind: 'complete' })
    expect([asked, told()]).toEqual([['news: after -300'], ['overlap: complete']])
  })

  /** Another run commits this cursor just before ours commits where it begins. */
  const overtaken = (theirs: Partial<typeof emptyCursor>) => {
    const stream = createStream()
    stream.service.list = [at(-600), at(-300), at(-60)]
    const { cursors } = stream.context
    stream.context.cursors = {
      ...cursors,
      commit: async (...ours) => {
        stream.context.cursors = cursors
        await cursors.commit(cursorKey(stream.context, 'main'), { ...emptyCursor, ...theirs }, null)
        return cursors.commit(...ours)
      },
    }
    return stream
  }

  it('takes the start that another run has found meanwhile', async () => {
    const { poll, asked, told } = overtaken({ floorSecond: 0, anchor: at(-300) })
    expect(await poll()).toEqual({ kind: 'complete' })
    expect([asked, told()]).toEqual([['news: after -300'], ['start: superseded', 'overlap: complete']])
  })

  it('reads nothing while another run is looking for the start', async () => {
    const { poll, asked, told } = overtaken({})
    expect(await poll()).toEqual({ kind: 'superseded' })
    expect([asked, told()]).toEqual([[], ['start: superseded']])
  })
})

describe('a poll for news', () => {
  it('goes on after the newest record of a second before the newest one', async () => {
    const { poll, service, askedSince, told } = await readOnce(later)
    await poll()
    service.list = [...service.list, at(4)]
    await poll()
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'news: after -60', 'news: after -30'])
    expect(told()).toEqual(['news: complete', 'news: complete', 'news: complete'])
  })

  it('that the end of a run cuts short goes on in the next one, and the one after it begins anew', async () => {
    const { poll, service, askedSince, told, taken } = await readOnce(later)
    service.list = [...service.list, at(1), at(2), at(3)]
    expect(await poll(isOver)).toEqual({ kind: 'unfinished', why: 'run_over' })
    expect([askedSince(), told()]).toEqual([['news: after -60'], ['news: unfinished']])
    expect(await poll()).toEqual({ kind: 'complete' })
    expect([askedSince(), told()]).toEqual([
      ['news: after -30', 'news backlog: after +1'],
      ['news resumed: complete'],
    ])
    await poll()
    expect([askedSince(), told()]).toEqual([['news: after +2'], ['news: complete']])
    expect(taken.slice(-3)).toEqual(['+1', '+2', '+3'])
  })

  it('that fails on its way goes on from the record that it had reached', async () => {
    const { poll, service, askedSince, told } = await readOnce(later)
    service.list = [...service.list, at(1), at(2)]
    service.answer = asked => (asked === 'news backlog: after -30' ? fails('unreachable') : null)
    expect(await poll()).toEqual({ ...unreachable, gotOn: true })
    service.answer = () => null
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'news backlog: after -30', 'news: after -30'])
    expect(told()).toEqual(['news: failed, feedback_unreachable', 'news resumed: complete'])
  })

  it('regression: that fails twice keeps the place that it had reached', async () => {
    const { poll, turn, service, askedSince } = createStream()
    service.list = [at(-600), at(-300), at(-60), at(-30)]
    await poll()
    await turn(5_000)
    service.list = [...service.list, at(1), at(2), at(3), at(4)]
    service.pageSize = 2
    service.answer = asked => (asked.endsWith('after +2') ? fails('unreachable') : null)
    askedSince()
    await poll()
    await poll()
    service.answer = () => null
    await poll()
    expect(askedSince()).toEqual([
      ...['news: after -60', 'news backlog: after -30', 'news backlog: after +1', 'news backlog: after +2'],
      'news: after +2',
      'news: after +2',
    ])
  })

  it('that fails at a `next`, which may expire, begins anew from where it began', async () => {
    const { poll, service, askedSince, told } = await readOnce(later)
    service.list = [...service.list, at(1, 'a'), at(1, 'b'), at(1, 'c')]
    service.answer = asked => (asked === 'news backlog: next b' ? fails('unreachable') : null)
    await poll()
    await poll(isOver)
    expect(askedSince()).toEqual([
      ...['news: after -60', 'news backlog: after -30', 'news backlog: next b'],
      'news: after -60',
    ])
    expect(told()).toEqual(['news: failed, feedback_unreachable', 'news: unfinished'])
  })

  it('that fails at once has not begun', async () => {
    const { poll, service, askedSince, told } = await readOnce(later)
    service.answer = () => fails('unreachable')
    expect(await poll()).toEqual(unreachable)
    service.answer = () => null
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'news: after -60'])
    expect(told()).toEqual(['news: failed, feedback_unreachable', 'news: complete'])
  })
})
