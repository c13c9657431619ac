import { BridgeError } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
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
import type { HoldReason } from './reasons.ts'

/** How long a secret is used before it is read again: each reading costs something, and a rotation overlaps for hours. */
export const secretCachedMs = 300_000
/** Secrets kept; beyond that all are read again. */
export const secretsCachedMax = 1_000

export type KeysOfEndpoint =
  | { kind: 'keys'; keys: readonly Uint8Array[] }
  | { kind: 'none'; reason: HoldReason }

/** The keys that an endpoint's attempts are signed with. */
export interface EndpointKeys {
  /**
   * All that sign at `nowMs`, the newest first, or why there is nothing to sign with: none is left, or one of them
   * is missing or no key. Throws where the secret store can't be asked.
   */
  signingKeys(endpoint: Pick<Endpoint, 'id' | 'keys'>, nowMs: number): Promise<KeysOfEndpoint>
}

export const createEndpointKeys = (deps: { secrets: SecretStore; clock: Clock }): EndpointKeys => {
  const cache = new Map<string, { text: Promise<string>; untilMs: number }>()

  const read = (name: string): Promise<string> => {
    const nowMs = deps.clock.now()
    const known = cache.get(name)
    if (known !== undefined && nowMs < known.untilMs) return known.text
    const text = deps.secrets.read(name)
    const entry = { text, untilMs: nowMs + secretCachedMs }
    if (cache.size >= secretsCachedMax) cache.clear()
    cache.set(name, entry)
    text.catch(() => {
      if (cache.get(name) === entry) cache.delete(name)
    })
    return text
  }

  const keyOf = (parsed: ParsedSecret): Uint8Array | null => (parsed.kind === 'key' ? parsed.key : null)
  const ownKey = async (name: string) => keyOf(parseSecret(await read(name)))
  const masterKey = async () => keyOf(parseMasterSecret(await read(masterSecretName)))

  return {
    signingKeys: async (endpoint, nowMs) => {
      const keys: Uint8Array[] = []
      try {
        for (const { secret, version } of activeKeys(endpoint.keys, nowMs)) {
          const stored = secret === null ? await masterKey() : await ownKey(secret)
          if (stored === null) return { kind: 'none', reason: 'key_invalid' }
          const derive = { masterSecret: stored, endpointId: endpoint.id, keyVersion: version }
          keys.push(secret === null ? deriveKey(derive) : stored)
        }
      } catch (error) {
        if (error instanceof SigningError) return { kind: 'none', reason: 'key_invalid' }
        if (error instanceof BridgeError && error.code === 'secret_missing') {
          return { kind: 'none', reason: 'key_missing' }
        }
        throw error
      }
      return keys.length === 0 ? { kind: 'none', reason: 'key_expired' } : { kind: 'keys', keys }
    },
  }
}
