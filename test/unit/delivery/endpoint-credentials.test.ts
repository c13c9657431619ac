import { describe, expect, test } from 'vitest'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { createEndpointCredentials } from '../../../shared/domain/delivery/endpoint-credentials.ts'
import { refusedCachedMs, secretCachedMs } from '../../../shared/domain/delivery/secret-cache.ts'
import type { Authorization, SigningKey } from '../../../shared/domain/endpoint/endpoint.ts'
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
  const credentials = createEndpointCredentials({ secrets: { read }, clock })
  const ask = (of: { keys?: SigningKey[]; authorization?: Authorization | null }) =>
    credentials.credentialsOf({ id: 'e', keys: [owned], authorization: null, ...of }, clock.now())
  return {
    of: (...keys: SigningKey[]) => ask({ keys }),
    asking: (authorization: Authorization) => ask({ authorization }),
    ...{ credentials, turn, reads },
  }
}

const derived: SigningKey = { version: 1, secret: null, signsUntilMs: null }
const owned: SigningKey = { version: 2, secret: 'mine', signsUntilMs: null }
const found = (...keys: Uint8Array[]) => ({ kind: 'credentials', keys, authorization: null })

test('a key is derived from the master secret, or is the secret that the endpoint names', async () => {
  const { of } = create({ 'signing-master': formatSecret(master), mine: formatSecret(own) })
  expect(await of(derived, owned)).toEqual(
    found(own, deriveKey({ masterSecret: master, endpointId: 'e', keyVersion: 1 })),
  )
})

test('while a key is rotated both sign, and the old one until its end', async () => {
  const { of, turn } = create({ mine: formatSecret(own), old: formatSecret(older) })
  const ending: SigningKey = { version: 1, secret: 'old', signsUntilMs: nowMs + 1_000 }
  expect(await of(owned, ending)).toEqual(found(own, older))
  await turn(1_000)
  expect(await of(owned, ending)).toEqual(found(own))
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

test('a secret is read once in a while; a missing one is asked for each time', async () => {
  const stored: Record<string, string> = {}
  const { of, turn, reads } = create(stored)
  await of(owned)
  stored['mine'] = formatSecret(own)
  for (let count = 0; count < 3; count += 1) expect((await of(owned)).kind).toBe('credentials')
  await turn(secretCachedMs)
  await of(owned)
  expect(reads).toEqual(['mine', 'mine', 'mine'])
})

test('each endpoint and each version has a key of its own, whoever asks first and how often', async () => {
  const { credentials } = create({ 'signing-master': formatSecret(master) })
  for (const id of ['e', 'f', 'e', 'f']) {
    for (const keyVersion of [1, 11, 1]) {
      const keys = [{ ...derived, version: keyVersion }]
      const key = deriveKey({ masterSecret: master, endpointId: id, keyVersion })
      expect(await credentials.credentialsOf({ id, keys, authorization: null }, nowMs)).toEqual(found(key))
    }
  }
})

test('a secret that was changed makes another key once it is read again', async () => {
  const stored: Record<string, string> = { 'signing-master': formatSecret(master), mine: formatSecret(own) }
  const { of, turn } = create(stored)
  await of(derived, owned)
  Object.assign(stored, { 'signing-master': formatSecret(own), mine: formatSecret(older) })
  await turn(secretCachedMs)
  expect(await of(derived, owned)).toEqual(
    found(older, deriveKey({ masterSecret: own, endpointId: 'e', keyVersion: 1 })),
  )
  stored['mine'] = 'hunter2'
  await turn(secretCachedMs)
  expect(await of(owned)).toEqual({ kind: 'none', reason: 'key_invalid' })
})

test('a secret store that can not be asked is a fault, not a missing secret', async () => {
  const { clock } = createTestClock()
  const read = async (): Promise<string> => {
    throw new BridgeError({ code: 'secrets_unavailable', message: 'no answer', hint: 'Wait.' })
  }
  const credentials = createEndpointCredentials({ secrets: { read }, clock })
  await expect(
    credentials.credentialsOf({ id: 'e', keys: [owned], authorization: null }, nowMs),
  ).rejects.toThrow('no answer')
})

describe('an endpoint that wants to be asked with a secret', () => {
  const basic = { scheme: 'basic', secret: 'auth' } as const
  const bearer = { scheme: 'bearer', secret: 'auth' } as const
  const keys = { mine: formatSecret(own) }

  test.each([
    [basic, 'user:pass:word', 'Basic dXNlcjpwYXNzOndvcmQ='],
    [bearer, 'tok-en_1\n', 'Bearer tok-en_1'],
  ] as const)('gets its header: %o', async (authorization, secret, header) => {
    const { asking } = create({ ...keys, auth: secret })
    expect(await asking(authorization)).toEqual({ ...found(own), authorization: header })
  })

  test.each([
    [basic, {}, 'authorization_missing'],
    [basic, { auth: 'no colon' }, 'authorization_invalid'],
    [bearer, { auth: 'user:password' }, 'authorization_invalid'],
  ] as const)('can not be asked: %o, %o', async (authorization, stored, reason) => {
    expect(await create({ ...keys, ...stored }).asking(authorization)).toEqual({ kind: 'none', reason })
  })

  test('has its secret read again soon after a refusal, and not for each one', async () => {
    const stored: Record<string, string> = { ...keys, auth: 'old' }
    const { asking, credentials, turn, reads } = create(stored)
    const refused = () => credentials.noteRefused({ authorization: bearer })
    await asking(bearer)
    stored['auth'] = 'new'
    for (let count = 0; count < 10; count += 1) {
      refused()
      expect(await asking(bearer)).toMatchObject({ authorization: 'Bearer old' })
    }
    await turn(refusedCachedMs)
    expect(await asking(bearer)).toMatchObject({ authorization: 'Bearer new' })
    await turn(secretCachedMs - 1)
    await asking(bearer)
    expect(reads.filter(name => name === 'auth')).toHaveLength(2)
    expect(reads.filter(name => name === 'mine')).toHaveLength(2)
  })

  test('has a secret that is of the other scheme read again soon', async () => {
    const stored: Record<string, string> = { ...keys, auth: 'token' }
    const { asking, turn } = create(stored)
    await asking(bearer)
    stored['auth'] = 'user:password'
    expect(await asking(basic)).toEqual({ kind: 'none', reason: 'authorization_invalid' })
    await turn(refusedCachedMs)
    expect(await asking(basic)).toMatchObject({ authorization: 'Basic dXNlcjpwYXNzd29yZA==' })
  })
})
