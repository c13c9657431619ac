import { describe, expect, it } from 'vitest'
import { dispatcherEnvironment } from '../../../functions/dispatcher/config.ts'
import { pollerEnvironment } from '../../../functions/poller/config.ts'
import { releaserEnvironment } from '../../../functions/releaser/config.ts'
import { EnvironmentError, readEnvironment } from '../../../shared/adapters/environment.ts'

const common = {
  TABLE_NAME: 'bridge',
  FAST_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/bridge-deliveries',
  SLOW_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/bridge-deliveries-slow',
  SECRET_PREFIX: 'bridge/',
  SERVICE_NAME: 'bridge',
  LOG_LEVEL: 'INFO',
} as const

const problemsOf = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (error instanceof EnvironmentError) return error.message
    throw error
  }
  return 'none'
}

describe("a function's environment", () => {
  it('is read with its numbers as numbers, and nothing of what else is there', () => {
    const read = readEnvironment(pollerEnvironment, { ...common, POLL_EVERY_SECONDS: '60', PATH: '/bin' })
    expect(read).toEqual({ ...common, POLL_EVERY_SECONDS: 60 })
  })

  it('that lacks something is refused with all that is wrong, at once', () => {
    const { TABLE_NAME: _, ...rest } = common
    const problems = problemsOf(() =>
      readEnvironment(dispatcherEnvironment, {
        ...rest,
        SLOW_QUEUE_URL: 'queue',
        LOG_LEVEL: 'loud',
        DEAD_LETTERS_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead',
        FAST_QUEUE_ARN: 'arn:aws:sqs:eu-west-1:123456789012:fast',
        DEADLINE_MS: '99999',
        DISABLE_AFTER_MS: 'soon',
      }),
    )
    expect(problems).toBe(
      'The environment of the function is not right: TABLE_NAME must be given; ' +
        'SLOW_QUEUE_URL must be the URL of a queue; LOG_LEVEL must be DEBUG, INFO, WARN or ERROR; ' +
        'SLOW_QUEUE_ARN must be given; DEADLINE_MS must be 30000 at most; ' +
        'DISABLE_AFTER_MS must be a number.',
    )
  })

  it('is told without the values that it has', () => {
    const secret = 'whsec_not-for-logs'
    const problems = problemsOf(() =>
      readEnvironment(releaserEnvironment, { ...common, FAST_QUEUE_URL: secret, LOG_LEVEL: secret }),
    )
    expect(problems).not.toContain(secret)
    expect(problems).toContain('FAST_QUEUE_URL')
  })
})
