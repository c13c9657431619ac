import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { hostileEndpoints } from '../integration/webhook/hostile-endpoints.ts'
import { startHostile } from '../integration/webhook/hostile-servers.ts'
import type { Bridge } from './harness/bridge.ts'
import { expectExactly } from './harness/checks.ts'
import { expectedEndpointId } from './harness/ids.ts'
import type { Receiver } from './harness/receiver.ts'
import { nowSecond, recordsUntil } from './harness/records.ts'
import { idsOf, newSecret, test, type World } from './harness/world.ts'

/** The bridge trusts it as an operator's own authority would be trusted. */
process.env['NODE_EXTRA_CA_CERTS'] = fileURLToPath(
  new URL('../integration/webhook/tls/test-only.cert.pem', import.meta.url),
)

const records = 2
const attempts = 2
/** So long that a busy machine has sent two events before it is over. */
const deadlineSeconds = 6
const patienceMs = 100_000

/** Names resolve to loopback where they end in `.localhost`; no certificate of ours is for those. */
const reachable = hostileEndpoints.filter(
  ({ outcome, host }) => outcome !== 'tls_name_mismatch' || host !== '127.0.0.1',
)
const usable = reachable.filter(({ name }) => !name.endsWith(', over TLS'))

type Hostile = { name: string; id: string; url: string; secret: string; outcome: string }

const startAll = (world: World): Promise<Hostile[]> =>
  Promise.all(
    usable.map(async endpoint => {
      const server = await startHostile(endpoint)
      world.defer(() => server.close())
      const url = `${endpoint.scheme}://hooks.localhost:${server.port}/hook`
      return {
        name: endpoint.name,
        id: expectedEndpointId(url),
        url,
        secret: newSecret(),
        outcome: endpoint.outcome,
      }
    }),
  )

const startBridge = async (world: World, good: Receiver, hostile: readonly Hostile[]) => {
  const simulator = await world.simulator()
  simulator.add('bounces', recordsUntil(nowSecond() - 100, records))
  const bridge = world.command(
    [
      ...['--source-url', simulator.url, '--start-at', 'earliest', '--poll-every', '0.3', '--overlap', '2'],
      ...['--requests-per-minute', '100000', '--data', await world.dataDir(), '--allow-private-endpoints'],
      ...['--json', '--once', '--deadline', String(deadlineSeconds), '--retry-schedule', '100ms'],
      ...[good, ...hostile].flatMap(({ url, secret }) => ['--endpoint', url, '--secret', secret]),
    ],
    { env: { BRIDGE_API_TOKEN: world.token } },
  )
  return { simulator, bridge }
}

/** What became of an endpoint's deliveries: each with its last status and reason, and how many attempts it took. */
const endsOf = (bridge: Bridge, endpoint: string) =>
  (['delivered', 'dead'] as const).flatMap(kind =>
    bridge
      .of(kind)
      .filter(line => line.endpoint === endpoint)
      .map(({ attempt, status, reason }) => ({ kind, attempt, status, reason })),
  )

const expectedEnd = (outcome: string) => {
  const status = outcome.startsWith('http_') ? Number(outcome.slice(5)) : null
  const delivered = status !== null && status < 300
  return delivered
    ? { kind: 'delivered', attempt: 1, status, reason: null }
    : { kind: 'dead', attempt: attempts, status, reason: outcome }
}

test('endpoints of every hostile kind at once: each reason is told, and a good neighbour has all at once', async ({
  world,
}) => {
  const good = await world.receiver()
  const hostile = await startAll(world)
  const { simulator, bridge } = await startBridge(world, good, hostile)
  const startedAt = performance.now()
  expect(await bridge.ended(patienceMs)).toEqual({ code: 1, signal: null })
  expect(performance.now() - startedAt).toBeLessThan(patienceMs)

  expect(idsOf(simulator)).toHaveLength(records)
  expectExactly(good, idsOf(simulator))
  const told = hostile.map(({ name, id }) => ({ name, ends: endsOf(bridge, id) }))
  expect(told).toEqual(
    hostile.map(({ name, outcome }) => ({
      name,
      ends: Array.from({ length: records }, () => expectedEnd(outcome)),
    })),
  )
  // Before any of the hostile ones has come to its end for the first time.
  const lastGood = Math.max(...good.posts.map(({ atMs }) => atMs))
  const timedOut = bridge.of('waiting').filter(({ reason }) => reason?.endsWith('timeout'))
  expect(lastGood).toBeLessThan(Math.min(...timedOut.map(({ at }) => Date.parse(at))))
})
