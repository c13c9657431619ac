import { existsSync, readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test, vi } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../../infra/simulator/server.ts'
import { type RunningCommand, startCommand } from '../local/commands.ts'
import { type Customer, startCustomer } from '../local/customers.ts'
import { temporaryFolder } from '../local/folders.ts'
import { jsonOf, processOn, type Ran } from './bridge-command.ts'

const laptop = '--allow-private-endpoints'
const patience = { timeout: 45_000, interval: 100 }
/** What a run of the poller has in memory it goes by until the next one begins, within a minute. */
const nextRun = { timeout: 90_000, interval: 100 }

/** `npm start` in a process of its own. */
const startBridge = (of: {
  dataDir: string
  simulator: RunningSimulator
  customer: Customer
  flags?: readonly string[]
}): RunningCommand => {
  const { simulator, customer, dataDir } = of
  const where = ['--source-url', simulator.url, '--endpoint', `${customer.url}/named`, '--data', dataDir]
  const how = ['--poll-every', '0.5', '--overlap', '2', laptop, ...(of.flags ?? [])]
  const env = { BRIDGE_API_TOKEN: simulator.token }
  return startCommand('infra/local/main.ts', [...where, ...how], { env })
}

const idsAt = (customer: Customer, path: string, source?: string): Set<string> =>
  new Set(
    customer.posts
      .filter(post => post.path === path)
      .filter(({ body }) => source === undefined || JSON.parse(body).data.source.id === source)
      .map(({ id }) => id),
  )

/** Records of an hour ago, a second each. */
const recordsOf = (name: string, count: number) => {
  const second = Math.floor(Date.now() / 1_000) - 3_600
  return Array.from({ length: count }, (_, at) => ({ uuid: `${name}-${at}`, second: second + at }))
}

const ofAll = async (bridge: (args: string) => Promise<Ran>) => {
  const { sources } = jsonOf(await bridge('source list --json'))
  const [named] = sources.filter(({ id }: { id: string }) => id.startsWith('src_'))
  return { named: String(named.id), streams: named.streams }
}

describe('a running bridge', { timeout: 240_000 }, () => {
  test('takes up what the command changes, and keeps it at its next start', async () => {
    using folder = temporaryFolder()
    await using customer = await startCustomer()
    await using simulators = new AsyncDisposableStack()
    const [simulator, other] = [
      await startSimulator({ rateLimit: 0 }),
      await startSimulator({ rateLimit: 0 }),
    ]
    simulators.defer(async () => {
      await Promise.all([simulator.close(), other.close()])
    })
    simulator.add('bounces', recordsOf('main', 5))
    other.add('bounces', recordsOf('other', 4))
    other.add('complaints', recordsOf('fbl', 3))
    const bridge = processOn(folder.path)
    let named: string
    {
      await using running = startBridge({ dataDir: folder.path, simulator, customer })
      await running.until(() => running.stdout().includes('Polling'))

      // An endpoint and a source beside those of the flags.
      const added = await bridge(
        `endpoint add ${customer.url}/added --id crm --sources other ${laptop} --json`,
      )
      const secret: string = jsonOf(added).signingSecret
      const pace = '--start-at earliest --poll-every 0.5 --overlap 2'
      expect((await bridge(`source add other --url ${other.url} ${pace}`, other.token)).code).toBe(0)

      // The past that a start at latest left out.
      const started = async () => {
        const { streams } = await ofAll(bridge)
        expect(streams.map((stream: { started: boolean }) => stream.started)).toEqual([true, true])
      }
      await vi.waitFor(started, patience)
      named = (await ofAll(bridge)).named
      const rewind = `source rewind ${named} --to 2h --stream bounces`
      const refused = await bridge(rewind)
      expect([refused.code, refused.stderr]).toEqual([
        3,
        expect.stringMatching(/^bridge: bounces: nothing before 2\S+ \S+Z, the floor, was ever to be sent\n/),
      ])
      expect((await bridge(`${rewind} --lower-floor`)).code).toBe(2)
      // Of the other source it gets everything, at whatever moment that is.
      expect(idsAt(customer, '/named', named).size).toBe(0)
      const moved = jsonOf(await bridge(`${rewind} --lower-floor --yes --json`))
      expect(moved.streams).toMatchObject([{ stream: 'bounces', result: 'rewound', to: null }])
      // All but the newest, whose second was the floor: it counts as sent.
      await vi.waitFor(() => expect(idsAt(customer, '/named', named).size).toBe(4), nextRun)

      await vi.waitFor(() => expect(idsAt(customer, '/added').size).toBe(7), nextRun)
      for (const { path, body, headers } of customer.posts) {
        if (path === '/added') new Webhook(secret).verify(body, headers)
      }
      // What came of the other source went to the endpoint of the flags too, which has no filter.
      await vi.waitFor(() => expect(idsAt(customer, '/named').size).toBe(11), patience)

      await bridge(`source token ${named}`, 'another-token')
      expect(existsSync(folder.of(`secrets/token-${named}.json`))).toBe(true)
      running.child.kill('SIGINT')
      expect(await running.ended).toBe(0)
    }
    const before = jsonOf(await bridge('endpoint list --json')).endpoints
    const [flagged] = before.filter(({ id }: { id: string }) => id !== 'crm')
    const rotated: string = jsonOf(await bridge(`endpoint rotate-secret ${flagged.id} --json`)).signingSecret

    await using again = startBridge({ dataDir: folder.path, simulator, customer })
    await again.until(() => again.stdout().includes('Polling'))
    expect(again.stdout()).not.toContain('Not named now')
    const { endpoints } = jsonOf(await bridge('endpoint list --json'))
    expect(endpoints.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      ['crm', 'active'],
      [flagged.id, 'active'],
    ])
    // The last word counts: the token that this start gave, and the secret that the command made.
    expect(existsSync(folder.of(`secrets/token-${named}.json`))).toBe(false)
    const kept = JSON.parse(readFileSync(folder.of('signing-secrets.json'), 'utf8'))
    expect(kept.endpoints[flagged.id].secret).toBe(rotated)
    const newest = { uuid: 'main-new', second: Math.floor(Date.now() / 1_000) }
    simulator.add('bounces', [newest])
    await vi.waitFor(() => expect(idsAt(customer, '/named').size).toBe(12), patience)
    const post = customer.posts.findLast(({ path }) => path === '/named')
    expect(() => new Webhook(rotated).verify(post?.body ?? '', post?.headers ?? {})).not.toThrow()
  })
})
