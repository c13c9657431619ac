import { rmSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { startCustomer } from '../local/customers.ts'
import { temporaryFolder } from '../local/folders.ts'
import { jsonOf, runBridgeCommand } from './bridge-command.ts'
import { findingsOf, listsOf, outcomesOf, textOf, wellOf, wrongOf } from './doctor-findings.ts'
import { deliveryOf, endpointOf, loggedEvent } from './filled-table.ts'
import { fill, holdServices } from './held-services.ts'

const nowMs = Date.now()
const minuteMs = 60_000
const laptop = '--allow-private-endpoints'

describe('bridge doctor', { timeout: 40_000 }, () => {
  test('finds nothing wrong where all is well, and POSTs a signed test only where it may', async () => {
    await using customer = await startCustomer()
    const simulator = await startSimulator()
    fill(simulator)
    await using folder = await holdServices({ main: simulator })
    const added = await folder.bridge(`endpoint add ${customer.url}/hooks --id crm ${laptop} --json`)
    const secret: string = jsonOf(added).signingSecret

    const asked = simulator.requests.length
    const looked = await folder.bridge(`doctor ${laptop} --json`)
    expect([looked.code, looked.stderr, jsonOf(looked).healthy]).toEqual([0, '', true])
    const findings = findingsOf(looked)
    expect(outcomesOf(findings)).toEqual([
      ['bridge', '', 'ok'],
      ['table', '', 'ok'],
      ['schedules', 'poller, main', 'ok'],
      ['schedules', 'releaser', 'ok'],
      ['schedules', 'reconcile, main', 'ok'],
      ['queues', 'fast', 'ok'],
      ['queues', 'slow', 'ok'],
      ['queues', 'dead letters', 'ok'],
      ['dead letters', '', 'ok'],
      ['secrets', 'signing-master', 'ok'],
      ['secrets', 'token-main', 'ok'],
      ['secrets', '', 'ok'],
      ...listsOf('token', 'main'),
      ...wellOf('main'),
      ...listsOf('order', 'main'),
      ...listsOf('last_id', 'main'),
      ['endpoint', 'crm', 'ok'],
    ])
    expect(findings.filter(({ mend }) => mend !== null)).toEqual([])
    expect(textOf(findings, 'last_id', 'main, bounces')).toMatch(/^position: /)
    expect(textOf(findings, 'contacts key', 'main')).toContain('3 lists: Customers, Newsletter, ')
    expect([simulator.requests.length - asked, customer.posts.length]).toEqual([5, 0])
    expect(looked.stdout).not.toContain(simulator.token)

    const tested = await folder.bridge(`doctor ${laptop} --send-tests`)
    expect([tested.code, tested.stdout.split('\n').at(-2)]).toEqual([0, 'All is well.'])
    const rows = tested.stdout.split('\n').map(line => line.split(/ {2,}/))
    expect(rows.find(([, check]) => check === 'endpoint')).toEqual([
      'ok',
      'endpoint',
      'crm',
      expect.stringMatching(/^answered a test 200 in /),
    ])
    expect(customer.posts).toHaveLength(1)
    const { body = '', headers = {} } = customer.posts[0] ?? {}
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' })
  })

  test('tells each reading and each fault of a service, with what to do', async () => {
    const refusing = await startSimulator({ token: 'a', contactsToken: 'b' })
    const odd = await startSimulator({
      order: 'ignored',
      rateLimitHeaders: 'never',
      now: () => Date.now() + 10 * minuteMs,
    })
    const slow = await startSimulator({ lastId: 'timelogged', rateLimit: 30, contactsToken: 'b' })
    for (const simulator of [odd, slow]) fill(simulator)
    await using folder = await holdServices({ odd, refusing, slow })
    await folder.bridge('source token refusing', 'unlike-the-others')
    const looked = await folder.bridge('doctor --json')
    const findings = findingsOf(looked)
    expect([looked.code, looked.stdout.includes('unlike-the-others')]).toEqual([1, false])
    expect(wrongOf(findings)).toEqual([
      ['token', 'refusing, bounces', 'failed'],
      ['token', 'refusing, complaints', 'failed'],
      ['contacts key', 'refusing', 'failed'],
      ['contacts key', 'slow', 'failed'],
      ['rate limit', 'refusing', 'skipped'],
      ['rate limit', 'slow', 'warning'],
      ['clock', 'odd', 'failed'],
      ['clock', 'refusing', 'skipped'],
      ['order', 'odd, bounces', 'warning'],
      ['order', 'odd, complaints', 'warning'],
      ['order', 'refusing, bounces', 'skipped'],
      ['order', 'refusing, complaints', 'skipped'],
      ['last_id', 'odd, bounces', 'skipped'],
      ['last_id', 'odd, complaints', 'skipped'],
      ['last_id', 'refusing, bounces', 'skipped'],
      ['last_id', 'refusing, complaints', 'skipped'],
    ])
    const toMend = findings.filter(({ outcome }) => outcome === 'failed' || outcome === 'warning')
    expect(toMend.filter(({ mend }) => mend === null || mend === '')).toEqual([])
    expect(textOf(findings, 'token', 'refusing, bounces')).toContain(' was answered 401')
    expect(textOf(findings, 'last_id', 'slow, bounces')).toMatch(/^timelogged: /)
    expect(textOf(findings, 'rate limit', 'odd')).toBe(
      "no headers; the source's own limit of 60 a minute counts",
    )
    expect(textOf(findings, 'clock', 'odd')).toMatch(/^the service's is \d+ min ahead of this machine's$/)

    const key = await folder.bridge(`doctor --contacts-url ${slow.url} --json`)
    expect(key.code).toBe(2)
    const elsewhere = ['doctor', '--contacts-url', slow.url, '--data', folder.path, '--json']
    const keyed = findingsOf(await runBridgeCommand(elsewhere, { stdin: 'b\n' }))
    expect(keyed.filter(({ check }) => check === 'contacts key').map(({ outcome }) => outcome)).toEqual([
      'ok',
      'ok',
      'ok',
    ])
  })

  test('finds schedules that do not run, secrets and keys that are missing, and queues that were changed', async () => {
    const simulator = await startSimulator()
    await using folder = await holdServices({ main: simulator, never: simulator })
    await folder.bridge('source pause never')
    await folder.ran('main', 4 * minuteMs)
    const { table } = folder
    const key = { version: 2, secret: 'signing-crm-2', signsUntilMs: null }
    await table.endpoints.put(endpointOf('crm', { keys: [key] }))
    await table.endpoints.put(endpointOf('off', { state: 'disabled', stateReason: 'answered_410' }))
    await table.endpoints.put(endpointOf('loop', { url: 'https://127.0.0.1/' }))
    const event = loggedEvent({ second: Math.floor(nowMs / 1_000) - 600, uuid: 'e' })
    const overdue = deliveryOf(event, { state: 'waiting', dueMs: nowMs - 6 * minuteMs })
    await table.store.write(overdue, { kind: 'unsettled_before', rank: 100 })
    const hour = Math.floor(nowMs / 3_600_000) - 6
    const mark = { sourceId: 'main', stream: 'bounces', hour, day: '2026-01-31', lowestId: event.id } as const
    await table.marks.lower(mark)
    await folder.setQueue('slow', { VisibilityTimeout: '30', MessageRetentionPeriod: '3600' })

    const findings = findingsOf(await folder.bridge('doctor --json'))
    expect(wrongOf(findings)).toEqual([
      ['schedules', 'poller, main', 'failed'],
      ['schedules', 'releaser', 'failed'],
      ['schedules', 'reconcile, main', 'warning'],
      ['queues', 'slow', 'failed'],
      ['secrets', 'crm', 'failed'],
      ['order', 'main, bounces', 'skipped'],
      ['order', 'main, complaints', 'skipped'],
      ['last_id', 'main, bounces', 'skipped'],
      ['last_id', 'main, complaints', 'skipped'],
      ['endpoint', 'loop', 'failed'],
      ['endpoint', 'off', 'warning'],
    ])
    expect(textOf(findings, 'queues', 'slow')).toBe(
      'retention: 3600 s, not 1209600 s; visibility time-out: 30 s, not 360 s',
    )
    expect(textOf(findings, 'schedules', 'releaser')).toMatch(
      /^1 endpoint with overdue deliveries, the oldest due /,
    )
    expect(textOf(findings, 'secrets', '')).toBe('2 endpoints can be signed for')
    expect(textOf(findings, 'table', '')).toBe('sources: 1 polled, 1 paused; endpoints: 3')
  })

  test('of npm start’s own source, whose token it can not know, says so and asks nothing', async () => {
    const simulator = await startSimulator()
    await using folder = await holdServices({ src_0123456789abcdef: simulator })
    rmSync(folder.of('secrets/token-src_0123456789abcdef.json'))
    const looked = await folder.bridge('doctor --json')
    expect([looked.code, simulator.requests.length]).toEqual([0, 0])
    const skipped = wrongOf(findingsOf(looked)).filter(([check]) => check === 'secrets' || check === 'token')
    expect(skipped.map(([, , outcome]) => outcome)).toEqual(['skipped', 'skipped', 'skipped'])
    const mends = findingsOf(looked).flatMap(({ check, mend }) => (check === 'secrets' ? [mend] : []))
    expect(mends).toContain(
      'To check it and to audit, keep it here too: bridge source token src_0123456789abcdef.',
    )
  })

  test('tells where there is no bridge, none that runs, or nobody to ask AWS', async () => {
    using folder = temporaryFolder()
    const on = (args: readonly string[], env: Record<string, string> = {}) => runBridgeCommand(args, { env })
    const none = await on(['doctor', '--json', '--data', folder.of('none')])
    expect([none.code, wrongOf(findingsOf(none))]).toEqual([1, [['bridge', '', 'failed']]])
    const add = ['endpoint', 'add', 'https://93.184.215.14/', '--id', 'crm', '--data', folder.of('data')]
    await runBridgeCommand([...add, '--json'])
    await runBridgeCommand(
      ['source', 'add', 'main', '--url', 'http://127.0.0.1:9', '--paused', '--data', folder.of('data')],
      { stdin: 't' },
    )
    const still = await on(['doctor', '--json', '--data', folder.of('data')])
    expect([still.code, wrongOf(findingsOf(still))]).toEqual([1, [['schedules', '', 'failed']]])
    const env = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    }
    const away = await on(['doctor', '--stack', 'x', '--region', 'eu-central-1', '--json'], env)
    expect([away.code, wrongOf(findingsOf(away))]).toEqual([1, [['credentials', '', 'failed']]])
  })
})
