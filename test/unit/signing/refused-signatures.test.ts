import { describe, expect, test } from 'vitest'
import { signatureHeaders } from '../../../shared/domain/signing/sign.ts'
import {
  deriveKey,
  formatSecret,
  keyBytesMax,
  keyBytesMin,
  masterSecretBytesMin,
  parseSecret,
} from '../../../shared/domain/signing/signing-keys.ts'

const of = { id: 'evt_1', body: '{}', timestampSeconds: 0, keys: [new Uint8Array(32).fill(1)] }

describe('a signature', () => {
  test('is made for the first second of all', () => {
    expect(signatureHeaders(of)['webhook-timestamp']).toBe('0')
  })

  test.each([
    [{ keys: [] }, 'no_signing_key'],
    [{ id: 'a.b' }, 'unsignable'],
    [{ timestampSeconds: -1 }, 'unsignable'],
    [{ timestampSeconds: 0.5 }, 'unsignable'],
  ])('is refused with a code that stays: %o', (wrong, code) => {
    expect(() => signatureHeaders({ ...of, ...wrong })).toThrow(expect.objectContaining({ code }))
  })
})

describe('a key', () => {
  test.each([
    [keyBytesMin - 1, 'invalid'],
    [keyBytesMin, 'key'],
    [keyBytesMax, 'key'],
    [keyBytesMax + 1, 'invalid'],
  ])('of %i bytes is %s', (bytes, kind) => {
    expect(parseSecret(formatSecret(new Uint8Array(bytes).fill(1))).kind).toBe(kind)
  })

  test('is not derived from a master secret that is too short, with a code that stays', () => {
    const derive = (bytes: number) => () =>
      deriveKey({ masterSecret: new Uint8Array(bytes), endpointId: 'e', keyVersion: 1 })
    expect(derive(masterSecretBytesMin)).not.toThrow()
    expect(derive(masterSecretBytesMin - 1)).toThrow(
      expect.objectContaining({ code: 'master_secret_too_short' }),
    )
  })
})
