import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { BridgeError } from '../../shared/domain/bridge-error.ts'

const connectionTimeoutMs = 1_000
const requestTimeoutMs = 2_000
/** With the time-outs above, all of them fit the function's ten seconds. */
const attemptsMax = 2
/** A token that was changed holds from then on, at the latest. */
const tokenKeptMs = 60_000

/** The token can't be had: every request fails until it can. */
export class TokenSecretError extends BridgeError {
  constructor(problem: string, cause?: unknown) {
    super({
      code: 'simulator_token',
      message: `The simulator's token ${problem}.`,
      hint: "Check the secret that TOKEN_SECRET names, and the role's access to it and to its key.",
      cause,
    })
  }
}

/** What the secret holds; region and credentials come from the Lambda environment. */
export const createSecretReader = (secretId: string): (() => Promise<string | undefined>) => {
  const client = new SecretsManagerClient({
    maxAttempts: attemptsMax,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })
  return async () => (await client.send(new GetSecretValueCommand({ SecretId: secretId }))).SecretString
}

/** Reads the token, once a minute at most; a failure is not kept. What it returns throws a `TokenSecretError`. */
export const createTokenReader = ({
  readSecret,
  now,
}: {
  readSecret: () => Promise<string | undefined>
  now: () => number
}): (() => Promise<string>) => {
  let kept: { token: string; untilMs: number } | null = null
  return async () => {
    const nowMs = now()
    if (kept === null || nowMs >= kept.untilMs) {
      const secret = await readSecret().catch(error => {
        throw new TokenSecretError(
          `could not be read: ${error instanceof Error ? error.name : 'unknown'}`,
          error,
        )
      })
      kept = { token: usable(secret), untilMs: nowMs + tokenKeptMs }
    }
    return kept.token
  }
}

const usable = (secret: string | undefined): string => {
  // As the bridge's client does with the same secret.
  const token = (secret ?? '').trim()
  if (!/^[\x21-\x7e]+$/.test(token)) throw new TokenSecretError('is not visible ASCII without spaces')
  return token
}
