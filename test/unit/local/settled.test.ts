import { describe, expect, test } from 'vitest'
import { createCaughtUp } from '../../../infra/local/settled.ts'
import { ended, poll } from './happenings.ts'

const watch = (sources: readonly string[] = ['src_1']) => {
  const time = { nowMs: 1_000 }
  const caughtUp = createCaughtUp(() => time.nowMs)
  const stop = new AbortController()
  const result = { given: null as { source: string; stream: string; reason: string }[] | null }
  const done = caughtUp.caughtUp(sources, stop.signal).then(given => {
    result.given = given
  })
  const isDone = async (): Promise<boolean> => {
    await new Promise(resolve => setImmediate(resolve))
    return result.given !== null
  }
  return { time, caughtUp, stop, done, isDone, result }
}

describe('caught up', () => {
  test('is when each stream was walked to its end', async () => {
    const { caughtUp, isDone, result } = watch()
    caughtUp.report(poll({ stream: 'bounces', walk: 'overlap' }))
    expect(await isDone()).toBe(false)
    caughtUp.report(poll({ stream: 'complaints', walk: 'news' }))
    expect(await isDone()).toBe(true)
    expect(result.given).toEqual([])
  })

  test('is with several sources when each stream of each was walked, also where one has no token', async () => {
    const { caughtUp, isDone, result } = watch(['src_1', 'main'])
    for (const stream of ['bounces', 'complaints'] as const) caughtUp.report(poll({ stream }))
    expect(await isDone()).toBe(false)
    caughtUp.report(poll({ stream: 'bounces', source: 'main' }))
    const fault = { kind: 'poll_fault', source: 'main', hint: '' } as const
    caughtUp.report({ ...fault, stream: 'bounces', reason: 'table_unavailable' })
    expect(await isDone()).toBe(false)
    caughtUp.report({ ...fault, stream: 'complaints', reason: 'secret_missing' })
    expect(await isDone()).toBe(true)
    expect(result.given).toEqual([{ source: 'main', stream: 'complaints', reason: 'secret_missing' }])
  })

  test('needs nothing where every source is paused', async () => {
    expect(await watch([]).isDone()).toBe(true)
  })

  test('is not said by what a source does that was added since', async () => {
    const { caughtUp, isDone, result } = watch()
    for (const stream of ['bounces', 'complaints'] as const) {
      caughtUp.report(poll({ stream, walk: 'overlap', source: 'other' }))
      caughtUp.report(poll({ stream, source: 'other', outcome: 'failed', reason: 'x', status: 401 }))
    }
    expect(await isDone()).toBe(false)
    for (const stream of ['bounces', 'complaints'] as const) caughtUp.report(poll({ stream, walk: 'news' }))
    expect(await isDone()).toBe(true)
    expect(result.given).toEqual([])
  })

  test.each([
    ['finding the start', poll({ walk: 'start' })],
    ['a sweep', poll({ walk: 'sweep-hour' })],
    ['a walk that goes on later', poll({ outcome: 'unfinished' })],
    ['a walk that went on from an earlier place', poll({ walk: 'overlap', resumed: true })],
    ['a walk that another run took over', poll({ outcome: 'superseded' })],
    ['a failed walk', poll({ outcome: 'failed', reason: 'feedback_server_error', status: 500 })],
  ])('is not said by %s', async (_, happening) => {
    const { caughtUp, isDone } = watch()
    caughtUp.report(poll({ stream: 'complaints' }))
    caughtUp.report(happening)
    expect(await isDone()).toBe(false)
  })

  test('a refused stream is given up at once, and the other one is still read', async () => {
    const { caughtUp, isDone, result } = watch()
    caughtUp.report(
      poll({ stream: 'complaints', outcome: 'failed', reason: 'feedback_forbidden', status: 403 }),
    )
    expect(await isDone()).toBe(false)
    caughtUp.report(poll({ stream: 'bounces' }))
    expect(await isDone()).toBe(true)
    expect(result.given).toEqual([{ source: 'src_1', stream: 'complaints', reason: 'feedback_forbidden' }])
  })

  test('a stream that fails for 60 s on end is given up; whatever gets on counts anew', async () => {
    const { caughtUp, isDone, result, time } = watch()
    caughtUp.report(poll({ stream: 'complaints' }))
    const fail = poll({ outcome: 'failed', reason: 'feedback_unreachable' })
    caughtUp.report(fail)
    time.nowMs += 59_000
    caughtUp.report(poll({ outcome: 'failed', reason: 'feedback_unreachable', read: 100 }))
    time.nowMs += 30_000
    caughtUp.report(fail)
    time.nowMs += 59_999
    caughtUp.report(fail)
    expect(await isDone()).toBe(false)
    time.nowMs += 1
    caughtUp.report({
      kind: 'poll_fault',
      source: 'src_1',
      stream: 'bounces',
      reason: 'table_unavailable',
      hint: '',
    })
    expect(await isDone()).toBe(true)
    expect(result.given).toEqual([{ source: 'src_1', stream: 'bounces', reason: 'table_unavailable' }])
  })

  test('waiting for it ends with the signal', async () => {
    const { stop, done, result } = watch()
    stop.abort()
    await done
    expect(result.given).toEqual([])
  })

  test('dead letters are counted, those that no code can read too', () => {
    const { caughtUp } = watch()
    caughtUp.report(ended('dead', 'evt_1'))
    caughtUp.report({ kind: 'unreadable_message', reason: 'not JSON' })
    caughtUp.report(ended('held', 'evt_2'))
    expect(caughtUp.deadSeen()).toBe(2)
  })
})
