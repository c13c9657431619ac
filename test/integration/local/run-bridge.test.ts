import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import type { Output } from '../../../infra/local/output.ts'
import { runBridge } from '../../../infra/local/run-bridge.ts'
import type { BridgeSettings } from '../../../infra/local/settings.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { startCustomer } from './customers.ts'
import { temporaryFolder } from './folders.ts'

const backlog = 40

const startSource = async (options: Parameters<typeof startSimulator>[0] = {}) => {
  const simulator = await startSimulator({ backlog, rateLimit: 0, pageSize: 15, ...options })
  return { simulator, [Symbol.asyncDispose]: () => simulator.close() }
}

const settingsOf = (of: {
  simulator: { url: string; token: string }
  dataDir: string
  urls: readonly string[]
  secret?: string
}): BridgeSettings => ({
  source: {
    ...sourceDefaults,
    baseUrl: of.simulator.url,
    includeSoft: true,
    startAt: { kind: 'earliest' },
    pollEverySeconds: 0.2,
    requestsPerMinute: 100_000,
  },
  token: of.simulator.token,
  endpoints: of.urls.map(url => ({ url, secret: of.secret ?? null, types: ['*'] })),
  retrySchedule: [500],
  deadlineMs: 5_000,
  dataDir: of.dataDir,
  allowPrivate: true,
  once: true,
})

const createOutput = () => {
  const told: string[] = []
  const warned: string[] = []
  const happenings: Happening[] = []
  const output: Output = {
    tell: line => told.push(line),
    warn: line => warned.push(line),
    reporter: { report: happening => happenings.push(happening) },
    admission: () => Promise.resolve(),
  }
  return { output, told, warned, happenings }
}

const run = async (settings: BridgeSettings, signal = new AbortController().signal) => {
  const out = createOutput()
  return { ...out, code: await runBridge(settings, { signal, output: out.output }) }
}

describe('a bridge with --once', () => {
  test('delivers everything signed, ends with 0, and sends nothing again when it is started again', async () => {
    using folder = temporaryFolder()
    await using source = await startSource()
    await using customer = await startCustomer()
    const settings = settingsOf({ ...source, dataDir: folder.path, urls: [`${customer.url}/hooks`] })
    const first = await run(settings)
    expect([first.code, first.warned]).toEqual([0, []])
    expect(new Set(customer.posts.map(post => post.id)).size).toBe(backlog)
    expect(customer.posts).toHaveLength(backlog)

    const { endpoints } = JSON.parse(readFileSync(folder.of('signing-secrets.json'), 'utf8'))
    const [secret = ''] = Object.values<{ secret: string }>(endpoints).map(endpoint => endpoint.secret)
    for (const { body, headers } of customer.posts) new Webhook(secret).verify(body, headers)

    const second = await run(settings)
    expect([second.code, customer.posts.length]).toEqual([0, backlog])
    expect(second.happenings.filter(({ kind }) => kind === 'enqueued')).toEqual([])
  })

  test('ends with 1 where there is a dead letter, of this start or an earlier one', async () => {
    using folder = temporaryFolder()
    await using source = await startSource({ backlog: 3 })
    await using customer = await startCustomer(({ path }) => (path === '/bad' ? 500 : 200))
    const of = { ...source, dataDir: folder.path, secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }
    const bad = await run(settingsOf({ ...of, urls: [`${customer.url}/bad`] }))
    expect(bad.code).toBe(1)
    expect(bad.happenings.filter(({ kind }) => kind === 'dead')).toHaveLength(3)
    expect(bad.told.at(-1)).toBe('Left: 0 waiting, 0 held, 3 dead letters; the next start goes on with them.')
    const good = await run(settingsOf({ ...of, urls: [`${customer.url}/good`] }))
    expect(good.code).toBe(1)
    expect(good.told).toContain('From earlier starts: 0 waiting, 0 held, 3 dead.')
  })

  test('what is for an endpoint that answered 410 is held, and delivered when it is named again', async () => {
    using folder = temporaryFolder()
    await using source = await startSource({ backlog: 5 })
    let isGone = true
    await using customer = await startCustomer(() => (isGone ? 410 : 200))
    const settings = settingsOf({ ...source, dataDir: folder.path, urls: [`${customer.url}/hooks`] })
    const first = await run(settings)
    expect([first.code, first.told.at(-1)]).toEqual([
      0,
      'Left: 0 waiting, 5 held, 0 dead letters; the next start goes on with them.',
    ])
    isGone = false
    customer.posts.length = 0
    const second = await run(settings)
    expect(second.code).toBe(0)
    expect(new Set(customer.posts.map(post => post.id)).size).toBe(5)
    expect(customer.posts).toHaveLength(5)
  })

  test('a refused token ends it with 1: source, status and what to do are told, the token never', async () => {
    using folder = temporaryFolder()
    await using source = await startSource()
    const token = 'Zq7-wrong-token'
    const settings = settingsOf({ ...source, dataDir: folder.path, urls: ['http://127.0.0.1:9/'] })
    const { code, warned, told, happenings } = await run({ ...settings, token })
    expect(code).toBe(1)
    expect(warned[0]).toMatch(
      /^src_[0-9a-f]{16} \w+: the token was refused, status 401\. GET http\S+ was answered 401: .+[^.]\. Check the API token/,
    )
    expect(JSON.stringify([warned, told, happenings])).not.toContain(token)
  })

  test('interrupted before it was done it ends with 130, and leaves the folder to the next start', async () => {
    using folder = temporaryFolder()
    await using source = await startSource({ backlog: 2 })
    await using customer = await startCustomer(() => 500)
    const settings = settingsOf({ ...source, dataDir: folder.path, urls: [`${customer.url}/hooks`] })
    const stopping = new AbortController()
    const out = createOutput()
    const output: Output = {
      ...out.output,
      reporter: { report: ({ kind }) => kind === 'waiting' && stopping.abort() },
    }
    const patient = { ...settings, retrySchedule: [3_600_000] }
    expect(await runBridge(patient, { signal: stopping.signal, output })).toBe(130)
    expect(out.warned).toContain('interrupted before everything was read and settled.')
    const again = new AbortController()
    again.abort()
    const next = await run(patient, again.signal)
    expect(next.told.some(line => line.startsWith('From earlier starts:'))).toBe(true)
  })
})
