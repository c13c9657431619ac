import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMemorySecretStore } from '../../shared/adapters/secrets/memory-secret-store.ts'
import {
  type CachedSecretStore,
  createSecretsClient,
  createSecretsManagerStore,
} from '../../shared/adapters/secrets/secrets-manager-store.ts'
import type { SecretStore } from '../../shared/domain/secret-store.ts'
import { type SecretsManagerStub, startSecretsManagerStub } from './secrets/secrets-manager-stub.ts'

const secrets = { 'token-main': 'a token', 'signing-master': 'whsec_AAAA' }

const describeSecretStore = (name: string, create: (secrets: Record<string, string>) => SecretStore) =>
  describe(`secret store: ${name}`, () => {
    it('reads a secret by its name', async () => {
      const store = create(secrets)
      expect(await store.read('token-main')).toBe('a token')
      expect(await store.read('signing-master')).toBe('whsec_AAAA')
    })

    it('says which secret is missing', async () => {
      await expect(create(secrets).read('token-other')).rejects.toMatchObject({
        code: 'secret_missing',
        message: expect.stringContaining('token-other'),
      })
    })
  })

let stub: SecretsManagerStub
beforeAll(async () => {
  stub = await startSecretsManagerStub()
})
afterAll(() => stub.close())

const createStore = (held: Record<string, string>, now = () => 0): CachedSecretStore => {
  stub.hold(Object.fromEntries(Object.entries(held).map(([name, secret]) => [`bridge/${name}`, secret])))
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const client = createSecretsClient({ endpoint: stub.endpoint, region: 'us-east-1', credentials })
  return createSecretsManagerStore({ client, prefix: 'bridge/', cacheSeconds: 60, now })
}

describeSecretStore('memory', held => createMemorySecretStore({ secrets: new Map(Object.entries(held)) }))
describeSecretStore('Secrets Manager', createStore)

describe('the Secrets Manager store', () => {
  it('asks once for a secret within the seconds that it keeps it, and again after them', async () => {
    let nowMs = 1_000_000
    const store = createStore(secrets, () => nowMs)
    expect(await Promise.all([store.read('token-main'), store.read('token-main')])).toEqual([
      'a token',
      'a token',
    ])
    expect(stub.asked()).toEqual(['bridge/token-main'])
    nowMs += 59_999
    await store.read('token-main')
    expect(stub.asked()).toEqual(['bridge/token-main'])
    stub.hold({ 'bridge/token-main': 'rotated' })
    nowMs += 1
    expect(await store.read('token-main')).toBe('rotated')
  })

  it('asks again for what it is told to forget, and only for that', async () => {
    const store = createStore({ ...secrets, 'token-other': 'another' })
    await Promise.all([store.read('token-main'), store.read('token-other')])
    store.forget('token-main')
    await Promise.all([store.read('token-main'), store.read('token-other')])
    expect(stub.asked().sort()).toEqual(['bridge/token-main', 'bridge/token-main', 'bridge/token-other'])
  })

  it('keeps no failure', async () => {
    const store = createStore({})
    await expect(store.read('token-main')).rejects.toMatchObject({ code: 'secret_missing' })
    stub.hold({ 'bridge/token-main': 'late' })
    expect(await store.read('token-main')).toBe('late')
  })

  it('names what fails, and never a value', async () => {
    const store = createStore(secrets)
    stub.refuse('AccessDeniedException')
    await expect(store.read('token-main')).rejects.toMatchObject({
      code: 'secrets_unavailable',
      message: 'the secret "token-main" could not be read: AccessDeniedException',
    })
  })
})
