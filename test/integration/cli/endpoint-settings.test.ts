import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startCustomer } from '../local/customers.ts'
import { commandOn, jsonOf, runBridgeCommand } from './bridge-command.ts'
import { holdFolder } from './held-folder.ts'

const laptop = '--allow-private-endpoints'
/** A literal address, so that no name has to be resolved. */
const publicUrl = 'https://93.184.215.14/hooks'

const lastLine = (text: string): string | undefined => text.trimEnd().split('\n').at(-1)

describe('bridge endpoint, of how an endpoint is sent to', () => {
  test('add takes headers, limits and a heartbeat; update changes what is given alone, and lifts it', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const flags =
      '--header X-Tenant:acme-1 --header x-b:2 --max-per-second 0.5 --max-in-flight 3 --heartbeat-every 5m'
    expect((await bridge(`endpoint add ${publicUrl} --id crm ${flags}`)).code).toBe(0)
    const shown = async (more = '') => {
      const { limits, headers, authorization, heartbeatEverySeconds } = jsonOf(
        await bridge(`endpoint show crm --json${more}`),
      )
      return { limits, headers, authorization, heartbeatEverySeconds }
    }
    expect(await shown()).toEqual({
      limits: { maxPerSecond: 0.5, maxInFlight: 3 },
      headers: { 'x-tenant': null, 'x-b': null },
      authorization: null,
      heartbeatEverySeconds: 300,
    })
    expect((await shown(' --show-headers')).headers).toEqual({ 'x-tenant': 'acme-1', 'x-b': '2' })

    await bridge('endpoint update crm --header x-b:3 --remove-header X-Tenant --max-in-flight any')
    expect(await shown(' --show-headers')).toEqual({
      limits: { maxPerSecond: 0.5, maxInFlight: null },
      headers: { 'x-b': '3' },
      authorization: null,
      heartbeatEverySeconds: 300,
    })
    await bridge('endpoint update crm --remove-header x-b --max-per-second any --heartbeat-every never')
    expect(await shown()).toEqual({
      limits: { maxPerSecond: null, maxInFlight: null },
      headers: {},
      authorization: null,
      heartbeatEverySeconds: null,
    })
  })

  test('what can not be is refused, all at once, and no value of a header is told', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const wrong = await bridge(
      `endpoint add ${publicUrl} --header host:hunter2 --header hunter2 --header authorization:hunter2 ` +
        '--max-per-second 0 --max-in-flight 1.5 --heartbeat-every 10s',
    )
    expect([wrong.code, wrong.stdout, wrong.stderr.includes('hunter2')]).toEqual([2, '', false])
    const problems = [
      '--header: must be name: value',
      "--header: the header host is the bridge's own",
      '--header: authorization is no header of these: bridge endpoint authorization sets it, as a secret',
      '--max-per-second: must be a number from 0.01 to 10000, or any for no limit',
      '--max-in-flight: must be a whole number from 1 to 10000, or any for no limit',
      '--heartbeat-every: must be a number with its unit, as 500ms, 1s, 5m, 2h or 1d, of 1m to 24h in whole seconds, or never',
    ]
    for (const problem of problems) expect(wrong.stderr).toContain(problem)
    await bridge(`endpoint add ${publicUrl} --id crm`)
    const gone = await bridge('endpoint update crm --remove-header x-none')
    expect([gone.code, gone.stderr]).toEqual([2, 'bridge: --remove-header: there is no header "x-none"\n'])
  })

  test('test sends headers and authorization, and shows neither', async () => {
    await using folder = await holdFolder()
    await using customer = await startCustomer(() => 204)
    const { bridge } = folder
    await bridge(`endpoint add ${customer.url} --id crm --header x-tenant:acme-7781 ${laptop}`)
    await bridge('endpoint authorization crm --basic', 'user:pass-word-1\n')
    const tested = await bridge(`endpoint test crm ${laptop}`)
    expect(tested.code).toBe(0)
    expect(tested.stdout).toContain('\nx-tenant: ***\n')
    expect(tested.stdout).toContain('\nauthorization: Basic ***\n')
    const asJson = await bridge(`endpoint test crm ${laptop} --json`)
    expect(jsonOf(asJson).request.headers).toMatchObject({ 'x-tenant': '***', authorization: 'Basic ***' })
    expect(`${tested.stdout}${asJson.stdout}`).not.toMatch(/acme-7781|pass-word|dXNlcjpw/)
    const basic = `Basic ${Buffer.from('user:pass-word-1').toString('base64')}`
    expect(customer.posts.map(({ headers }) => [headers['x-tenant'], headers['authorization']])).toEqual([
      ['acme-7781', basic],
      ['acme-7781', basic],
    ])
  })
})

describe('a file of declarations', () => {
  test('has what an endpoint is sent, without values and secrets; applied again it changes nothing', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const flags = '--header x-tenant:acme-7781 --max-per-second 20 --max-in-flight 5 --heartbeat-every 5m'
    await bridge(`endpoint add ${publicUrl} --id crm ${flags}`)
    await bridge('endpoint authorization crm --bearer', 'tok-en-1')
    const exported = await bridge('export')
    expect(exported.stdout).not.toMatch(/acme-7781|tok-en-1/)
    expect(exported.stdout).toContain(`    headers:
      x-tenant: null
    authorization: bearer
    max-per-second: 20
    max-in-flight: 5
    heartbeat-every: 300s`)
    const path = folder.of('bridge.yaml')
    for (const text of [exported.stdout, (await bridge('export --show-headers')).stdout]) {
      writeFileSync(path, text)
      const again = await bridge(`apply --file ${path}`)
      expect([again.code, lastLine(again.stdout)]).toEqual([
        0,
        'Nothing to change: the bridge is as the file declares it.',
      ])
    }
    expect(readFileSync(path, 'utf8')).toContain('x-tenant: acme-7781')

    writeFileSync(path, exported.stdout.replace('x-tenant: null', 'x-tenant: acme-9912'))
    const changed = await bridge(`apply --file ${path}`)
    expect(changed.stdout).toContain('    headers: x-tenant (with another value)\n')
    expect(changed.stdout).not.toMatch(/acme/)
    expect(jsonOf(await bridge('endpoint show crm --json --show-headers')).headers).toEqual({
      'x-tenant': 'acme-9912',
    })

    writeFileSync(path, `version: 1\nendpoints:\n  crm: { url: "${publicUrl}" }\n`)
    await bridge(`apply --file ${path}`)
    expect(jsonOf(await bridge('endpoint show crm --json'))).toMatchObject({
      limits: { maxPerSecond: null, maxInFlight: null },
      headers: {},
      authorization: null,
      heartbeatEverySeconds: null,
    })
    expect(existsSync(folder.of('secrets/authorization-crm.json'))).toBe(false)
  })

  test('says where a secret is missing, and can not keep a value that there is not', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const path = folder.of('bridge.yaml')
    writeFileSync(path, `version: 1\nendpoints:\n  crm: { url: "${publicUrl}", authorization: basic }\n`)
    const note = 'The endpoint crm has no basic authorization yet: bridge endpoint authorization crm --basic'
    for (const how of ['--dry-run', '']) {
      const { code, stderr } = await bridge(`apply --file ${path} ${how}`.trim())
      expect([code, stderr.includes(note)]).toEqual([0, true])
    }
    writeFileSync(path, `version: 1\nendpoints:\n  crm: { url: "${publicUrl}", headers: { x-a: null } }\n`)
    const refused = await bridge(`apply --file ${path}`)
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('endpoint crm: there is no value yet of x-a, and the file has none'),
    ])
    writeFileSync(
      path,
      `version: 1\nendpoints:\n  crm:\n    url: "${publicUrl}"\n    headers: { host: hunter2 }\n`,
    )
    const wrong = await runBridgeCommand(['apply', '--file', path, '--data', folder.path])
    expect([wrong.code, wrong.stderr.includes('hunter2')]).toEqual([2, false])
    expect(wrong.stderr).toContain(
      "bridge.yaml:5: endpoints.crm.headers: the header host is the bridge's own",
    )
    expect((await commandOn(folder.path)('endpoint show crm')).code).toBe(0)
  })
})
