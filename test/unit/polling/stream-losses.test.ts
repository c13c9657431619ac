import { describe, expect, it } from 'vitest'
import { beginWalk } from '../../../shared/domain/polling/walk-state.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { at, createStream, fails, failure, nowSecond, readOnce } from './poll-harness.ts'

const afterMs = 5_000
const fails500 = fails('server_error', 500)
const isReread = (asked: string) => asked.startsWith('reread')

describe('an answer to a poll for news that lacks the newest record', () => {
  it('tells of a loss: all is read again from the anchor', async () => {
    const { poll, service, askedSince, told } = await readOnce({ afterMs })
    service.list = [...service.list.slice(0, -1), at(1)]
    expect(await poll()).toEqual({ kind: 'lost', reason: 'known_missing' })
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: after -60', 'news: after -200'])
    expect(told()).toEqual(['news: failed, known_missing', 'overlap: complete'])
  })

  it('is none where nothing newer than where the poll begins is known', async () => {
    const { poll, service, keep, told } = createStream()
    await keep({ floorSecond: 0, anchor: at(-300), firstWalkComplete: true })
    service.list = [at(-300)]
    await poll()
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(told()).toEqual(['overlap: complete', 'news: complete'])
  })

  it('is none where all that is known is of the second where the poll begins', async () => {
    const { poll, service, keep } = createStream()
    await keep({ floorSecond: 0, anchor: at(-300), firstWalkComplete: true })
    service.list = [at(-300), at(-300, 'same second')]
    await poll()
    service.list = [at(-300)]
    expect(await poll()).toEqual({ kind: 'complete' })
  })
})

describe('a service that fails with our `last_id`', () => {
  const error = { kind: 'failed', reason: 'feedback_server_error', error: failure('server_error', 500) }
  const withLastId = (asked: string) => (asked.includes('after') ? fails500 : null)

  it('and answers without it at the third time in a row has lost it: all is read again from the anchor', async () => {
    const { poll, service, askedSince, told } = await readOnce({ afterMs })
    service.answer = withLastId
    expect([await poll(), await poll()]).toEqual([error, error])
    expect(askedSince()).toEqual(['news: after -60', 'news: after -60'])
    expect(await poll()).toEqual({ kind: 'lost', reason: 'server_error' })
    expect(askedSince()).toEqual(['news: after -60', 'news: start'])
    service.answer = () => null
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: after -200'])
    const failed = 'news: failed, feedback_server_error'
    expect(told()).toEqual([failed, failed, failed, 'overlap: complete'])
  })

  it('and without it as well is only ill, and is asked so again each time', async () => {
    const { poll, service, askedSince } = await readOnce({ afterMs })
    service.answer = () => fails500
    for (let time = 0; time < 4; time += 1) expect(await poll()).toEqual(error)
    expect(askedSince()).toEqual([
      ...['news: after -60', 'news: after -60', 'news: after -60', 'news: start'],
      ...['news: after -60', 'news: start'],
    ])
  })

  it('regression: in a `next`, after a page that lacks what we saw, has lost the place that the walk had reached', async () => {
    const { poll, service, keep, cursor, askedSince, told } = createStream()
    const whole = beginWalk({ from: null, newestSecond: null, stopSecond: null })
    const ask = { kind: 'after', anchor: at(-60) } as const
    await keep({ floorSecond: 0, place: { ...whole, ask, startSecond: nowSecond, nextQuery: 'id=-90' } })
    service.list = [at(-90), at(-60)]
    service.answer = asked => (asked.endsWith('next id=-90') ? fails500 : null)
    const goesOn = ['news: after -60', 'news backlog: next id=-90']
    expect([await poll(), await poll()]).toEqual([error, error])
    expect(await poll()).toEqual({ kind: 'lost', reason: 'server_error' })
    expect(askedSince()).toEqual([...goesOn, ...goesOn, ...goesOn, 'news: start'])
    expect((await cursor())?.place).toBeNull()
    expect(await poll()).toEqual({ kind: 'complete' })
    const failed = 'overlap resumed: failed, feedback_server_error'
    expect(told()).toEqual([failed, failed, failed, 'overlap: complete'])
  })

  it('but answers in between has lost nothing', async () => {
    const { poll, service, askedSince } = await readOnce({ afterMs })
    for (const answer of [withLastId, withLastId, () => null, withLastId, withLastId]) {
      service.answer = answer
      await poll()
    }
    expect(askedSince()).toEqual(Array.from({ length: 5 }, () => 'news: after -60'))
  })

  it('from the first poll of a process on has lost the anchor, which is told', async () => {
    const { poll, service, keep, cursor, askedSince, told } = createStream()
    await keep({ floorSecond: 0, anchor: at(-300), firstWalkComplete: true })
    service.list = [at(-600), at(-300), at(-60)]
    service.answer = withLastId
    expect([await poll(), await poll()]).toEqual([error, error])
    expect(await poll()).toEqual({ kind: 'lost', reason: 'server_error' })
    expect(await cursor()).toMatchObject({ anchor: null, anchorsLost: 1 })
    await poll()
    expect(askedSince()).toEqual([
      ...['news: after -300', 'news: after -300', 'news: after -300', 'news: start'],
      'news: start',
    ])
    const failed = 'overlap: failed, feedback_server_error'
    expect(told()).toEqual([failed, failed, failed, 'anchor_lost', 'overlap: complete'])
  })
})

describe('a failure of re-reading', () => {
  it('is one of the poll', async () => {
    const { poll, service } = await readOnce({ afterMs: minuteMs })
    service.answer = asked => (isReread(asked) ? fails('unreachable') : null)
    const error = failure('unreachable')
    expect(await poll()).toEqual({ kind: 'failed', reason: 'feedback_unreachable', error })
  })

  it('whose anchor the service does not know is a loss: the whole list is read at the next poll', async () => {
    const { poll, service, askedSince, told, cursor } = await readOnce({ afterMs: minuteMs })
    service.list = service.list.filter(({ uuid }) => uuid !== '-200')
    expect(await poll()).toEqual({ kind: 'lost', reason: 'rejected' })
    expect(await cursor()).toMatchObject({ anchor: null, anchorsLost: 1 })
    expect(askedSince()).toEqual(['news: after -60', 'reread: after -200'])
    expect(await poll()).toEqual({ kind: 'complete' })
    expect(askedSince()).toEqual(['news: start'])
    expect(told()).toEqual([
      'news: complete',
      'overlap: failed, rejected',
      'anchor_lost',
      'overlap: complete',
    ])
  })

  it('by a 5xx is counted apart from those of news: while the one `last_id` fails, the other may be answered', async () => {
    const { poll, service, askedSince } = await readOnce({ afterMs: minuteMs })
    service.answer = asked => (isReread(asked) ? fails500 : null)
    expect(await poll()).toMatchObject({ kind: 'failed', reason: 'feedback_server_error' })
    service.answer = () => fails500
    await poll()
    service.answer = asked => (isReread(asked) ? fails500 : null)
    await poll()
    expect(askedSince().filter(asked => asked === 'news: start')).toEqual([])
    expect(await poll()).toEqual({ kind: 'lost', reason: 'server_error' })
    expect(askedSince()).toEqual(['news: after -60', 'reread: after -200', 'news: start'])
  })
})
