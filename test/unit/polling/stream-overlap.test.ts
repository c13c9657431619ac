import { describe, expect, it } from 'vitest'
import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { at, createStream, noBudget, readOnce } from './poll-harness.ts'

const pageSize = 2
const isReread = (asked: string) => asked.startsWith('reread')

describe('the overlap', () => {
  it('is read again from the anchor to the end of the list, each time that half of it has passed', async () => {
    const { poll, turn, service, askedSince, told } = await readOnce({ pageSize })
    await turn(minuteMs - 1)
    service.list = [...service.list, at(5), at(15)]
    await poll()
    expect(askedSince()).toEqual(['news: after -60', 'news backlog: after -30'])
    await turn(1)
    expect(await poll()).toEqual({ kind: 'complete' })
    const reread = [
      ...['reread: after -200', 'reread backlog: after -100'],
      ...['reread backlog: after -60', 'reread backlog: after -30'],
    ]
    expect(askedSince()).toEqual(['news: after +5', ...reread])
    expect(told()).toEqual(['news: complete', 'news: complete', 'overlap: complete'])
    await turn(minuteMs - 1)
    await poll()
    expect(askedSince()).toEqual(['news: after +5'])
    await turn(1)
    await poll()
    expect(askedSince()).toEqual(['news: after +5', ...reread])
  })

  it('brings what became visible late, and moves no fast poll back', async () => {
    const { poll, service, taken, askedSince } = await readOnce({ pageSize, afterMs: minuteMs })
    service.list = [at(-200), at(-100), at(-90, 'late'), at(-60), at(-30), at(50), at(55)]
    await poll()
    expect(taken.slice(-3)).toEqual(['+50', '+55', 'late'])
    askedSince()
    await poll()
    expect(askedSince()).toEqual(['news: after +50'])
  })

  it('is gone on with by another process, from where the first walk had come', async () => {
    const { poll, service, restart, askedSince, told } = createStream()
    service.list = [at(-600), at(-300), at(-200)]
    service.pageSize = pageSize
    expect(await poll(() => true)).toEqual({ kind: 'unfinished', why: 'run_over' })
    restart()
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: start', 'news: after -600'])
    expect(told()).toEqual(['start: complete', 'overlap: unfinished', 'overlap resumed: complete'])
  })

  it('begins anew with the stream where an operator has removed its cursor', async () => {
    const { poll, context, askedSince, told } = await readOnce({ afterMs: minuteMs })
    context.cursors = createMemoryCursorStore()
    expect(await poll()).toEqual({ kind: 'superseded' })
    expect(askedSince()).toEqual(['news: after -60'])
    expect(told()).toEqual(['news: complete'])
    await poll()
    expect(askedSince()).toEqual(['news: start'])
    expect(told()).toEqual(['start: complete', 'overlap: complete'])
  })
})

describe('the overlap, where the budget does not reach for it,', () => {
  /** A minute later, with more news than a page, of which all was read; and the overlap was due, but not asked for. */
  const refused = async (overlapSeconds = 120) => {
    const stream = await readOnce({ pageSize, afterMs: minuteMs, source: { overlapSeconds } })
    stream.service.list = [...stream.service.list, ...[5, 10, 50, 55, 60].map(second => at(second))]
    stream.service.answer = asked => (isReread(asked) ? noBudget : null)
    expect(await stream.poll()).toEqual({ kind: 'complete' })
    stream.askedSince()
    stream.service.answer = () => null
    return stream
  }

  it('is tried again after a quarter of a minute', async () => {
    const { poll, turn, askedSince, told } = await refused()
    await turn(14_999)
    await poll()
    expect(askedSince().filter(isReread)).toEqual([])
    await turn(1)
    await poll()
    expect(askedSince().filter(isReread)).toEqual(['reread: after -200', 'reread backlog: after -100'])
    expect(told()).toEqual(['news: complete', 'news: complete', 'news: complete', 'overlap: complete'])
  })

  it('is tried again at its own pace where that is quicker', async () => {
    const { poll, turn, askedSince } = await refused(20)
    await turn(9_999)
    await poll()
    expect(askedSince().filter(isReread)).toEqual([])
    await turn(1)
    await poll()
    // Up to +50, the overlap before now: the page of +50 and +55 is past it.
    expect(askedSince().filter(isReread)).toEqual([
      ...['reread: after -60', 'reread backlog: after -30'],
      ...['reread backlog: after +5', 'reread backlog: after +10'],
    ])
  })

  it('is read only as far as fast polls may have missed something, which stay where they are', async () => {
    const { poll, turn, askedSince } = await refused()
    await turn(15_000)
    await poll()
    // Up to -45, the overlap before now: the page of -60 and -30 is past it.
    expect(askedSince().filter(isReread)).toEqual(['reread: after -200', 'reread backlog: after -100'])
    await poll()
    expect(askedSince()).toEqual(['news: after +55'])
  })

  it('is read so again while that takes more than a page, and to its end once it does not', async () => {
    const { poll, turn, service, askedSince } = await refused()
    const rereadAfter = async (ms: number) => {
      await turn(ms)
      await poll()
      return askedSince().filter(isReread)
    }
    await rereadAfter(15_000)
    // Now up to +15, and so past the page of +5 and +10.
    expect(await rereadAfter(minuteMs)).toEqual([
      ...['reread: after -60', 'reread backlog: after -30', 'reread backlog: after +5'],
    ])
    service.list = [...service.list, ...[140, 150, 160, 170].map(second => at(second))]
    service.pageSize = 100
    expect(await rereadAfter(minuteMs)).toEqual(['reread: after -60'])
    service.pageSize = pageSize
    // Up to +135 it would be two pages.
    expect(await rereadAfter(minuteMs)).toEqual([
      ...['reread: after +50', 'reread backlog: after +55', 'reread backlog: after +60'],
      ...['reread backlog: after +140', 'reread backlog: after +150'],
    ])
  })
})

describe('how long the overlap is read in a poll', () => {
  /** The pages of the overlap, at 1.5 s each, that one poll reads after news that took so long. */
  const pagesRead = async (newsMs: number, over: { isOver?: (asked: readonly string[]) => boolean } = {}) => {
    const stream = await readOnce({ pageSize, afterMs: minuteMs })
    const { service, poll, askedSince } = stream
    service.list = [-200, -180, -160, -140, -120, -100, -80, -60, -40, -30].map(second => at(second))
    service.answer = asked => {
      service.tookMs = isReread(asked) ? 1_500 : newsMs
      return null
    }
    const end = await poll(() => over.isOver?.(stream.asked) ?? false)
    return { ...stream, end, pages: askedSince().filter(isReread).length }
  }

  it('is the rest of the time until the next poll', async () => {
    // 5 s from start to start: a page is there at 2.5, 4 and 5.5 s.
    expect(await pagesRead(1_000)).toMatchObject({ end: { kind: 'complete' }, pages: 3 })
  })

  it('is as long as the news took where that is longer, at a slow service', async () => {
    // Until 8 s after the poll's start, and until 12 s: at 5.5, 7 and 8.5 s, and at 7.5, 9, 10.5 and 12 s.
    expect(await pagesRead(4_000)).toMatchObject({ pages: 3 })
    expect(await pagesRead(6_000)).toMatchObject({ pages: 4 })
  })

  it('is no longer than the run', async () => {
    const isOver = (asked: readonly string[]) => asked.some(isReread)
    expect(await pagesRead(1_000, { isOver })).toMatchObject({ pages: 1 })
  })

  it('leaves nothing out: the next poll goes on, to the end of the list', async () => {
    const { poll, service, askedSince, told } = await pagesRead(1_000)
    service.answer = () => null
    service.tookMs = 0
    told()
    await poll()
    expect(askedSince()).toEqual([
      ...['news: after -40', 'reread: after -140', 'reread backlog: after -120'],
      ...['reread backlog: after -100', 'reread backlog: after -80', 'reread backlog: after -60'],
    ])
    expect(told()).toEqual(['news: complete', 'overlap resumed: complete'])
  })
})
