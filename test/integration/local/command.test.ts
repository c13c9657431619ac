import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { startCommand } from './commands.ts'
import { startCustomer } from './customers.ts'
import { temporaryFolder } from './folders.ts'

const main = 'infra/local/main.ts'

describe('npm start', () => {
  test('with wrong flags it tells all of them on stderr and ends with 2', async () => {
    await using command = startCommand(main, ['--page-size', '0', '--source-url', 'https://api.example.com'])
    expect(await command.ended).toBe(2)
    expect(command.stdout()).toBe('')
    expect(command.stderr().trimEnd().split('\n')).toEqual([
      'feedback-bridge: --page-size: must be a whole number from 1 to 1000',
      'feedback-bridge: --token: is missing; give it, or set BRIDGE_API_TOKEN in the environment',
      'feedback-bridge: --endpoint: is missing; give at least one, as --endpoint https://example.com/webhooks',
    ])
  })

  test('--help is no error', async () => {
    await using command = startCommand(main, ['--help'])
    expect(await command.ended).toBe(0)
    expect([command.stdout().includes('--source-url <URL>'), command.stderr()]).toEqual([true, ''])
  })

  test('without a terminal the demo prints plain lines, and Ctrl-C ends it with a summary and 0', async () => {
    using folder = temporaryFolder()
    await using demo = startCommand(main, [], { cwd: folder.path })
    await demo.until(() => /delivered [1-9]/.test(demo.stdout()))
    demo.child.kill('SIGINT')
    expect(await demo.ended).toBe(0)
    const lines = demo.stdout().trimEnd().split('\n')
    expect(lines.filter(line => line.startsWith('Ran for'))).toHaveLength(1)
    expect(lines.at(-1)).toMatch(/^[1-9]\d* signatures verified, none wrong\.$/)
    expect(demo.stdout()).not.toContain('\u001B')
    expect(demo.stderr()).toBe('')
    expect(existsSync(folder.of('.bridge-demo/running.json'))).toBe(false)
  })

  test('with --json stdout has JSON lines alone, and people read stderr', async () => {
    using folder = temporaryFolder()
    const simulator = await startSimulator({ backlog: 6, rateLimit: 0 })
    await using customer = await startCustomer()
    const flags = [
      '--source-url',
      simulator.url,
      '--endpoint',
      `${customer.url}/hooks`,
      '--data',
      folder.path,
    ]
    const more = ['--start-at', 'earliest', '--allow-private-endpoints', '--once', '--json']
    const env = { BRIDGE_API_TOKEN: simulator.token }
    await using command = startCommand(main, [...flags, ...more], { env })
    const code = await command.ended
    await simulator.close()
    expect(code).toBe(0)
    const lines = command
      .stdout()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const ids = (kind: string) => new Set(lines.filter(line => line.kind === kind).map(line => line.event))
    expect(ids('delivered')).toEqual(new Set(customer.posts.map(post => post.id)))
    expect(ids('enqueued')).toEqual(ids('delivered'))
    const fields = ['at', 'kind', 'event', 'endpoint', 'attempt', 'status', 'reason']
    expect(lines.filter(line => fields.some(field => !(field in line)))).toEqual([])
    expect(command.stderr()).toContain('Polling http://127.0.0.1:')
  })

  test('a data folder that is in use is told, and ends it with 2', async () => {
    using folder = temporaryFolder()
    await using holder = startCommand('test/integration/local/hold-folder.ts', [folder.path])
    await holder.until(() => holder.stdout().includes('ready'))
    const flags = ['--source-url', 'https://api.example.com', '--token', 't', '--data', folder.path]
    await using command = startCommand(main, [...flags, '--endpoint', 'https://example.com/hooks'])
    expect(await command.ended).toBe(2)
    expect(command.stderr().split('\n')[0]).toBe(
      `feedback-bridge: the data folder ${folder.path} is in use by process ${holder.child.pid}`,
    )
  })
})
