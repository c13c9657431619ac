import { describe, expect, it } from 'vitest'
import type { PollHappening } from '../../../shared/domain/happenings.ts'
import { metricsOfTelling } from './harness.ts'
import { samples } from './samples.ts'

describe('a failed poll', () => {
  const counted = async (of: Partial<PollHappening>) => {
    const [all] = await metricsOfTelling([{ ...samples.poll, outcome: 'failed', ...of }])
    const keys = ['PollsFailed', 'TokenRefused', 'PollFaults']
    return Object.keys(all?.metrics ?? {}).filter(key => keys.includes(key))
  }

  it('is one of the service where the service answered it, or could not be reached', async () => {
    expect(await counted({ reason: 'server_error', status: 503, detail: 'down' })).toEqual(['PollsFailed'])
    expect(await counted({ reason: 'unreachable', detail: 'refused' })).toEqual(['PollsFailed'])
  })

  it.each([401, 403])('of status %i is a refused token too', async status => {
    expect(await counted({ status, reason: 'token_refused', detail: 'no' })).toEqual([
      'PollsFailed',
      'TokenRefused',
    ])
  })

  it.each(['known_missing', 'page_does_not_advance'])('is one of the service for %s', async reason => {
    expect(await counted({ reason })).toEqual(['PollsFailed'])
  })

  it('is a fault of ours where our queue or table failed', async () => {
    expect(await counted({ reason: 'log_failed' })).toEqual(['PollFaults'])
  })
})
