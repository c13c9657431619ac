import { Webhook } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { localClientSettings } from '../../../infra/local/client-settings.ts'
import { readRunning } from '../../../infra/local/running-file.ts'
import type { BridgeSettings } from '../../../infra/local/settings.ts'
import { startBridge } from '../../../infra/local/start-bridge.ts'
import { startSimulator } from '../../../infra/simulator/server.ts'
import { createDocumentClient } from '../../../shared/adapters/dynamodb/document-client.ts'
import { createEndpointStore } from '../../../shared/adapters/dynamodb/endpoint-store.ts'
import { eventSchemas } from '../../../shared/domain/event/event-schemas.ts'
import { eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { sourceDefaults } from '../../../shared/domain/source.ts'
import { startCustomer } from './customers.ts'
import { temporaryFolder } from './folders.ts'

const backlog = 5
const secret = `whsec_${Buffer.alloc(32, 4).toString('base64')}`
/** A minute at the least for customers; nothing in the bridge waits for that. */
const everySeconds = 1
const waitMs = 20_000

const settingsOf = (
  simulator: { url: string; token: string },
  dataDir: string,
  url: string,
): BridgeSettings => ({
  source: {
    ...sourceDefaults,
    baseUrl: simulator.url,
    startAt: { kind: 'earliest' },
    pollEverySeconds: 0.2,
    requestsPerMinute: 100_000,
  },
  token: simulator.token,
  endpoints: [{ url, secret, types: ['email.*'] }],
  retrySchedule: [500],
  deadlineMs: 5_000,
  dataDir,
  allowPrivate: true,
  once: false,
})

/** What the operator's command does, but for its lowest interval. */
const askForHeartbeats = async (dataDir: string): Promise<void> => {
  const running = readRunning(dataDir)
  if (running === null) throw new Error('the bridge does not run')
  const { endpoint, tableName } = running.dynamodb
  const client = createDocumentClient({ ...localClientSettings, endpoint })
  const store = createEndpointStore({ client, tableName })
  for (const one of await store.list()) await store.put({ ...one, heartbeatEverySeconds: everySeconds })
  client.destroy()
}

test('a local bridge sends signed heartbeats at their interval, whatever types are asked for, until it stops', async () => {
  using folder = temporaryFolder()
  const simulator = await startSimulator({ backlog, rateLimit: 0 })
  await using customer = await startCustomer()
  const happenings: Happening[] = []
  const bridge = await startBridge(settingsOf(simulator, folder.path, `${customer.url}/hooks`), {
    reporter: { report: happening => happenings.push(happening) },
    heartbeatsEveryMs: 100,
  })
  const told = (kind: Happening['kind']) => happenings.filter(one => one.kind === kind)
  const beats = () =>
    customer.posts
      .map(({ body, headers }) => new Webhook(secret).verify(body, headers))
      .flatMap(event => eventSchemas['webhook.heartbeat'].safeParse(event).data ?? [])
  try {
    await vi.waitFor(() => expect(told('delivered')).toHaveLength(backlog), { timeout: waitMs })
    expect(beats()).toEqual([])
    await askForHeartbeats(folder.path)
    await vi.waitFor(() => expect(beats().length).toBeGreaterThanOrEqual(4), { timeout: waitMs })
  } finally {
    await bridge.stop()
    await simulator.close()
  }
  const seconds = beats().map(({ id }) => eventSecond(id))
  expect(seconds).toEqual(seconds.map((_, at) => (seconds[0] ?? 0) + at * everySeconds))
  const [first, second] = beats()
  expect([first?.data.since, second?.data.since]).toEqual([null, first?.timestamp])
  expect(second?.data).toMatchObject({ interval_seconds: everySeconds, failed: 0 })
  const walks = second?.data.sources.flatMap(({ streams }) => streams) ?? []
  expect(walks.map(({ last_complete_walk }) => last_complete_walk === null)).toEqual([false, false])
  // Each was tried once, and nothing of them is kept as of a delivery.
  expect(told('heartbeat')).toHaveLength(beats().length)
  expect(told('fault')).toEqual([])
  expect(told('attempt')).toHaveLength(backlog)
})
