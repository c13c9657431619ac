import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { SigningError } from './signing-keys.ts'

export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

/**
 * The headers of one POST (Standard Webhooks 1.0.0): `v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`, one
 * for each key, apart by spaces, so that a receiver verifies with the old key or the new one while they change.
 * `timestampSeconds` is the attempt's Unix second; the body is signed, and must be sent, as UTF-8.
 * Throws a `SigningError` without a key, and for an id or a time that would blur what is signed.
 */
export const signatureHeaders = (of: {
  id: string
  body: string
  timestampSeconds: number
  keys: readonly Uint8Array[]
}): SignatureHeaders => {
  check(of)
  const signed = `${of.id}.${of.timestampSeconds}.${of.body}`
  const signatures = of.keys.map(
    key => `v1,${createHmac('sha256', readyKey(key)).update(signed, 'utf8').digest('base64')}`,
  )
  return {
    'webhook-id': of.id,
    'webhook-timestamp': String(of.timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

/** Nobody writes to the bytes of a key, and where they go, what was made of them goes too. */
const readyKeys = new WeakMap<Uint8Array, KeyObject>()

/** An HMAC with bytes makes a key of them first, which takes ten times as long as the HMAC of an event (Node 24). */
const readyKey = (bytes: Uint8Array): KeyObject => {
  const known = readyKeys.get(bytes)
  if (known !== undefined) return known
  const key = createSecretKey(bytes)
  readyKeys.set(bytes, key)
  return key
}

const check = (of: { id: string; timestampSeconds: number; keys: readonly Uint8Array[] }): void => {
  if (of.keys.length === 0) {
    throw new SigningError({
      code: 'no_signing_key',
      message: 'There is no key to sign with.',
      hint: 'Give the endpoint a key version that has not ended.',
    })
  }
  // A dot in the id would let one signature stand for another id and body.
  if (!/^[\w-]+$/.test(of.id) || !Number.isSafeInteger(of.timestampSeconds) || of.timestampSeconds < 0) {
    throw new SigningError({
      code: 'unsignable',
      message: 'This id or this time can not be signed.',
      hint: 'An id has letters, digits, _ and - only; a time is a whole number of seconds.',
    })
  }
}
