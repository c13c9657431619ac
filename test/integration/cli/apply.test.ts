import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { endpointId } from '../../../infra/local/endpoint-id.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn, jsonOf, runBridgeCommand } from './bridge-command.ts'
import { deliveryOf, endpointOf, loggedEvent, openTable, sourceOf } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'

/** A literal address, so that no name has to be resolved. */
const url = 'https://93.184.215.14/hooks'

const file = `# As an operator writes it.
version: 1
sources:
  main:
    url: https://api.example.com
    include-soft: yes
    poll-every: 30
endpoints:
  crm:
    url: ${url}/crm
    types: [email.bounce.*, email.complaint]
    sender-domains: news.example.com
  shop:
    url: ${url}/shop
    sources: [main]
`

const nothing = 'Nothing to change: the bridge is as the file declares it.'

const write = (path: string, text: string): string => {
  writeFileSync(path, text)
  return path
}

describe('bridge apply', () => {
  test('makes what a file declares, and the second time changes nothing', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const path = write(folder.of('bridge.yaml'), file)
    const planned = await bridge(`apply --file ${path} --dry-run`)
    const plan = `+ source main
    url: https://api.example.com
    path-prefix: /api/v2
    auth-scheme: Token
    include-soft: yes
    start-at: latest
    poll-every: 30
    overlap: 120
    requests-per-minute: 60
+ endpoint crm
    url: ${url}/crm
    types: email.bounce.*, email.complaint
    sender-domains: news.example.com
+ endpoint shop
    url: ${url}/shop
    types: *
    sources: main
`
    const dry = `${plan}Nothing was done; it would be 3 added.\n`
    expect(planned).toEqual({ code: 0, stdout: dry, stderr: '' })
    expect(jsonOf(await bridge('source list --json'))).toEqual({ sources: [] })

    const applied = await bridge(`apply -f ${path}`)
    expect([applied.code, applied.stdout]).toEqual([0, `${plan}Done: 3 added.\n`])
    expect(applied.stderr).toBe(
      'The source main has no API token yet: bridge source token main\n' +
        'Signing secrets of new endpoints were not shown: bridge endpoint rotate-secret ID makes and shows one.\n',
    )
    using table = openTable(folder.emulators)
    expect(await table.sources.list()).toEqual([
      { ...sourceOf('main'), includeSoft: true, pollEverySeconds: 30 },
    ])
    const filters = { senderDomains: ['news.example.com'], recipientDomains: null, bounceCategories: null }
    expect(await table.endpoints.list()).toEqual([
      endpointOf('crm', {
        url: `${url}/crm`,
        types: ['email.bounce.*', 'email.complaint'],
        filters: { ...filters, sources: null },
      }),
      endpointOf('shop', {
        url: `${url}/shop`,
        filters: { ...filters, senderDomains: null, sources: ['main'] },
      }),
    ])
    expect(await bridge(`apply --file ${path}`)).toEqual({
      code: 0,
      stdout: `= 3 sources and endpoints as declared\n${nothing}\n`,
      stderr: '',
    })
  })

  test('changes field by field what differs, and leaves token, keys and states as they are', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge('source add main --url https://api.example.com --paused', 'tok-123')
    await bridge(`endpoint add ${url}/crm --id crm --own-secret --disabled`, `whsec_${'A'.repeat(43)}=`)
    using table = openTable(folder.emulators)
    const [before] = await table.endpoints.list()
    const path = write(folder.of('bridge.yaml'), file.split('  shop:')[0] ?? '')
    const applied = await bridge(`apply --file ${path}`)
    expect(applied).toEqual({
      code: 0,
      stdout: `~ source main
    include-soft: no → yes
    poll-every: 5 → 30
~ endpoint crm
    types: * → email.bounce.*, email.complaint
    sender-domains: not set → news.example.com
Done: 2 changed.
`,
      stderr: '',
    })
    expect(await table.sources.list()).toEqual([
      { ...sourceOf('main'), includeSoft: true, pollEverySeconds: 30, state: 'paused' },
    ])
    const [after] = await table.endpoints.list()
    expect([after?.keys, after?.state, after?.stateReason]).toEqual([
      before?.keys,
      'disabled',
      'endpoint_disabled',
    ])
    expect(readFileSync(folder.of('secrets/token-main.json'), 'utf8')).toContain('tok-123')
  })

  test('tells all problems of a file at once, with their lines, and repeats no value', async () => {
    using folder = temporaryFolder()
    const path = write(
      folder.of('bridge.yaml'),
      `version: 1
sources:
  main:
    token: tok-secret
    poll-evry: 5
    overlap: 1.5
endpoints:
  bad id:
    url: ${url}
  crm:
    url: ${url}
    types: [email.bonce]
`,
    )
    const ran = await commandOn(folder.of('data'))(`apply --file ${path}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr.trimEnd().split('\n')).toEqual([
      `bridge: ${path}:3: sources.main.url: is missing`,
      expect.stringMatching(/:4: sources\.main\.token: is no setting here; there are url, path-prefix, /),
      `bridge: ${path}:5: sources.main.poll-evry: is no setting here; is poll-every meant?`,
      `bridge: ${path}:6: sources.main.overlap: must be a whole number from 0 to 86400`,
      expect.stringMatching(/:8: endpoints\.bad id: must be letters, digits, _ and -/),
      expect.stringMatching(/:12: endpoints\.crm\.types: "email\.bonce" is no type of event\./),
    ])
    expect(ran.stderr).not.toContain('tok-secret')
    expect(existsSync(folder.of('data'))).toBe(false)
  })

  test('refuses a plan of which a rule forbids a step, names each, and takes none', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge(`endpoint add ${url}/old --id gone`)
    await bridge('endpoint remove gone --yes')
    await bridge(`endpoint add ${url}/held --id held --disabled`)
    await bridge(`endpoint add ${url}/taken --id other`)
    using table = openTable(folder.emulators)
    const event = loggedEvent({ second: Math.floor(Date.now() / 1_000), uuid: 'u1', endpointIds: ['held'] })
    const held = deliveryOf(event, { endpointId: 'held', state: 'held', dueMs: Date.now() })
    await table.store.write(held, { kind: 'unsettled_before', rank: 9 })
    const path = write(
      folder.of('bridge.yaml'),
      `version: 1
endpoints:
  fine: { url: ${url}/fine }
  gone: { url: ${url}/new }
  inside: { url: https://10.0.0.1/ }
  plain: { url: http://example.com/ }
  twice: { url: ${url}/taken }
  held: { url: ${url}/held, disabled: false }
`,
    )
    const ran = await bridge(`apply --file ${path}`)
    expect([ran.code, ran.stdout]).toEqual([3, ''])
    const subjects = ran.stderr.split('\n').flatMap(line => /^ {2}endpoint (\w+):/.exec(line)?.[1] ?? [])
    expect(subjects).toEqual(['gone', 'inside', 'plain', 'twice', 'held'])
    expect(ran.stderr).toContain('  endpoint held: 1 delivery is held for it\n')
    expect((await table.endpoints.list()).map(({ id }) => id)).toEqual(['gone', 'held', 'other'])

    await bridge('endpoint enable held --drop --yes')
    const laptop = await bridge(`apply --file ${path} --allow-private-endpoints --skip-dns --dry-run --json`)
    expect([laptop.code, laptop.stderr.match(/endpoint (\w+):/g)]).toEqual([
      3,
      ['endpoint gone:', 'endpoint twice:'],
    ])
  })

  test('names what the file has not, and removes it only where it is told to and confirmed', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    await bridge('source add main --url https://api.example.com', 'tok-123')
    await bridge(`endpoint add ${url}/crm --id crm`)
    await bridge(`endpoint add ${url}/old --id old`)
    const path = write(
      folder.of('bridge.yaml'),
      `version: 1\nsources: {}\nendpoints: { crm: { url: "${url}/crm" } }\n`,
    )
    expect((await bridge(`apply --file ${path}`)).stdout).toBe(
      `? source main is not in the file; it stays (--prune removes it)
? endpoint old is not in the file; it stays (--prune removes it)
= 1 source or endpoint as declared
${nothing}
`,
    )
    const active = await bridge(`apply --file ${path} --prune --yes`)
    expect([active.code, active.stderr]).toEqual([
      3,
      "bridge: 1 step of the plan can't be taken\n  source main: it is being polled\n    Pause it first: bridge source pause main.\n  Nothing was done.\n",
    ])
    await bridge('source pause main')
    const unconfirmed = await bridge(`apply --file ${path} --prune`)
    expect([unconfirmed.code, unconfirmed.stdout]).toEqual([
      2,
      '- source main\n- endpoint old\n= 1 source or endpoint as declared\n',
    ])
    const pruned = jsonOf(await bridge(`apply --file ${path} --prune --yes --json`))
    expect(pruned).toEqual({
      dryRun: false,
      sources: [{ id: 'main', step: 'remove' }],
      endpoints: [
        { id: 'crm', step: 'keep' },
        { id: 'old', step: 'remove' },
      ],
      tokensMissing: [],
      authorizationsMissing: [],
    })
    using table = openTable(folder.emulators)
    expect(await table.sources.list()).toEqual([])
    expect((await table.endpoints.list()).map(({ id, state }) => [id, state])).toEqual([
      ['crm', 'active'],
      ['old', 'removed'],
    ])
    expect(existsSync(folder.of('secrets/token-main.json'))).toBe(false)

    // Of endpoints this one says nothing: none is removed.
    const other = write(folder.of('other.yaml'), 'version: 1\nsources: {}\n')
    expect((await bridge(`apply --file ${other} --prune --yes`)).stdout).toBe(`${nothing}\n`)
  })

  test('shows the secrets of new endpoints where it is asked to', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    const path = write(folder.of('bridge.yaml'), file)
    const applied = jsonOf(await bridge(`apply --file ${path} --show-secrets --json`))
    expect(Object.keys(applied.signingSecrets)).toEqual(['crm', 'shop'])
    expect(applied.signingSecrets.crm).toMatch(/^whsec_/)
    expect(applied.signingSecrets.crm).not.toBe(applied.signingSecrets.shop)
  })
})

describe('bridge export', () => {
  test('writes what is there, so that applying it changes nothing, and makes the same elsewhere', async () => {
    await using folder = await holdFolder()
    const { bridge } = folder
    using table = openTable(folder.emulators)
    await table.sources.put({
      ...sourceOf('main'),
      pageSize: 500,
      includeSoft: true,
      startAt: { kind: 'time', second: 1_700_000_000 },
      pollEverySeconds: 0.5,
      authScheme: 'X-API-Key',
      pathPrefix: '',
      state: 'paused',
    })
    const domains = { senderDomains: ['a.example'], recipientDomains: ['bücher.example', 'b.example'] }
    const filters = { ...domains, bounceCategories: ['bad-mailbox'], sources: ['main'] }
    const laptop = 'http://127.0.0.1:3000/'
    const endpoints = [
      endpointOf('crm', { url: `${url}/crm`, filters, state: 'disabled', stateReason: 'answered_410' }),
      endpointOf('own', {
        url: `${url}/crm`,
        keys: [{ version: 2, secret: 'signing-own-2', signsUntilMs: null }],
      }),
      endpointOf('was', { state: 'removed' }),
      endpointOf(endpointId(laptop), { url: laptop, types: ['email.complaint', 'email.bounce.*'] }),
    ]
    for (const endpoint of endpoints) await table.endpoints.put(endpoint)

    const exported = await bridge('export')
    expect([exported.code, exported.stderr]).toEqual([0, ''])
    expect(exported.stdout).not.toMatch(/whsec_|signing-own|token-main/)
    const path = write(folder.of('bridge.yaml'), exported.stdout)
    expect(await bridge(`apply --file ${path}`)).toEqual({
      code: 0,
      stdout: `= 4 sources and endpoints as declared\n${nothing}\n`,
      stderr: '',
    })
    const asJson = write(folder.of('bridge.json'), (await bridge('export --json')).stdout)
    expect((await bridge(`apply --file ${asJson}`)).stdout).toContain(nothing)

    using empty = temporaryFolder()
    const other = commandOn(empty.of('data'))
    const made = await other(`apply --file ${path} --allow-private-endpoints`)
    expect([made.code, made.stderr.split('\n')[0]]).toEqual([
      0,
      'The source main has no API token yet: bridge source token main',
    ])
    expect((await other('export')).stdout.replaceAll(/^ *# Signs with.*\n/gm, '')).toBe(
      exported.stdout.replaceAll(/^ *# Signs with.*\n/gm, ''),
    )
    const piped = await runBridgeCommand(['apply', '-f', '-', '--data', empty.of('data')], {
      stdin: exported.stdout,
    })
    expect(piped.stdout).toContain(nothing)
  })
})
