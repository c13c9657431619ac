import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { signatureHeaders } from '../../../shared/domain/signing/sign.ts'
import { formatSecret, SigningError } from '../../../shared/domain/signing/signing-keys.ts'

const id = 'evt_01K5M3V8Q00123456789ABCDEF'
const timestampSeconds = 1_763_631_000
const oldKey = new Uint8Array(32).fill(1)
const newKey = new Uint8Array(24).fill(2)
const signed = (body: string, keys: readonly Uint8Array[]) => ({
  ...signatureHeaders({ id, body, timestampSeconds, keys }),
})
const verifiers = [
  ['standardwebhooks', (key: Uint8Array) => new Webhook(formatSecret(key))],
  ['svix', (key: Uint8Array) => new SvixWebhook(formatSecret(key))],
] as const

// The verifiers ask the time themselves.
beforeEach(() => {
  vi.useFakeTimers({ now: timestampSeconds * 1000, toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('the headers of a signed POST', () => {
  it('are id, time and one signature for each key', () => {
    const headers = signed('{}', [newKey, oldKey])
    expect(Object.keys(headers)).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
    expect(headers['webhook-id']).toBe(id)
    expect(headers['webhook-timestamp']).toBe('1763631000')
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
  })

  it.each(verifiers)('are verified by %s, for any body', (_library, verifier) => {
    const receiver = verifier(oldKey)
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), value => {
        const body = JSON.stringify({ value, name: 'Ünïcødé 🐈 猫' })
        expect(() => receiver.verify(body, signed(body, [oldKey]))).not.toThrow()
      }),
      { numRuns: 50 },
    )
  })

  it.each(verifiers)(
    'are verified by %s with the old key and with the new one, while keys change',
    (_library, verifier) => {
      const body = '{"é":"🐈"}'
      const headers = signed(body, [newKey, oldKey])
      expect(() => verifier(oldKey).verify(body, headers)).not.toThrow()
      expect(() => verifier(newKey).verify(body, headers)).not.toThrow()
    },
  )

  it.each(verifiers)('are refused by %s for another key, body, id or time', (_library, verifier) => {
    const headers = signed('{}', [newKey])
    expect(() => verifier(oldKey).verify('{}', headers)).toThrow()
    expect(() => verifier(newKey).verify('{} ', headers)).toThrow()
    expect(() => verifier(newKey).verify('{}', { ...headers, 'webhook-id': 'evt_2' })).toThrow()
    expect(() => verifier(newKey).verify('{}', { ...headers, 'webhook-timestamp': '1763631001' })).toThrow()
  })

  it('are refused without a key', () => {
    expect(() => signed('{}', [])).toThrow(SigningError)
  })

  it.each(['a.b', '', 'a b', 'a\n'])('are refused for the id %j', badId => {
    expect(() => signatureHeaders({ id: badId, body: '{}', timestampSeconds, keys: [newKey] })).toThrow(
      SigningError,
    )
  })

  it.each([1.5, -1, Number.NaN])('are refused for the time %s', badTime => {
    const sign = () => signatureHeaders({ id, body: '{}', timestampSeconds: badTime, keys: [newKey] })
    expect(sign).toThrow(SigningError)
  })
})
