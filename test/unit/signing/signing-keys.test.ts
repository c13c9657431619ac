import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  activeKeys,
  deriveKey,
  formatSecret,
  parseMasterSecret,
  parseSecret,
  SigningError,
} from '../../../shared/domain/signing/signing-keys.ts'

const masterSecret = new Uint8Array(32).fill(7)
const base64Of = (bytes: number) => Buffer.alloc(bytes, 0xfb).toString('base64')

describe('a signing secret', () => {
  it('is whsec_ and base64, there and back, for any key of 24 to 64 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), key => {
        expect(parseSecret(formatSecret(key))).toEqual({ kind: 'key', key })
      }),
    )
  })

  it.each([
    ['too short', `whsec_${base64Of(23)}`],
    ['too long', `whsec_${base64Of(65)}`],
    ['empty', 'whsec_'],
    ['without its prefix', base64Of(32)],
    ['with the prefix in capitals', `WHSEC_${base64Of(32)}`],
    ['without padding', `whsec_${base64Of(32).replace('=', '')}`],
    ['in the alphabet for URLs', `whsec_${Buffer.alloc(33, 0xfb).toString('base64url')}`],
    ['with a blank in it', `whsec_${base64Of(16)} ${base64Of(16)}`],
    ['with characters that are no base64', `whsec_${'!'.repeat(44)}`],
  ])('%s is refused, with what is right and without the secret', (_how, text) => {
    const parsed = parseSecret(text)
    const problem = parsed.kind === 'invalid' ? parsed.problem : ''
    expect(problem).toContain('A signing secret is whsec_ and the base64 of 24 to 64 bytes')
    const encoded = text.replace(/^whsec_/i, '')
    if (encoded !== '') expect(problem).not.toContain(encoded.slice(0, 8))
  })

  it('may have white space around it', () => {
    expect(parseSecret(` whsec_${base64Of(32)}\n`).kind).toBe('key')
  })
})

describe('a master secret', () => {
  it('may be a signing secret, and is then its bytes', () => {
    const key = new Uint8Array(32).fill(9)
    expect(parseMasterSecret(formatSecret(key))).toEqual({ kind: 'key', key })
  })

  it('may be letters and digits as Secrets Manager generates them, and is then their bytes', () => {
    const generated = `${'Ab3'.repeat(21)}x`
    expect(parseMasterSecret(`${generated}\n`)).toEqual({
      kind: 'key',
      key: new Uint8Array(Buffer.from(generated)),
    })
  })

  it.each([
    ['too short to hold 256 bits', 'a'.repeat(42)],
    ['with other characters', `${'a'.repeat(63)}-`],
  ])('%s is refused', (_how, text) => {
    expect(parseMasterSecret(text).kind).toBe('invalid')
  })
})

describe('a derived key', () => {
  it('is HKDF-SHA256 of the master secret, as RFC 5869 builds it', () => {
    const pseudoRandomKey = createHmac('sha256', Buffer.alloc(32)).update(masterSecret).digest()
    const info = JSON.stringify(['feedback-bridge signing key', 'ep_1', 1])
    const expected = createHmac('sha256', pseudoRandomKey).update(info).update(Buffer.of(1)).digest()
    const key = deriveKey({ masterSecret, endpointId: 'ep_1', keyVersion: 1 })
    expect(Buffer.from(key).equals(expected)).toBe(true)
  })

  it('stays what it was: another would break every receiver', () => {
    expect(formatSecret(deriveKey({ masterSecret, endpointId: 'ep_1', keyVersion: 1 }))).toBe(
      'whsec_QO8mu8yGo/Pgf4tDW9DXoh9F+/2g5y5IFKnFqFgKTPY=',
    )
  })

  it('differs by endpoint, version and master secret, however these are put together', () => {
    const keys = [
      { masterSecret, endpointId: 'a', keyVersion: 11 },
      { masterSecret, endpointId: 'a1', keyVersion: 1 },
      { masterSecret, endpointId: 'a', keyVersion: 1 },
      { masterSecret: new Uint8Array(32).fill(8), endpointId: 'a', keyVersion: 1 },
    ].map(of => formatSecret(deriveKey(of)))
    expect(new Set(keys).size).toBe(4)
  })

  it('is refused from a master secret that is too short, without showing it', () => {
    const derive = () => deriveKey({ masterSecret: new Uint8Array(31), endpointId: 'a', keyVersion: 1 })
    expect(derive).toThrow(SigningError)
    expect(derive).toThrow('The master secret has 31 bytes.')
  })
})

describe('the keys that sign', () => {
  const key = (version: number, signsUntilMs: number | null) => ({ version, secret: null, signsUntilMs })

  it('are those whose time has not come, the newest first', () => {
    const keys = [key(1, 999), key(2, 1001), key(4, null), key(3, 1000)]
    expect(activeKeys(keys, 1000).map(({ version }) => version)).toEqual([4, 2])
    expect(keys.map(({ version }) => version)).toEqual([1, 2, 4, 3])
  })

  it('are none once all have ended', () => {
    expect(activeKeys([key(1, 1000)], 1000)).toEqual([])
  })
})
