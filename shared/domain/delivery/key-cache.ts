/** Which key of an endpoint: of a version, and of the secret that it names; null: derived from the master secret. */
export type KeyName = { endpointId: string; keyVersion: number; secret: string | null }

/** Keys kept; beyond that all are made again. Of some hundred bytes each. */
export const keysCachedMax = 20_000

/** Keys as one process has made them of the texts of secrets. */
export type KeyCache = {
  /** The key that was made of this text, or what `make` makes of it now. Null, or what `make` throws, is not kept. */
  keyOf(name: KeyName, text: string, make: () => Uint8Array | null): Uint8Array | null
}

/** To derive a key takes some 30 µs (Node 24): half as long as all else that is done for a delivery beside its POST. */
export const createKeyCache = (): KeyCache => {
  const made = new Map<string, { text: string; key: Uint8Array }>()
  return {
    keyOf: ({ endpointId, keyVersion, secret }, text, make) => {
      const name = JSON.stringify([endpointId, keyVersion, secret])
      const known = made.get(name)
      if (known?.text === text) return known.key
      const key = make()
      if (key === null) return null
      if (made.size >= keysCachedMax) made.clear()
      made.set(name, { text, key })
      return key
    },
  }
}
