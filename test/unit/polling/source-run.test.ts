import { describe, expect, it } from 'vitest'
import { FeedbackApiError, type FeedbackFailure } from '../../../shared/domain/polling/feedback-api.ts'
import { failureWaitMsMax, refusedWaitMs, waitAfter } from '../../../shared/domain/polling/source-run.ts'
import type { WalkEnd } from '../../../shared/domain/polling/walk.ts'

const pollEveryMs = 5_000
const failed = (failure: FeedbackFailure | null): WalkEnd => ({
  kind: 'failed',
  reason: 'x',
  error:
    failure === null
      ? null
      : new FeedbackApiError({ code: 'x', message: 'x', hint: 'x', failure, status: null }),
})

describe('the wait between the starts of two polls', () => {
  it('is the pace of the source after any poll that did not fail', () => {
    const ends: WalkEnd[] = [
      { kind: 'complete' },
      { kind: 'unfinished', why: 'run_over' },
      { kind: 'unfinished', why: 'no_budget' },
      { kind: 'superseded' },
      { kind: 'lost', reason: 'rejected' },
    ]
    for (const end of ends) expect(waitAfter(end, 0, pollEveryMs)).toBe(pollEveryMs)
  })

  it('doubles with each failure in a row, up to a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 1_000].map(failures =>
      waitAfter(failed('server_error'), failures, pollEveryMs),
    )
    expect(waits).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000, failureWaitMsMax])
  })

  it('grows the same for a fault of ours', () => {
    expect(waitAfter(failed(null), 3, pollEveryMs)).toBe(20_000)
  })

  it('is a minute at once where the token is refused', () => {
    expect(waitAfter(failed('refused'), 1, pollEveryMs)).toBe(refusedWaitMs)
  })

  it('is never shorter than the pace of the source', () => {
    expect(waitAfter(failed('refused'), 1, 300_000)).toBe(300_000)
    expect(waitAfter(failed('unreachable'), 1, 300_000)).toBe(300_000)
  })
})
