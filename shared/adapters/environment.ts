import * as z from 'zod'
import { BridgeError } from '../domain/bridge-error.ts'

/** The environment of a function is not what it needs: a deployment's mistake, told before anything is done. */
export class EnvironmentError extends BridgeError {}

export const text = z.string('must be given').min(1, 'must not be empty')
export const queueUrl = z.url({ protocol: /^https?$/, error: 'must be the URL of a queue' })
export const queueArn = z.string('must be given').startsWith('arn:', 'must be the ARN of a queue')
export const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(min, `must be ${min} at least`)
    .max(max, `must be ${max} at most`)

/** What every function is told. */
export const commonVariables = {
  TABLE_NAME: text,
  FAST_QUEUE_URL: queueUrl,
  SLOW_QUEUE_URL: queueUrl,
  /** Before the name of every secret, with its slash. */
  SECRET_PREFIX: text,
  /** The stack's prefix: what logs and metrics are told apart by. */
  SERVICE_NAME: text,
  LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'], 'must be DEBUG, INFO, WARN or ERROR'),
}

/** The stack's side of an environment, where all values are text: none missing, none unknown. */
export type EnvironmentOf<Schema extends z.ZodObject> = Record<Extract<keyof Schema['shape'], string>, string>

/**
 * Reads what a function needs of its environment. Throws an `EnvironmentError` that names every variable that is
 * missing or wrong, never its value.
 */
export const readEnvironment = <T>(
  schema: z.ZodType<T>,
  environment: Readonly<Record<string, string | undefined>>,
): T => {
  const read = schema.safeParse(environment)
  if (read.success) return read.data
  const problems = read.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`)
  throw new EnvironmentError({
    code: 'invalid_environment',
    message: `The environment of the function is not right: ${problems.join('; ')}.`,
    hint: 'The stack sets these variables: deploy it again, and change none of them by hand.',
  })
}
