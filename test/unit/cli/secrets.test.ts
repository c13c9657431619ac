import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createFolderSecrets } from '../../../infra/local/folder-secrets.ts'
import { createLayeredSecretStore } from '../../../shared/adapters/secrets/layered-secret-store.ts'
import { createMemorySecretStore } from '../../../shared/adapters/secrets/memory-secret-store.ts'
import { BridgeError } from '../../../shared/domain/bridge-error.ts'
import { temporaryFolder } from '../../integration/local/folders.ts'

const about = 'API token of the source main'

describe('secrets of a data folder', () => {
  test('are kept a file each, for the owner alone, and read as they were put last', async () => {
    using folder = temporaryFolder()
    const secrets = createFolderSecrets(folder.path)
    await secrets.put({ name: 'token-main', text: 'one', about })
    await secrets.put({ name: 'token-main', text: 'two', about })
    expect(await createFolderSecrets(folder.path).read('token-main')).toBe('two')
    const file = folder.of('secrets/token-main.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ v: 1, about, secret: 'two' })
    expect([statSync(file).mode & 0o777, statSync(folder.of('secrets')).mode & 0o777]).toEqual([0o600, 0o700])
  })

  test('that are not there, or were removed, are missing; removing is no fault then', async () => {
    using folder = temporaryFolder()
    const secrets = createFolderSecrets(folder.path)
    await secrets.put({ name: 'token-main', text: 'one', about })
    await secrets.remove('token-main')
    await secrets.remove('token-main')
    await expect(secrets.read('token-main')).rejects.toMatchObject({ code: 'secret_missing' })
  })

  test.each(['../token', 'a/b', '', '.hidden', 'token main'])('can not be named %j', async name => {
    using folder = temporaryFolder()
    const secrets = createFolderSecrets(folder.path)
    await expect(secrets.put({ name, text: 'one', about })).rejects.toMatchObject({ code: 'secret_name' })
    await expect(secrets.read(name)).rejects.toMatchObject({ code: 'secret_name' })
  })
})

describe('layers of secret stores', () => {
  const first = createMemorySecretStore({ secrets: new Map([['a', 'first']]) })
  const second = createMemorySecretStore({
    secrets: new Map([
      ['a', 'second'],
      ['b', 'second'],
    ]),
  })

  test('give the first one’s secret, where it has it', async () => {
    const layers = createLayeredSecretStore([first, second])
    expect([await layers.read('a'), await layers.read('b')]).toEqual(['first', 'second'])
    await expect(layers.read('c')).rejects.toMatchObject({ code: 'secret_missing' })
  })

  test('that can’t be asked are no reason to go by the next one', async () => {
    const fault = new BridgeError({ code: 'secrets_unavailable', message: 'm', hint: 'h' })
    const layers = createLayeredSecretStore([{ read: () => Promise.reject(fault) }, second])
    await expect(layers.read('a')).rejects.toBe(fault)
  })
})
