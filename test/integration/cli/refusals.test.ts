import { expect, test } from 'vitest'
import { runBridgeCommand } from './bridge-command.ts'
import { deliveryOf, endpointOf, loggedEvent } from './filled-table.ts'
import { holdFolder } from './held-folder.ts'
import { holdAll, laptop, nowSecond, runOn, token } from './something-of-everything.ts'

test('a list of nothing is a document, too; what is not there is told on stderr alone, and ends with 1', {
  timeout: 60_000,
}, async () => {
  await using folder = await holdFolder()
  const none = loggedEvent({ second: nowSecond, uuid: 'none' }).id
  for (const line of [
    'status',
    'source list',
    'endpoint list',
    'events list',
    'deliveries list',
    'quarantine list',
    'dlq list',
    'dlq list --unreadable',
    'export',
    'audit --since 2h',
  ]) {
    const { code, stdout, stderr } = await runOn(folder.path, `${line} --json`)
    expect([line, code, stderr, typeof JSON.parse(stdout)]).toEqual([line, 0, '', 'object'])
  }
  const missing = [
    'source show nobody',
    'endpoint show nobody',
    `events show ${none}`,
    `deliveries show ${none} nobody`,
    'quarantine show 0a1b2c3d',
    `dlq show ${none}`,
    'audit --since 2h --source nobody',
    'recover --endpoint nobody --since 2h --dry-run',
  ]
  for (const line of missing) {
    const { code, stdout, stderr } = await runOn(folder.path, `${line} --json`)
    // What is wrong, and what to do.
    expect([line, code, stdout, stderr.split('\n').length]).toEqual([line, 1, '', 3])
  }
})

test('what a rule refuses ends with 3, says which, and changes nothing', { timeout: 60_000 }, async () => {
  await using world = await holdAll()
  const { table, ids } = world
  await table.endpoints.put(endpointOf('crm', { url: `${world.customer.url}/crm` }))
  await table.endpoints.put(endpointOf('gone', { state: 'removed', url: 'https://93.184.215.14/gone' }))
  await table.endpoints.put(endpointOf('off', { state: 'disabled', url: 'https://93.184.215.14/off' }))
  const held = loggedEvent({ second: nowSecond - 60, uuid: 'held' })
  await table.log.record([held])
  const waits = {
    endpointId: 'off',
    state: 'held',
    reason: 'endpoint_disabled',
    dueMs: nowSecond * 1_000,
  } as const
  await table.store.write(deliveryOf(held, waits), { kind: 'unsettled_before', rank: 99 })
  const before = (await world.run('export --json')).stdout
  const refused: [string, string][] = [
    ['source add main --url http://127.0.0.1:9', 'source "main"'],
    ['source rewind main --to 40d', 'remembers'],
    [`endpoint add ${world.customer.url}/else --id crm ${laptop}`, 'crm'],
    [`endpoint add ${world.customer.url}/crm --id other ${laptop}`, 'crm'],
    ['endpoint add https://127.0.0.1/hooks --id other', '127.0.0.1'],
    ['endpoint enable gone', 'gone'],
    ['endpoint rotate-secret gone', 'gone'],
    ['recover --endpoint gone --since 2h', 'gone'],
    ['dlq replay --endpoint gone', 'gone'],
    ['audit --since 40d', 'remembers'],
    [`deliveries retry ${held.id} off`, 'held'],
  ]
  for (const [line, named] of refused) {
    const { code, stdout, stderr } = await world.run(line, token)
    expect([line, code, stdout, stderr]).toEqual([line, 3, '', expect.stringContaining(named)])
    // What is refused, and what to do instead.
    expect([line, stderr.trimEnd().split('\n').length]).toEqual([line, 2])
  }
  expect((await world.run('export --json')).stdout).toBe(before)
  expect((await table.store.read({ endpointId: 'off', eventId: held.id }))?.state).toBe('held')
  expect((await table.store.read({ endpointId: 'crm', eventId: ids.dead }))?.state).toBe('dead')
})

test.each([{ TERM: 'xterm-256color' }, { NO_COLOR: '1', FORCE_COLOR: '1' }])(
  'what is piped has no escape codes: %o',
  async env => {
    await using folder = await holdFolder()
    for (const line of ['status', 'doctor', 'dlq replay --help', 'source list --nope']) {
      const { stdout, stderr } = await runBridgeCommand([...line.split(' '), '--data', folder.path], { env })
      expect([line, `${stdout}${stderr}`.includes('\u001b'), `${stdout}${stderr}`.length > 20]).toEqual([
        line,
        false,
        true,
      ])
    }
  },
)
