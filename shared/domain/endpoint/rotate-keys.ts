import type { SigningKey } from './endpoint.ts'

/** Every key that signs makes the signature header longer; receivers and proxies bound it. */
export const activeKeysMax = 5

export type Rotation =
  | {
      kind: 'rotated'
      keys: readonly SigningKey[]
      newest: SigningKey
      /** Own secrets that no key version needs any more: to be removed once the endpoint is written. */
      unneeded: readonly string[]
    }
  | { kind: 'too_many'; active: number }

/** The number of the next key version: never one that was used before. */
export const nextKeyVersion = (keys: readonly SigningKey[]): number =>
  Math.max(0, ...keys.map(({ version }) => version)) + 1

/**
 * The key versions after a rotation: a new one that signs from now on without end, and those of before, each with an end:
 * its own, or `overlapMs` from now if that is sooner. What has ended is forgotten.
 */
export const rotateKeys = (
  keys: readonly SigningKey[],
  of: { secretOf: (version: number) => string | null; overlapMs: number; nowMs: number },
): Rotation => {
  const version = nextKeyVersion(keys)
  const newest: SigningKey = { version, secret: of.secretOf(version), signsUntilMs: null }
  const endMs = of.nowMs + of.overlapMs
  const ending = keys.map(key => ({ ...key, signsUntilMs: Math.min(key.signsUntilMs ?? endMs, endMs) }))
  const kept = ending.filter(({ signsUntilMs }) => signsUntilMs > of.nowMs)
  if (kept.length >= activeKeysMax) return { kind: 'too_many', active: kept.length }
  const needed = new Set([...kept, newest].map(({ secret }) => secret))
  const unneeded = keys.flatMap(({ secret }) => (secret === null || needed.has(secret) ? [] : [secret]))
  return { kind: 'rotated', keys: [...kept, newest], newest, unneeded: [...new Set(unneeded)] }
}
