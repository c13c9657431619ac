import { BridgeError } from '../../domain/bridge-error.ts'

/** A secret that can't be had. Its name is told, its value never. */
export class SecretError extends BridgeError {}

export const secretMissing = (name: string, where: string): SecretError =>
  new SecretError({
    code: 'secret_missing',
    message: `there is no secret "${name}" in ${where}`,
    hint: 'Create it under this name, or change the setting that names it.',
  })

export const secretsUnavailable = (name: string, cause: unknown): SecretError =>
  new SecretError({
    code: 'secrets_unavailable',
    message: `the secret "${name}" could not be read: ${cause instanceof Error ? cause.name : 'UnknownError'}`,
    hint: "If it lasts, check the role's access to Secrets Manager and to the key that encrypts it.",
    cause,
  })

export const secretNotWritten = (name: string, cause: unknown): SecretError =>
  new SecretError({
    code: 'secret_not_written',
    message: `the secret "${name}" could not be written: ${cause instanceof Error ? cause.name : 'UnknownError'}`,
    hint: 'Check that these credentials may create and change secrets of the stack, then run the command again.',
    cause,
  })
