import { hkdfSync } from 'node:crypto'
import { BridgeError } from '../bridge-error.ts'
import type { SigningKey } from '../endpoint/endpoint.ts'

/** How Standard Webhooks 1.0.0 marks a symmetric secret. */
export const secretPrefix = 'whsec_'
/** A key has 24 to 64 bytes (Standard Webhooks 1.0.0, "Signature scheme"). */
export const keyBytesMin = 24
export const keyBytesMax = 64
/** Derived keys are as long as the hash that signs. */
export const derivedKeyBytes = 32
/** A shorter master secret would be the weakest part of every key derived from it. */
export const masterSecretBytesMin = 32

/** A signature was asked for without what it needs. */
export class SigningError extends BridgeError {}

export type ParsedSecret = { kind: 'key'; key: Uint8Array } | { kind: 'invalid'; problem: string }

/** Reads a `whsec_…` secret. What is wrong comes back as a value that says what is right, and never the secret. */
export const parseSecret = (text: string): ParsedSecret => {
  const trimmed = text.trim()
  const right = `A signing secret is ${secretPrefix} and the base64 of ${keyBytesMin} to ${keyBytesMax} bytes`
  const invalid = (wrong: string): ParsedSecret => ({ kind: 'invalid', problem: `${right}; ${wrong}.` })
  if (!trimmed.startsWith(secretPrefix)) return invalid(`this one does not begin with ${secretPrefix}`)
  const encoded = trimmed.slice(secretPrefix.length)
  const key = Buffer.from(encoded, 'base64')
  // Receivers decode the same text, and theirs may refuse what Buffer forgives: no padding, or another alphabet.
  if (key.toString('base64') !== encoded)
    return invalid('what follows in this one is no base64 with its padding')
  if (key.length < keyBytesMin || key.length > keyBytesMax) return invalid(`this one has ${key.length} bytes`)
  return { kind: 'key', key: new Uint8Array(key) }
}

/** What Secrets Manager generates in place of a `whsec_…` secret: 43 letters and digits hold 256 bits. */
const generatedMasterPattern = /^[A-Za-z0-9]{43,128}$/

/**
 * Reads a stack's master secret: a `whsec_…` one, or letters and digits as Secrets Manager generates them, whose bytes
 * are the key material. It signs nothing itself.
 */
export const parseMasterSecret = (text: string): ParsedSecret => {
  const trimmed = text.trim()
  if (generatedMasterPattern.test(trimmed)) return { kind: 'key', key: new Uint8Array(Buffer.from(trimmed)) }
  return parseSecret(text)
}

/** The text of a key as receivers want it: `whsec_` and base64. */
export const formatSecret = (key: Uint8Array): string => secretPrefix + Buffer.from(key).toString('base64')

/**
 * An endpoint's key of a version: HKDF-SHA256 (RFC 5869) of the stack's master secret, so that one secret serves any
 * number of endpoints (DESIGN.md, section 5). Throws a `SigningError` for a master secret that is too short.
 */
export const deriveKey = (of: {
  masterSecret: Uint8Array
  endpointId: string
  keyVersion: number
}): Uint8Array => {
  if (of.masterSecret.length < masterSecretBytesMin) {
    throw new SigningError({
      code: 'master_secret_too_short',
      message: `The master secret has ${of.masterSecret.length} bytes.`,
      hint: `It must have at least ${masterSecretBytesMin} random bytes.`,
    })
  }
  // JSON keeps id and version apart: endpoint a, version 11 is never endpoint a1, version 1.
  const info = JSON.stringify(['feedback-bridge signing key', of.endpointId, of.keyVersion])
  return new Uint8Array(hkdfSync('sha256', of.masterSecret, new Uint8Array(0), info, derivedKeyBytes))
}

/** The keys that still sign at a time (Unix milliseconds), the newest version first; at its end a key signs no more. */
export const activeKeys = (keys: readonly SigningKey[], nowMs: number): SigningKey[] =>
  keys
    .filter(key => key.signsUntilMs === null || nowMs < key.signsUntilMs)
    .sort((one, other) => other.version - one.version)
