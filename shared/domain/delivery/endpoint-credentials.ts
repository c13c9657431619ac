import { BridgeError } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import { authorizationHeader } from '../endpoint/authorization.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { masterSecretName, type SecretStore } from '../secret-store.ts'
import {
  activeKeys,
  deriveKey,
  type ParsedSecret,
  parseMasterSecret,
  parseSecret,
  SigningError,
} from '../signing/signing-keys.ts'
import { createKeyCache, type KeyCache, type KeyName } from './key-cache.ts'
import type { HoldReason } from './reasons.ts'
import { createSecretCache, type SecretCache } from './secret-cache.ts'

type WithCredentials = Pick<Endpoint, 'id' | 'keys' | 'authorization'>
type Missing = { kind: 'none'; reason: HoldReason }

export type CredentialsOfEndpoint =
  | {
      kind: 'credentials'
      /** What its attempts are signed with, the newest first. */
      keys: readonly Uint8Array[]
      /** The value of its `Authorization` header; null where it wants none. */
      authorization: string | null
    }
  | Missing

/** What an attempt at an endpoint takes of the secret store: the releaser asks whether it is there, too. */
export interface EndpointCredentials {
  /**
   * All keys that sign at `nowMs`, and the authorization; or why the endpoint can't be asked: no key is left, or a
   * secret is missing or is not what it should be. Throws where the secret store can't be asked.
   */
  credentialsOf(endpoint: WithCredentials, nowMs: number): Promise<CredentialsOfEndpoint>
  /** The endpoint answered 401: what is kept may have been changed since it was read. */
  noteRefused(endpoint: Pick<Endpoint, 'authorization'>): void
}

export const createEndpointCredentials = (deps: {
  secrets: SecretStore
  clock: Clock
}): EndpointCredentials => {
  const cache = createSecretCache(deps)
  const made = createKeyCache()
  return {
    credentialsOf: async (endpoint, nowMs) => {
      const signing = await keysOf(endpoint, nowMs, { cache, made })
      if (signing.kind === 'none') return signing
      const asking = await authorizationOf(endpoint, cache)
      if (asking.kind === 'none') return asking
      return { kind: 'credentials', keys: signing.keys, authorization: asking.value }
    },
    noteRefused: ({ authorization }) => {
      if (authorization !== null) cache.doubt(authorization.secret)
    },
  }
}

const keysOf = async (
  endpoint: WithCredentials,
  nowMs: number,
  { cache, made }: { cache: SecretStore; made: KeyCache },
): Promise<{ kind: 'keys'; keys: readonly Uint8Array[] } | Missing> => {
  const keys: Uint8Array[] = []
  try {
    for (const { secret, version } of activeKeys(endpoint.keys, nowMs)) {
      const text = await cache.read(secret ?? masterSecretName)
      const of = { endpointId: endpoint.id, keyVersion: version, secret }
      const key = made.keyOf(of, text, () => makeKey(of, text))
      if (key === null) return { kind: 'none', reason: 'key_invalid' }
      keys.push(key)
    }
  } catch (error) {
    if (error instanceof SigningError) return { kind: 'none', reason: 'key_invalid' }
    if (isMissing(error)) return { kind: 'none', reason: 'key_missing' }
    throw error
  }
  return keys.length === 0 ? { kind: 'none', reason: 'key_expired' } : { kind: 'keys', keys }
}

const authorizationOf = async (
  { authorization }: WithCredentials,
  cache: SecretCache,
): Promise<{ kind: 'authorization'; value: string | null } | Missing> => {
  if (authorization === null) return { kind: 'authorization', value: null }
  const { scheme, secret } = authorization
  try {
    const header = authorizationHeader(scheme, await cache.read(secret))
    if (header.kind === 'header') return { kind: 'authorization', value: header.value }
    // The scheme may have been changed with the secret, and what is remembered be that of the one before.
    cache.doubt(secret)
    return { kind: 'none', reason: 'authorization_invalid' }
  } catch (error) {
    if (isMissing(error)) return { kind: 'none', reason: 'authorization_missing' }
    throw error
  }
}

const makeKey = (of: KeyName, text: string): Uint8Array | null => {
  if (of.secret !== null) return keyOf(parseSecret(text))
  const masterSecret = keyOf(parseMasterSecret(text))
  return masterSecret === null ? null : deriveKey({ ...of, masterSecret })
}

const keyOf = (parsed: ParsedSecret): Uint8Array | null => (parsed.kind === 'key' ? parsed.key : null)

const isMissing = (error: unknown): boolean => error instanceof BridgeError && error.code === 'secret_missing'
