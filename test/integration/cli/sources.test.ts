import { existsSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn, jsonOf } from './bridge-command.ts'
import { holdFolder } from './held-folder.ts'

const url = '--url https://api.example.com'
const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('bridge source', () => {
  test('add keeps the token that was piped in to a file for its owner alone, and shows it nowhere', async () => {
    using folder = temporaryFolder()
    const bridge = commandOn(folder.of('data'))
    const added = await bridge(`source add main ${url} --include-soft yes --poll-every 30`, 'tok-123\n')
    expect(added).toEqual({
      code: 0,
      stdout: `Added the source main; npm start -- --data ${folder.of('data')} polls it.\n`,
      stderr: '',
    })
    const kept = folder.of('data/secrets/token-main.json')
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({
      v: 1,
      about: 'API token of the source main',
      secret: 'tok-123',
    })
    expect([modeOf(kept), modeOf(folder.of('data/secrets')), modeOf(folder.of('data'))]).toEqual([
      0o600, 0o700, 0o700,
    ])
    const shown = await bridge('source show main')
    expect([shown.code, shown.stdout.includes('tok-123')]).toEqual([0, false])
    expect(shown.stdout).toContain('kept as token-main')
  })

  test('list and show tell the same as JSON, and list fits a table for people', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`source add main ${url} --start-at 2026-01-31 --page-size 100 --overlap 60`, 'a')
    await bridge(`source add other ${url} --path-prefix /v3 --auth-scheme Bearer --paused`, 'b')
    const listed = jsonOf(await bridge('source list --json'))
    const unread = {
      started: false,
      floor: null,
      anchor: null,
      newestRecord: null,
      lastCompleteWalk: null,
      walkUnderWay: false,
    }
    const main = {
      id: 'main',
      state: 'active',
      baseUrl: 'https://api.example.com',
      pathPrefix: '/api/v2',
      authScheme: 'Token',
      includeSoft: false,
      pageSize: 100,
      startAt: '2026-01-31T00:00:00.000Z',
      pollEverySeconds: 5,
      overlapSeconds: 60,
      requestsPerMinute: 60,
      streams: [
        { stream: 'bounces', ...unread },
        { stream: 'complaints', ...unread },
      ],
    }
    expect(listed.sources).toEqual([
      main,
      {
        ...main,
        id: 'other',
        state: 'paused',
        pathPrefix: '/v3',
        authScheme: 'Bearer',
        pageSize: null,
        startAt: 'latest',
        overlapSeconds: 120,
      },
    ])
    expect(jsonOf(await bridge('source show main --json'))).toEqual(main)
    expect((await bridge('source list')).stdout.split('\n').map(line => line.split(/ {2,}/))).toEqual([
      ['SOURCE', 'STATE', 'SERVICE', 'EVERY', 'BOUNCES READ', 'COMPLAINTS READ'],
      ['main', 'active', 'https://api.example.com/api/v2', '5 s', 'never', 'never'],
      ['other', 'paused', 'https://api.example.com/v3', '5 s', 'never', 'never'],
      [''],
    ])
  })

  test('add without a token, and with one that can be none, does nothing and says what is right', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    expect(await bridge(`source add main ${url}`)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bridge: API token: none was given; pipe it in, or run the command at a terminal\n',
    })
    expect(await bridge(`source add main ${url}`, 'two words')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'bridge: API token: must be visible ASCII characters without spaces\n',
    })
    expect(jsonOf(await bridge('source list --json'))).toEqual({ sources: [] })
  })

  test('add refuses an id that is taken', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`source add main ${url}`, 'first')
    const again = await bridge(`source add main --url https://other.example.com`, 'second')
    expect([again.code, again.stderr.split('\n')[0]]).toEqual([3, 'bridge: there is a source "main" already'])
    expect(readFileSync(folder.of('secrets/token-main.json'), 'utf8')).toContain('first')
  })

  test('update changes what is given alone; token, the token alone; pause and resume, the state', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`source add main ${url} --include-soft yes`, 'first')
    const before = jsonOf(await bridge('source show main --json'))
    expect(jsonOf(await bridge('source update main --poll-every 60 --json'))).toEqual({
      ...before,
      pollEverySeconds: 60,
    })
    expect((await bridge('source token main', 'second')).stdout).toBe('Kept the new token of main.\n')
    expect(readFileSync(folder.of('secrets/token-main.json'), 'utf8')).toContain('second')
    expect(jsonOf(await bridge('source pause main --json')).state).toBe('paused')
    expect(jsonOf(await bridge('source resume main --json'))).toEqual({ ...before, pollEverySeconds: 60 })
    expect((await bridge('source update main')).code).toBe(2)
    expect((await bridge('source update nobody --poll-every 60')).code).toBe(1)
  })

  test('remove wants it paused and confirmed, and takes the token with it', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`source add main ${url}`, 'first')
    const active = await bridge('source remove main --yes')
    expect([active.code, active.stderr.split('\n')[0]]).toEqual([
      3,
      'bridge: the source "main" is being polled',
    ])
    await bridge('source pause main')
    expect((await bridge('source remove main')).code).toBe(2)
    expect(existsSync(folder.of('secrets/token-main.json'))).toBe(true)
    expect((await bridge('source remove main --yes')).code).toBe(0)
    expect(jsonOf(await bridge('source list --json'))).toEqual({ sources: [] })
    expect(existsSync(folder.of('secrets/token-main.json'))).toBe(false)
  })

  test('rewind says of a source that was never read that there is nothing to go back from', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`source add main ${url}`, 'first')
    expect(await bridge('source rewind main --to 6h --stream bounces')).toEqual({
      code: 1,
      stdout: 'bounces: has not been read yet; there is nothing to go back from\n',
      stderr: '',
    })
    expect((await bridge('source rewind main --to 2999-01-01')).code).toBe(2)
    expect((await bridge('source rewind main --to 40d')).code).toBe(3)
  })
})
