import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import type { SecretStore } from '../../domain/secret-store.ts'
import { secretMissing, secretsUnavailable } from './secret-errors.ts'

const connectionTimeoutMs = 2_000
const requestTimeoutMs = 5_000
/** Tries of one request, the first included, by the SDK. */
const attemptsMax = 4

/** The Secrets Manager client with bounded time-outs and tries. */
export const createSecretsClient = (settings: {
  endpoint?: string
  region?: string
  profile?: string
  credentials?: { accessKeyId: string; secretAccessKey: string }
}): SecretsManagerClient =>
  new SecretsManagerClient({
    ...settings,
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })

/** Keeps what it read; what is forgotten is read anew. */
export type CachedSecretStore = SecretStore & { forget(name: string): void }

/**
 * Secrets of AWS Secrets Manager under a prefix. Each is kept for `cacheSeconds`, so that a rotated one is taken up
 * within them; a failure is never kept.
 */
export const createSecretsManagerStore = ({
  client,
  prefix,
  cacheSeconds,
  now,
}: {
  client: SecretsManagerClient
  prefix: string
  cacheSeconds: number
  /** Unix time in milliseconds. */
  now: () => number
}): CachedSecretStore => {
  const kept = new Map<string, { secret: Promise<string>; untilMs: number }>()
  return {
    read: name => {
      const entry = kept.get(name)
      if (entry && now() < entry.untilMs) return entry.secret
      const secret = fetchSecret(client, prefix, name)
      const fresh = { secret, untilMs: now() + cacheSeconds * 1_000 }
      kept.set(name, fresh)
      secret.catch(() => {
        if (kept.get(name) === fresh) kept.delete(name)
      })
      return secret
    },
    forget: name => void kept.delete(name),
  }
}

const fetchSecret = async (client: SecretsManagerClient, prefix: string, name: string): Promise<string> => {
  const where = `Secrets Manager under "${prefix}"`
  let secret: string | undefined
  try {
    secret = (await client.send(new GetSecretValueCommand({ SecretId: prefix + name }))).SecretString
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') throw secretMissing(name, where)
    throw secretsUnavailable(name, error)
  }
  if (!secret) throw secretMissing(name, where)
  return secret
}
