import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Output } from '../../../infra/local/output.ts'
import { runBridge } from '../../../infra/local/run-bridge.ts'
import { keepsSources } from '../../../infra/local/sources.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { defaultRetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { commandOn, jsonOf } from '../cli/bridge-command.ts'
import { startCommand } from './commands.ts'
import { startCustomer } from './customers.ts'
import { temporaryFolder } from './folders.ts'

const main = 'infra/local/main.ts'
const pace = '--start-at earliest --include-soft yes --poll-every 0.2 --requests-per-minute 100000'
const backlog = 12

const startService = async (seed: number) => {
  const simulator = await startSimulator({ backlog, rateLimit: 0, seed })
  return { ...simulator, [Symbol.asyncDispose]: () => simulator.close() }
}

const firstLine = (text: string): string => text.split('\n')[0] ?? ''

describe('npm start on a folder that the operator set up', () => {
  test('polls all its sources and sends to its endpoints, and flags can not name one of them again', async () => {
    using folder = temporaryFolder()
    await using service = await startService(1)
    await using partner = await startService(2)
    await using customer = await startCustomer()
    const bridge = commandOn(folder.path)
    await bridge(`source add main --url ${service.url} ${pace}`, service.token)
    await bridge(`source add partner --url ${partner.url} ${pace}`, partner.token)
    await bridge(`endpoint add ${customer.url}/hooks --id crm --allow-private-endpoints`)

    const flags = ['--data', folder.path, '--once', '--json', '--allow-private-endpoints']
    await using command = startCommand(main, flags)
    expect([await command.ended, command.stderr().includes('sending to crm (')]).toEqual([0, true])
    expect(customer.posts).toHaveLength(2 * backlog)
    expect(new Set(customer.posts.map(({ id }) => id)).size).toBe(2 * backlog)
    const polled = command.stdout().matchAll(/"kind":"poll",.*?"source":"(\w+)"/g)
    expect(new Set([...polled].map(([, source]) => source))).toEqual(new Set(['main', 'partner']))

    const named = ['--source-url', service.url, '--token', 'other', '--endpoint', `${customer.url}/second`]
    await using again = startCommand(main, [...flags, ...named])
    expect(await again.ended).toBe(2)
    expect(firstLine(again.stderr())).toBe(
      `feedback-bridge: the data folder ${folder.path} has the source "main" of ${service.url}/api/v2 already: each of its records would be sent twice`,
    )
    const { sources } = jsonOf(await bridge('source list --json'))
    expect(sources.map(({ id }: { id: string }) => id)).toEqual(['main', 'partner'])
    expect(JSON.parse(readFileSync(folder.of('bridge.json'), 'utf8')).source).toBeNull()
  })

  test('without a source ends with 2 and both ways to give one, and makes no folder', async () => {
    using folder = temporaryFolder()
    const dataDir = folder.of('new')
    await using command = startCommand(main, ['--data', dataDir])
    expect(await command.ended).toBe(2)
    const [first, hint] = command.stderr().split('\n')
    expect(first).toBe(`feedback-bridge: there is no source in the data folder ${dataDir}`)
    for (const way of ['--source-url', '--endpoint', `bridge source add main`]) expect(hint).toContain(way)
    expect(existsSync(dataDir)).toBe(false)
  })
})

const run = async (settings: Parameters<typeof runBridge>[0]) => {
  const told: string[] = []
  const output: Output = {
    tell: line => told.push(line),
    warn: line => told.push(line),
    reporter: null,
    admission: () => Promise.resolve(),
  }
  return { told, code: await runBridge(settings, { signal: new AbortController().signal, output }) }
}

test('a source of earlier flags has no token in the folder: alone it is refused, beside others it is told', async () => {
  using folder = temporaryFolder()
  await using service = await startService(1)
  await using other = await startService(2)
  await using customer = await startCustomer()
  const common = { retrySchedule: defaultRetrySchedule, deadlineMs: 5_000, allowPrivate: true, once: true }
  const settings = { ...common, dataDir: folder.path }
  const { url, token } = service
  const source = {
    ...sourceDefaults,
    baseUrl: url,
    startAt: { kind: 'earliest' } as const,
    pollEverySeconds: 0.2,
  }
  const endpoints = [{ url: `${customer.url}/hooks`, secret: null, types: ['*'] }]
  expect((await run({ ...settings, source, token, endpoints })).code).toBe(0)
  expect(keepsSources(folder.path)).toBe(false)

  const ofFolder = { ...settings, source: null, token: null, endpoints: [] }
  await expect(run(ofFolder)).rejects.toMatchObject({ code: 'source_token_missing' })
  const bridge = commandOn(folder.path)
  await bridge(`source add other --url ${other.url} ${pace}`, other.token)
  expect(keepsSources(folder.path)).toBe(true)
  const ran = await run(ofFolder)
  expect(ran.code).toBe(1)
  const unread = ran.told.filter(line => line.includes('could not be read to the end'))
  expect(unread.map(line => line.replace(/^src_[0-9a-f]{16} /, ''))).toEqual([
    'bounces could not be read to the end: secret_missing.',
    'complaints could not be read to the end: secret_missing.',
  ])
  expect(ran.told.some(line => line.includes('Give the token: bridge source token src_'))).toBe(true)
})
