import * as z from 'zod'
import { commonVariables, wholeNumber } from '../../shared/adapters/environment.ts'

/** A poll an hour at the least: the service keeps records for 30 days, and an outage must leave time to mend it. */
export const pollEverySecondsMax = 3_600

export const pollerEnvironment = z.object({
  ...commonVariables,
  /** No source is polled more often. */
  POLL_EVERY_SECONDS: wholeNumber({ min: 1, max: pollEverySecondsMax }),
})
