import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { expectExactly } from './harness/checks.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, newSecret, test } from './harness/world.ts'

const stopMsMax = 10_000

describe.concurrent('the command', () => {
  test('names all that is wrong with its flags at once, what is right, and no secret; exit 2', async ({
    world,
  }) => {
    const secret = 'whsec_c2hvcnQ='
    const bridge = world.command([
      ...[
        '--source-url',
        'ftp://user:hunter2@example.com/api',
        '--tokn',
        'tell-nobody',
        '--auth-scheme',
        'Basic',
      ],
      ...['--page-size', '1001', '--start-at', 'yesterday', '--poll-every', '0', '--overlap', '1.5'],
      ...[
        '--requests-per-minute',
        'many',
        '--types',
        'email.bounces,email.complaint',
        '--retry-schedule',
        '1s,5',
      ],
      ...[
        '--deadline',
        '46',
        '--secret',
        secret,
        '--endpoint',
        'http://example.com/hook?key=tell-nobody-either',
      ],
      ...['--path-prefix', 'api v2', '--json', '--data'],
    ])
    expect(await bridge.ended()).toEqual({ code: 2, signal: null })
    expect(bridge.stdout()).toBe('')
    const lines = bridge.stderr().trimEnd().split('\n')
    const said = (flag: string) =>
      lines.filter(line => line.startsWith(`feedback-bridge: ${flag}:`)).join('\n')
    expect(said('--tokn')).toMatch(/is no flag; --help lists them/)
    expect(said('--source-url')).toMatch(/must be scheme, host and port, as https:\/\/api\.example\.com/)
    expect(said('--token')).toMatch(/is missing; give it, or set BRIDGE_API_TOKEN/)
    expect(said('--auth-scheme')).toMatch(/must be Token, Bearer or X-API-Key/)
    expect(said('--page-size')).toMatch(/from 1 to 1000/)
    expect(said('--start-at')).toMatch(/must be latest, earliest, or a time with its zone/)
    expect(said('--poll-every')).toMatch(/from 0\.1 to 3600/)
    expect(said('--overlap')).toMatch(/whole number from 0 to 86400/)
    expect(said('--requests-per-minute')).toMatch(/whole number from 1/)
    expect(said('--types')).toMatch(/email\.bounce\.hard/)
    expect(said('--retry-schedule')).toMatch(/as 500ms, 1s, 5m, 2h or 1d/)
    expect(said('--deadline')).toMatch(/to 45/)
    expect(said('--secret')).toMatch(/whsec_/)
    expect(said('--endpoint')).toMatch(/https/)
    expect(said('--path-prefix')).toMatch(/like \/api\/v2/)
    expect(said('--data')).toMatch(/needs a value/)
    expect(lines.length).toBe(16)
    for (const hidden of ['hunter2', 'tell-nobody', secret]) expect(bridge.stderr()).not.toContain(hidden)
  })

  test('says what is missing; exit 2', async ({ world }) => {
    const bridge = world.command(['--once', '--include-soft'])
    expect(await bridge.ended()).toEqual({ code: 2, signal: null })
    expect(bridge.stdout()).toBe('')
    const missing = ['--source-url', '--token', '--endpoint']
    expect(bridge.stderr().match(/--[a-z-]+: is missing/g)).toEqual(
      missing.map(flag => `${flag}: is missing`),
    )
  })

  test('refuses a private endpoint without --allow-private-endpoints, and names that flag; exit 2', async ({
    world,
  }) => {
    const simulator = await world.simulator()
    const receiver = await world.receiver()
    for (const url of [
      receiver.url,
      'https://10.1.2.3/hook',
      'https://[::1]/hook',
      'https://localhost/hook',
    ]) {
      const bridge = world.command(
        [
          '--source-url',
          simulator.url,
          '--endpoint',
          url,
          '--secret',
          newSecret(),
          '--once',
          '--data',
          await world.dataDir(),
        ],
        { env: { BRIDGE_API_TOKEN: world.token } },
      )
      expect(await bridge.ended()).toEqual({ code: 2, signal: null })
      expect(bridge.stderr()).toMatch(/--endpoint: .*--allow-private-endpoints/)
      expect(bridge.stderr()).not.toContain('key=k')
    }
    expect(simulator.requestCount).toBe(0)
    expect(receiver.posts).toEqual([])
  })

  test('shows its flags and ends with 0', async ({ world }) => {
    const bridge = world.command(['--help'])
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    const flags = [
      'source-url',
      'token',
      'endpoint',
      'secret',
      'auth-scheme',
      'path-prefix',
      'page-size',
      'include-soft',
    ]
    const more = [
      'types',
      'start-at',
      'poll-every',
      'overlap',
      'requests-per-minute',
      'retry-schedule',
      'deadline',
    ]
    const rest = ['data', 'allow-private-endpoints', 'once', 'json']
    for (const flag of [...flags, ...more, ...rest]) expect(bridge.stdout()).toContain(`--${flag} `)
    expect(bridge.stderr()).toBe('')
  })

  for (const { status, of, errorBody } of [
    { status: 401, of: { profile: true, token: 'another-token' }, errorBody: 'specified' },
    { status: 403, of: { profile: false }, errorBody: 'html' },
  ] as const) {
    test(`says within a poll that the token was refused with ${status}, by source, never the token; and asks seldom`, async ({
      world,
    }) => {
      const simulator = await world.simulator({ ...of, errorBody })
      const receiver = await world.receiver()
      const bridge = world.bridge({ simulator, receivers: [receiver], dataDir: await world.dataDir() })
      const told = new RegExp(
        `src_[0-9a-f]{16} (bounces|complaints): the token was refused, status ${status}\\.`,
      )
      await world.change.until('it is told', () => told.test(bridge.stderr()))
      await world.change.until(
        'of both',
        () => bridge.polls().filter(poll => poll.status === status).length === 2,
      )
      // The first poll of each stream was enough, though polls are 0.3 s apart.
      const asked = bridge.polls().filter(({ walk }) => walk !== 'start')
      expect(asked.map(poll => poll.status)).toEqual([status, status])
      expect(bridge.stderr()).toContain(simulator.url)
      expect(await bridge.stop()).toEqual({ code: 0, signal: null })
      expect(simulator.requestCount).toBeLessThanOrEqual(3)
    })
  }

  test('--once ends with 1 soon where the token is refused', async ({ world }) => {
    const simulator = await world.simulator({ token: 'another-token' })
    const receiver = await world.receiver()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { once: true },
    })
    expect(await bridge.ended()).toEqual({ code: 1, signal: null })
    expect(bridge.stderr()).toMatch(/bounces could not be read to the end: feedback_unauthorized/)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    test(`stops cleanly on ${signal} with a summary on stderr, also while an endpoint keeps it waiting`, async ({
      world,
    }) => {
      const simulator = await world.simulator()
      simulator.add('bounces', recordsUntil(nowSecond() - 60, 10))
      const [good, hanging] = [await world.receiver(), await world.receiver()]
      hanging.setAnswer(() => 'never')
      const dataDir = await world.dataDir()
      const bridge = world.bridge({
        simulator,
        receivers: [good, hanging],
        dataDir,
        flags: { deadline: '2' },
      })
      await world.change.until(
        'one has all, the other hangs',
        () => bridge.of('delivered').length === 10 && hanging.posts.length > 0,
      )
      const askedAt = Date.now()
      bridge.send(signal)
      expect(await bridge.ended()).toEqual({ code: 0, signal: null })
      expect(Date.now() - askedAt).toBeLessThan(stopMsMax)
      expect(bridge.stderr()).toMatch(/Ran for .*: 10 records read, 10 events enqueued, 10 deliveries made/)
      expectExactly(good, idsOf(simulator))
    })
  }

  test('without --json, stdout is for people', async ({ world }) => {
    const simulator = await world.simulator()
    simulator.add('complaints', recordsUntil(nowSecond() - 60, 4))
    const receiver = await world.receiver()
    const bridge = world.bridge({
      simulator,
      receivers: [receiver],
      dataDir: await world.dataDir(),
      flags: { json: null, once: true },
    })
    expect(await bridge.ended()).toEqual({ code: 0, signal: null })
    expect(bridge.stdout()).toMatch(/^Polling http:\/\/127\.0\.0\.1:\d+\/api\/v2/)
    expect(bridge.stdout()).toMatch(/4 records read, 4 events enqueued, 4 deliveries made/)
    expect(bridge.stderr()).toBe('')
    expectExactly(receiver, idsOf(simulator))
  })

  test('without flags and without a terminal the demo prints plain lines, verifies, and stops with a summary', async ({
    world,
  }) => {
    const cwd = await mkdtemp(join(tmpdir(), 'bridge-e2e-'))
    world.defer(() => rm(cwd, { recursive: true, force: true }))
    const demo = world.command([], { cwd })
    const verified =
      /read [1-9]\d* .*enqueued [1-9]\d* .*delivered [1-9]\d* .*signatures: [1-9]\d* verified, 0 wrong/
    await world.change.until('it has delivered', () => verified.test(demo.stdout()))
    expect(await demo.stop()).toEqual({ code: 0, signal: null })
    expect(demo.stdout()).toMatch(/^Demo: http:\S+ → bridge → http:\S+; Ctrl-C stops it\./)
    expect(demo.stdout()).toMatch(/Ran for .* events enqueued/)
    expect(demo.stdout()).toMatch(/[1-9]\d* signatures verified, none wrong\./)
    // No escape sequences where there is no terminal.
    expect(demo.stdout().includes('\u001b')).toBe(false)
    expect(demo.stderr()).toBe('')
  })
})
