import { BridgeError, faultOf } from '../../shared/domain/bridge-error.ts'
import { type ExitCode, exitFailed, exitRefused, exitWrongUse } from './exit-codes.ts'

/** The command line can't be meant so; every problem at once, each with what is right. Nothing was done. */
export class UsageError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = new.target.name
    this.problems = problems
  }
}

/** What was asked for would break a rule: nothing was done. */
export class RefusedError extends BridgeError {}

/** What is asked for is not there, or not in a state for it. */
export class CommandError extends BridgeError {}

/** What is told of a failure, without a stack, and the exit code. */
export const failureOf = (error: unknown): { code: ExitCode; lines: readonly string[] } => {
  if (error instanceof UsageError) return { code: exitWrongUse, lines: error.problems }
  if (error instanceof BridgeError) {
    const code = error instanceof RefusedError ? exitRefused : exitFailed
    return { code, lines: [`${error.message}`, `  ${error.hint}`] }
  }
  return { code: exitFailed, lines: [awsFailure(error) ?? faultOf(error).hint] }
}

/** Faults of the AWS SDK that an operator meets before any of our code has a word: no credentials, or wrong ones. */
const awsFailure = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  if (error.name === 'CredentialsProviderError' || error.name === 'TokenProviderError') {
    return 'no AWS credentials were found; sign in, or name a profile with --profile'
  }
  if (error.message.startsWith('Region is missing')) return 'no AWS region is set; give it with --region'
  if (!('$metadata' in error)) return null
  return `AWS refused or failed (${error.name}); check the credentials, --region and --profile`
}
