import type { Clock } from '../clock.ts'
import type { SecretStore } from '../secret-store.ts'

/** How long a secret is used before it is read again: each reading costs something, and a rotation overlaps for hours. */
export const secretCachedMs = 300_000
/** One that an endpoint refused is read again sooner, and not at each of its failures. */
export const refusedCachedMs = 5_000
/** Secrets kept, of some hundred bytes each; beyond that the one that was read first is read again. */
export const secretsCachedMax = 10_000

/** Secrets as one process remembers them; a failed reading is not remembered. */
export type SecretCache = SecretStore & {
  /** It may have been changed: it is not to be used for as long as others. */
  doubt(name: string): void
}

export const createSecretCache = (deps: { secrets: SecretStore; clock: Clock }): SecretCache => {
  const cache = new Map<string, { text: Promise<string>; readAtMs: number; untilMs: number }>()
  return {
    read: name => {
      const nowMs = deps.clock.now()
      const known = cache.get(name)
      if (known !== undefined && nowMs < known.untilMs) return known.text
      const text = deps.secrets.read(name)
      const entry = { text, readAtMs: nowMs, untilMs: nowMs + secretCachedMs }
      cache.delete(name)
      const [first] = cache.keys()
      if (first !== undefined && cache.size >= secretsCachedMax) cache.delete(first)
      cache.set(name, entry)
      text.catch(() => {
        if (cache.get(name) === entry) cache.delete(name)
      })
      return text
    },
    doubt: name => {
      const known = cache.get(name)
      if (known !== undefined) known.untilMs = Math.min(known.untilMs, known.readAtMs + refusedCachedMs)
    },
  }
}
