import { queueDefinitions } from '../../shared/adapters/sqs/queues.ts'

export const functionNames = ['poller', 'dispatcher', 'releaser'] as const
export type FunctionName = (typeof functionNames)[number]

export type Names = ReturnType<typeof namesOf>

/** The physical names of all that the stack makes: each begins with its prefix, so that two stacks never meet. */
export const namesOf = (prefix: string) => ({
  stack: prefix,
  table: prefix,
  queues: {
    fast: `${prefix}-${queueDefinitions.fast.name}`,
    slow: `${prefix}-${queueDefinitions.slow.name}`,
    deadLetters: `${prefix}-${queueDefinitions.deadLetters.name}`,
    failedRuns: `${prefix}-failed-runs`,
  },
  functionOf: (name: FunctionName) => `${prefix}-${name}`,
  logGroupOf: (name: FunctionName) => `/${prefix}/${name}`,
  scheduleGroup: prefix,
  /** Before the name of every secret. */
  secretPrefix: `${prefix}/`,
})
