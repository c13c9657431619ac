import * as z from 'zod'
import { commonVariables, queueArn, queueUrl, wholeNumber } from '../../shared/adapters/environment.ts'
import { dayMs, hourMs } from '../../shared/domain/time-units.ts'

/** For one attempt: with what comes before and after it, it must fit the function's time-out of 60 s. */
export const deadlineMsMax = 30_000

/** Longer than an event is kept: an endpoint is never disabled for what nobody remembers. */
export const disableAfterDaysMax = 30

export const dispatcherEnvironment = z.object({
  ...commonVariables,
  DEAD_LETTERS_QUEUE_URL: queueUrl,
  FAST_QUEUE_ARN: queueArn,
  SLOW_QUEUE_ARN: queueArn,
  DEADLINE_MS: wholeNumber({ min: 1_000, max: deadlineMsMax }),
  DISABLE_AFTER_MS: wholeNumber({ min: hourMs, max: disableAfterDaysMax * dayMs }),
})
