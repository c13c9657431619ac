import { isTimeout, type SendResult } from './webhook-sender.ts'

/** A POST that takes longer than this marks its endpoint slow (DESIGN.md, section 6, "Two lanes"). */
export const slowAfterMs = 2_000
/** So many quick answers on end make a slow endpoint fast again: one quick answer between slow ones proves nothing. */
export const quickAnswersToBeFast = 20

/** What this process knows of an endpoint's speed. */
export type Pace = { slow: boolean; quickAnswers: number }

/** The pace after one more attempt. Pure. */
export const paceAfter = (pace: Pace, result: SendResult): Pace => {
  const timedOut = result.kind === 'failed' && isTimeout(result.reason)
  if (timedOut || result.tookMs > slowAfterMs) return { slow: true, quickAnswers: 0 }
  // A quick failure holds nobody up, and says nothing of how quick an answer would be.
  if (!pace.slow || result.kind === 'failed') return pace
  const quickAnswers = pace.quickAnswers + 1
  return quickAnswers < quickAnswersToBeFast ? { slow: true, quickAnswers } : { slow: false, quickAnswers: 0 }
}
