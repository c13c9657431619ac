import { expect, test } from 'vitest'
import { runBridge } from '../../../infra/local/run-bridge.ts'
import type { BridgeSettings } from '../../../infra/local/settings.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { startCustomer } from '../local/customers.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn, jsonOf } from './bridge-command.ts'

const address = 'jo@example.com'
const nobody = 'an@example.com'

/** One pass of a bridge over all that there is: polled, delivered, and ended. */
const runOnce = async (settings: BridgeSettings): Promise<Happening[]> => {
  const happenings: Happening[] = []
  const output = {
    tell: () => undefined,
    warn: () => undefined,
    reporter: { report: (happening: Happening) => void happenings.push(happening) },
    admission: () => Promise.resolve(),
  }
  await runBridge(settings, { signal: new AbortController().signal, output })
  return happenings
}

const knownIn = (happenings: readonly Happening[]): number =>
  happenings.reduce((sum, happening) => sum + (happening.kind === 'poll' ? happening.known : 0), 0)

test('a forgotten recipient’s records are read again and not sent again, whether they were delivered or not', async () => {
  using folder = temporaryFolder()
  await using closing = new AsyncDisposableStack()
  const simulator = await startSimulator({ rateLimit: 0 })
  closing.defer(() => simulator.close())
  const second = Math.floor(Date.now() / 1_000) - 3_600
  const records = [address, nobody, address.toUpperCase(), nobody].map((rcpt, at) => ({
    uuid: `record-${at}`,
    second: second + at,
    fields: { bounce_type: 'h', rcpt },
  }))
  simulator.add('bounces', records)
  // One of the recipient's events is delivered, the other becomes a dead letter.
  await using customer = await startCustomer(({ body }) => (body.includes(address.toUpperCase()) ? 500 : 200))
  const settings: BridgeSettings = {
    source: {
      ...sourceDefaults,
      baseUrl: simulator.url,
      startAt: { kind: 'earliest' },
      pollEverySeconds: 0.2,
      requestsPerMinute: 100_000,
    },
    token: simulator.token,
    endpoints: [{ url: `${customer.url}/hooks`, secret: null, types: ['*'] }],
    retrySchedule: [200],
    deadlineMs: 5_000,
    dataDir: folder.path,
    allowPrivate: true,
    once: true,
  }
  await runOnce(settings)
  expect(new Set(customer.posts.map(({ id }) => id)).size).toBe(records.length)
  const posts = customer.posts.length

  const bridge = commandOn(folder.path)
  const forgotten = jsonOf(await bridge(`forget --recipient ${address} --yes --json`))
  expect(forgotten).toMatchObject({ events: 2, deliveries: { delivered: 1, dead: 1, queued: 0 } })
  const [source] = jsonOf(await bridge('source list --json')).sources
  expect((await bridge(`source rewind ${source.id} --to 3h --yes`)).code).toBe(0)

  const happenings = await runOnce(settings)
  expect(knownIn(happenings)).toBeGreaterThanOrEqual(records.length)
  expect(happenings.filter(({ kind }) => kind === 'enqueued' || kind === 'attempt')).toEqual([])
  expect(customer.posts).toHaveLength(posts)
  expect(jsonOf(await bridge('events list --json')).events).toHaveLength(records.length)
  expect((await bridge('events export')).stdout).not.toContain(address)
}, 40_000)
