import { describe, expect, test } from 'vitest'
import { createFanOut } from '../../../infra/local/fan-out.ts'
import { createWarnings } from '../../../infra/local/warnings.ts'
import { attempt, delivered, ended, poll } from './happenings.ts'

const refused = poll({
  outcome: 'failed',
  reason: 'feedback_unauthorized',
  status: 401,
  hint: 'Check the API token.',
})

describe('what a person is told', () => {
  test('a refused token at once: source, stream, status and what to do', () => {
    const warningOf = createWarnings(() => 0)
    expect(warningOf(refused)).toBe(
      'src_1 bounces: the token was refused, status 401. Check the API token. It is asked again, seldom.',
    )
  })

  test('what the service itself said of a failure, beside what to do', () => {
    const failed = poll({
      ...{ outcome: 'failed', reason: 'feedback_validation_failed', status: 422 },
      ...{ detail: 'GET /bounces was answered 422: page_size: too many', hint: 'Check the flags.' },
    })
    expect(createWarnings(() => 0)(failed)).toBe(
      'src_1 bounces: a poll failed (feedback_validation_failed), status 422. ' +
        'GET /bounces was answered 422: page_size: too many. Check the flags.',
    )
  })

  test('that records are too old for the log to know whether they were sent', () => {
    const warning = createWarnings(() => 0)(poll({ beyondMemory: 3 }))
    expect(warning).toMatch(
      /^src_1 bounces: records older than the event log remembers .* \(3 at this poll\)\.$/,
    )
  })

  test('the same trouble once a minute, with how often it came; another one at once', () => {
    const time = { nowMs: 0 }
    const warningOf = createWarnings(() => time.nowMs)
    expect(warningOf(ended('dead', 'evt_1'))).not.toBeNull()
    expect(warningOf(ended('dead', 'evt_2'))).toBeNull()
    expect(warningOf(ended('dead', 'evt_3'))).toBeNull()
    expect(warningOf(refused)).not.toBeNull()
    time.nowMs = 60_000
    expect(warningOf(ended('dead', 'evt_4'))).toMatch(/\(2 more since it was told last\)$/)
  })

  test('that a stream is polled again, once; and that it fails anew', () => {
    const warningOf = createWarnings(() => 0)
    expect(warningOf(poll())).toBeNull()
    warningOf(refused)
    expect(warningOf(poll())).toBe('src_1 bounces: polled again.')
    expect(warningOf(poll())).toBeNull()
    expect(warningOf(refused)).not.toBeNull()
  })

  test('nothing of what goes well', () => {
    const warningOf = createWarnings(() => 0)
    expect([poll(), attempt('evt_1', 200), delivered('evt_1')].map(warningOf)).toEqual([null, null, null])
  })
})

test('a reporter that throws is left out, and the others are told everything', () => {
  const heard: string[] = []
  let broke = 0
  const broken = {
    report: () => {
      throw new Error('no terminal')
    },
  }
  const fanOut = createFanOut([broken, { report: happening => heard.push(happening.kind) }], () => {
    broke += 1
  })
  fanOut.report(poll())
  fanOut.report(delivered('evt_1'))
  expect(heard).toEqual(['poll', 'delivered'])
  expect(broke).toBe(1)
})
