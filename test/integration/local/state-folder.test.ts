import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readRunning } from '../../../infra/local/running-file.ts'
import { keepSigningSecrets } from '../../../infra/local/signing-secrets.ts'
import { enterStateFolder } from '../../../infra/local/state-folder.ts'
import { masterSecretName } from '../../../shared/domain/secret-store.ts'
import { startCommand } from './commands.ts'
import { temporaryFolder } from './folders.ts'

const source = { id: 'src_1', baseUrl: 'https://api.example.com', pathPrefix: '/api/v2' }
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('the data folder', () => {
  test('is made for its owner alone, and remembers its source and nothing secret', async () => {
    using folder = temporaryFolder()
    const dataDir = folder.of('a/b')
    const state = await enterStateFolder({
      dataDir,
      source: { ...source, ...{ tokenSecret: 'token-src_1' } },
    })
    await state.leave()
    expect([modeOf(dataDir), modeOf(`${dataDir}/bridge.json`)]).toEqual([0o700, 0o600])
    expect(JSON.parse(readFileSync(`${dataDir}/bridge.json`, 'utf8'))).toEqual({ v: 1, source })
  })

  test('in use is an error that names the process, also within the same one', async () => {
    using folder = temporaryFolder()
    const state = await enterStateFolder({ dataDir: folder.path, source })
    await expect(enterStateFolder({ dataDir: folder.path, source })).rejects.toMatchObject({
      code: 'data_folder_in_use',
      message: `the data folder ${folder.path} is in use by process ${process.pid}`,
    })
    await state.leave()
    await (await enterStateFolder({ dataDir: folder.path, source })).leave()
  })

  test('is free at once when the process that had it was killed, and what that one said of itself is gone', async () => {
    using folder = temporaryFolder()
    await using holder = startCommand('test/integration/local/hold-folder.ts', [folder.path])
    await holder.until(() => holder.stdout().includes('ready'))
    expect(readRunning(folder.path)).toMatchObject({ pid: holder.child.pid })
    await expect(enterStateFolder({ dataDir: folder.path, source })).rejects.toThrow(
      `in use by process ${holder.child.pid}`,
    )
    holder.child.kill('SIGKILL')
    await holder.ended
    expect(existsSync(folder.of('running.json'))).toBe(true)
    expect(readRunning(folder.path)).toBeNull()
    const state = await enterStateFolder({ dataDir: folder.path, source })
    expect(existsSync(folder.of('running.json'))).toBe(false)
    await state.leave()
  })

  test('of another source is an error that names both', async () => {
    using folder = temporaryFolder()
    await (await enterStateFolder({ dataDir: folder.path, source })).leave()
    const other = { ...source, id: 'src_2', pathPrefix: '/api/v1' }
    await expect(enterStateFolder({ dataDir: folder.path, source: other })).rejects.toMatchObject({
      code: 'data_folder_of_another_source',
      message: `the data folder ${folder.path} belongs to the source https://api.example.com/api/v2, not to https://api.example.com/api/v1`,
    })
    // It was let go of all the same.
    await (await enterStateFolder({ dataDir: folder.path, source })).leave()
  })

  test('begun afresh is empty, whatever source it was of', async () => {
    using folder = temporaryFolder()
    await (await enterStateFolder({ dataDir: folder.path, source })).leave()
    writeFileSync(folder.of('left'), '')
    const other = { ...source, id: 'src_2' }
    await (await enterStateFolder({ dataDir: folder.path, source: other, fresh: true })).leave()
    expect(existsSync(folder.of('left'))).toBe(false)
  })

  test('that can not be made or read is an error that says why', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.of('file'), '')
    const under = enterStateFolder({ dataDir: folder.of('file/data'), source })
    await expect(under).rejects.toMatchObject({ code: 'data_folder_unusable' })
    writeFileSync(folder.of('bridge.json'), '{"v":1')
    const broken = enterStateFolder({ dataDir: folder.path, source })
    await expect(broken).rejects.toMatchObject({ code: 'data_folder_unreadable' })
  })
})

describe('the signing secrets of a data folder', () => {
  const endpoints = [{ id: 'ep_1', url: 'https://example.com/a', keyVersion: 1 }]

  test('are the same from start to start, and readable for their owner alone', () => {
    using folder = temporaryFolder()
    const first = keepSigningSecrets(folder.path, endpoints)
    const text = readFileSync(first.path, 'utf8')
    const again = keepSigningSecrets(folder.path, endpoints)
    expect(again.secrets).toEqual(first.secrets)
    expect(readFileSync(first.path, 'utf8')).toBe(text)
    expect(modeOf(first.path)).toBe(0o600)
    expect([...first.secrets.keys()]).toEqual([masterSecretName])
  })

  test('of an endpoint stay when another one is added', () => {
    using folder = temporaryFolder()
    const read = () => JSON.parse(readFileSync(folder.of('signing-secrets.json'), 'utf8')).endpoints
    keepSigningSecrets(folder.path, endpoints)
    const before = read()
    keepSigningSecrets(folder.path, [{ id: 'ep_2', url: 'https://example.com/b', keyVersion: 1 }])
    expect(Object.keys(read())).toEqual(['ep_1', 'ep_2'])
    expect(read().ep_1).toEqual(before.ep_1)
    expect(read().ep_2.secret).not.toBe(before.ep_1.secret)
  })
})
