import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { enterStateFolder } from '../../../infra/local/state-folder.ts'
import { startCommand } from '../local/commands.ts'
import { temporaryFolder } from '../local/folders.ts'
import { jsonOf, processOn, runBridgeCommand } from './bridge-command.ts'
import { holdFolder } from './held-folder.ts'

const url = '--url https://api.example.com'

describe('the command on a data folder', () => {
  test('looks into none that is not there, and makes none', async () => {
    using folder = temporaryFolder()
    const ran = await processOn(folder.of('data'))('source list')
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `bridge: there is no bridge in the folder ${folder.of('data')}\n` +
        '  Name its folder with --data, or a deployed stack with --stack; npm start, or source add, makes a new one.\n',
    })
    expect(existsSync(folder.of('data'))).toBe(false)
  })

  test('uses .bridge where it is started, as npm start does', async () => {
    using folder = temporaryFolder()
    const ran = await runBridgeCommand(['source', 'add', 'main', ...url.split(' ')], {
      stdin: 'token',
      cwd: folder.path,
    })
    expect([ran.code, existsSync(folder.of('.bridge/secrets/token-main.json'))]).toEqual([0, true])
  })

  test('leaves the folder to the next one when it has ended: nothing runs, nothing is locked', async () => {
    using folder = temporaryFolder()
    const bridge = processOn(folder.path)
    await bridge(`source add main ${url}`, 'token')
    expect([existsSync(folder.of('running.json')), existsSync(folder.of('dynamodb.in-use'))]).toEqual([
      false,
      false,
    ])
    await (await enterStateFolder({ dataDir: folder.path, source: null })).leave()
    expect(jsonOf(await bridge('source list --json')).sources).toHaveLength(1)
  })

  test('asks a running bridge, whose table it does not open itself', async () => {
    await using folder = await holdFolder()
    await folder.bridge(`source add main ${url}`, 'token')
    expect(jsonOf(await folder.bridge('source list --json')).sources).toHaveLength(1)
    expect(existsSync(folder.of('running.json'))).toBe(true)
  })

  test.each([
    ['a process that is none any more', 2 ** 22 - 1],
    // The tests' own: what a killed bridge's number may have become.
    ['a process that is another one by now', process.pid],
  ])('takes no notice of a stale file that names %s', async (_, pid) => {
    using folder = temporaryFolder()
    const bridge = processOn(folder.path)
    await bridge(`source add main ${url}`, 'token')
    const running = {
      v: 1,
      pid,
      startedAt: '2026-11-20T00:00:00.000Z',
      dynamodb: { endpoint: 'http://127.0.0.1:9', tableName: 'feedback-bridge' },
      sqs: { endpoint: 'http://127.0.0.1:9' },
      queueUrls: {
        fast: 'http://127.0.0.1:9/fast',
        slow: 'http://127.0.0.1:9/slow',
        deadLetters: 'http://127.0.0.1:9/dead',
      },
    }
    writeFileSync(folder.of('running.json'), JSON.stringify(running))
    expect(jsonOf(await bridge('source list --json')).sources).toHaveLength(1)
    expect(existsSync(folder.of('running.json'))).toBe(false)
  })

  test('waits for another command to be done with it', async () => {
    using folder = temporaryFolder()
    const bridge = processOn(folder.path)
    await bridge(`source add main ${url}`, 'token')
    const other = await enterStateFolder({ dataDir: folder.path, source: null })
    const listed = bridge('source list --json')
    expect(await Promise.race([listed, sleep(1_500, 'waits')])).toBe('waits')
    await other.leave()
    expect(jsonOf(await listed).sources).toHaveLength(1)
  })

  test('two at once do not undo each other', async () => {
    using folder = temporaryFolder()
    const bridge = processOn(folder.path)
    const ids = ['one', 'two', 'three']
    const ran = await Promise.all(ids.map(id => bridge(`source add ${id} ${url}`, `token-${id}`)))
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0])
    const { sources } = jsonOf(await bridge('source list --json'))
    expect(sources.map(({ id }: { id: string }) => id)).toEqual(ids.toSorted())
    const tokens = ids.map(
      id => JSON.parse(readFileSync(folder.of(`secrets/token-${id}.json`), 'utf8')).secret,
    )
    expect(tokens).toEqual(ids.map(id => `token-${id}`))
  })

  test('says which process has a folder that stays in use without emulators', {
    timeout: 60_000,
  }, async () => {
    using folder = temporaryFolder()
    mkdirSync(folder.of('dynamodb'), { recursive: true })
    writeFileSync(folder.of('bridge.json'), '{"v":1,"source":null}')
    await using holder = startCommand('test/integration/local/hold-folder.ts', [folder.path])
    await holder.until(() => holder.stdout().includes('ready'))
    const ran = await processOn(folder.path)('source list')
    expect([ran.code, ran.stderr.split('\n')[0]]).toEqual([
      1,
      `bridge: the data folder ${folder.path} is in use by process ${holder.child.pid}`,
    ])
  })

  test('a folder that it made is one that npm start can begin with, and the other way round', async () => {
    using folder = temporaryFolder()
    await processOn(folder.path)(`source add main ${url}`, 'token')
    const source = { id: 'src_1', baseUrl: 'https://api.example.com', pathPrefix: '/api/v2' }
    await (await enterStateFolder({ dataDir: folder.path, source })).leave()
    await (await enterStateFolder({ dataDir: folder.path, source: null })).leave()
    const other = { ...source, id: 'src_2' }
    await expect(enterStateFolder({ dataDir: folder.path, source: other })).rejects.toMatchObject({
      code: 'data_folder_of_another_source',
    })
    expect(statSync(folder.of('bridge.json')).mode & 0o777).toBe(0o600)
  })
})
