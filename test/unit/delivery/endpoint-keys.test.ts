import { expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { createEndpointKeys, secretCachedMs } from '../../../shared/domain/delivery/endpoint-keys.ts'
import type { SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
import { deriveKey, formatSecret } from '../../../shared/domain/signing/signing-keys.ts'
import { createTestClock, nowMs } from './harness.ts'

const master = new Uint8Array(32).fill(1)
const own = new Uint8Array(32).fill(2)
const older = new Uint8Array(24).fill(3)

const create = (stored: Record<string, string>) => {
  const { clock, turn } = createTestClock()
  const reads: string[] = []
  const read = async (name: string): Promise<string> => {
    reads.push(name)
    const secret = stored[name]
    if (secret !== undefined) return secret
    throw new BridgeError({ code: 'secret_missing', message: 'there is none', hint: 'Put it there.' })
  }
  const keys = createEndpointKeys({ secrets: { read }, clock })
  return {
    of: (...list: SigningKey[]) => keys.signingKeys({ id: 'e', keys: list }, clock.now()),
    turn,
    reads,
  }
}

const derived: SigningKey = { version: 1, secret: null, signsUntilMs: null }
const owned: SigningKey = { version: 2, secret: 'mine', signsUntilMs: null }

test('a key is derived from the master secret, or is the secret that the endpoint names', async () => {
  const { of } = create({ 'signing-master': formatSecret(master), mine: formatSecret(own) })
  expect(await of(derived, owned)).toEqual({
    kind: 'keys',
    keys: [own, deriveKey({ masterSecret: master, endpointId: 'e', keyVersion: 1 })],
  })
})

test('while a key is rotated both sign, and the old one until its end', async () => {
  const { of, turn } = create({ mine: formatSecret(own), old: formatSecret(older) })
  const ending: SigningKey = { version: 1, secret: 'old', signsUntilMs: nowMs + 1_000 }
  expect(await of(owned, ending)).toEqual({ kind: 'keys', keys: [own, older] })
  await turn(1_000)
  expect(await of(owned, ending)).toEqual({ kind: 'keys', keys: [own] })
  expect(await of(ending)).toEqual({ kind: 'none', reason: 'key_expired' })
})

test.each<[string, Record<string, string>, SigningKey[], string]>([
  ['a secret is missing', {}, [owned], 'key_missing'],
  [
    'one of two is missing',
    { mine: formatSecret(own) },
    [owned, { ...owned, version: 3, secret: 'other' }],
    'key_missing',
  ],
  ['a secret is no secret', { mine: 'hunter2' }, [owned], 'key_invalid'],
  ['the master secret is too short', { 'signing-master': formatSecret(older) }, [derived], 'key_invalid'],
  ['there is no version at all', {}, [], 'key_expired'],
])('there is nothing to sign with where %s', async (_, stored, list, reason) => {
  expect(await create(stored).of(...list)).toEqual({ kind: 'none', reason })
})

test('a secret is read once a minute; a missing one is asked for each time', async () => {
  const stored: Record<string, string> = {}
  const { of, turn, reads } = create(stored)
  await of(owned)
  stored['mine'] = formatSecret(own)
  for (let count = 0; count < 3; count += 1) expect((await of(owned)).kind).toBe('keys')
  await turn(secretCachedMs)
  await of(owned)
  expect(reads).toEqual(['mine', 'mine', 'mine'])
})

test('a secret store that can not be asked is a fault, not a missing key', async () => {
  const { clock } = createTestClock()
  const read = async (): Promise<string> => {
    throw new BridgeError({ code: 'secrets_unavailable', message: 'no answer', hint: 'Wait.' })
  }
  const keys = createEndpointKeys({ secrets: { read }, clock })
  await expect(keys.signingKeys({ id: 'e', keys: [owned] }, nowMs)).rejects.toThrow('no answer')
})
