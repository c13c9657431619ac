import { PurgeQueueCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import { type RunningSimulator, startSimulator } from '../../../../infra/simulator/server.ts'
import { createDeliveryStore } from '../../../../shared/adapters/dynamodb/delivery-store.ts'
import { createEndpointStore } from '../../../../shared/adapters/dynamodb/endpoint-store.ts'
import { createEventLog } from '../../../../shared/adapters/dynamodb/event-log.ts'
import { createHeartbeatStore } from '../../../../shared/adapters/dynamodb/heartbeat-store.ts'
import { createReconcileMarks } from '../../../../shared/adapters/dynamodb/reconcile-marks.ts'
import { createSourceStore } from '../../../../shared/adapters/dynamodb/source-store.ts'
import { type Endpoint, endpointDefaults, noFilters } from '../../../../shared/domain/endpoint/endpoint.ts'
import type { EndpointHealth } from '../../../../shared/domain/endpoint/endpoint-health.ts'
import { type Source, sourceDefaults } from '../../../../shared/domain/source.ts'
import { hourMs } from '../../../../shared/domain/time-units.ts'
import { expectedEventId, type Stream } from '../../../e2e/harness/ids.ts'
import { required } from './assembly.ts'
import { derivedSecret, type Hook } from './customers.ts'
import { type Deployment, deploy, type Synthesized } from './deployment.ts'

const sourceId = 'main'
/** More than reconcile leaves to the queues. */
const hoursPassed = 3
/** Requests a minute that no test comes near. */
const noLimit = 100_000

const recordFields = (customer: string, number: number) => ({
  bounce_type: 'h',
  rcpt: `recipient-${number}@inbox.example`,
  orig: `bounces@${customer}.example`,
  dsndiag: 'smtp; 550 5.1.1 no such mailbox',
  bouncecat: 'bad-mailbox',
  header_from: `News <news@${customer}.example>`,
})

/** A deployment with a source that is polled, as an operator sets it up. */
export type World = Deployment & {
  simulator: RunningSimulator
  /** The name of the source's token in Secrets Manager. */
  tokenName: string
  stores: {
    endpoints: ReturnType<typeof createEndpointStore>
    deliveries: ReturnType<typeof createDeliveryStore>
    heartbeats: ReturnType<typeof createHeartbeatStore>
  }
  /** All that must not be told: tokens, keys and what they are derived from. */
  secretsSeen: Set<string>
  /**
   * A customer with an endpoint of its own, for records whose sender has this domain. `ownSecret` is a key under a name
   * of its own in place of a derived one.
   */
  customer(
    id: string,
    of?: { ownSecret?: { name: string; text: string }; settings?: Partial<Endpoint> },
  ): Promise<Hook>
  /**
   * Puts records for that customer into the service's list, the newest of now, the others so far apart; returns the ids
   * of the events that they become, sorted.
   */
  happen(customer: string, stream: Stream, count: number, apartSeconds?: number): string[]
  /** A secret's full name. */
  name(secret: string): string
  /** How the deliveries of these events stand, in their order; null where there is none. */
  stateOf(endpointId: string, eventIds: readonly string[]): Promise<(string | null)[]>
  /** Changes what is known of an endpoint's health, as if it had happened. */
  setHealth(endpointId: string, health: Partial<EndpointHealth>): Promise<void>
  /** Makes these deliveries due now, and ends what their endpoint asked for: in the table, their time has come. */
  letTimePass(endpointId: string, eventIds: readonly string[]): Promise<void>
  /** The queue loses what it holds, and hours go by, until reconcile is to look at these events. */
  loseMessages(queue: string, stream: Stream, eventIds: readonly string[]): Promise<void>
  send(queue: string, body: string): Promise<void>
  /** What a queue holds now, at most ten. */
  bodiesIn(queue: string): Promise<string[]>
}

export const createWorld = async (synthesized: Synthesized): Promise<World> => {
  const deployment = await deploy(synthesized)
  const { emulators, table, functions, customers } = deployment
  const name = (secret: string): string =>
    `${functions.poller.environment.template['SECRET_PREFIX']}${secret}`
  const stored = { client: emulators.document, tableName: table.tableName }
  const token = 'token-of-the-first-day'
  const secretsSeen = new Set([token])
  const simulator = await startSimulator({ token, rateLimit: noLimit })
  const source: Source = {
    id: sourceId,
    ...sourceDefaults,
    baseUrl: simulator.url,
    tokenSecret: `token-${sourceId}`,
    startAt: { kind: 'earliest' },
    requestsPerMinute: noLimit,
  }
  await createSourceStore(stored).put(source)
  emulators.secrets.put(name(source.tokenSecret), token)
  const stores = {
    endpoints: createEndpointStore(stored),
    deliveries: createDeliveryStore(stored),
    heartbeats: createHeartbeatStore({ ...stored, now: Date.now }),
  }
  const { queueUrl } = emulators.where(emulators.endpoints.sqs)
  const log = createEventLog(stored)
  const marks = createReconcileMarks(stored)
  let happened = 0
  const setHealth: World['setHealth'] = async (id, change) => {
    const { health } = required(await stores.endpoints.read(id), 'an endpoint')
    await stores.endpoints.writeHealth(id, { ...health, ...change, version: health.version + 1 })
  }

  return {
    ...deployment,
    simulator,
    tokenName: name(source.tokenSecret),
    stores,
    secretsSeen,
    name,
    customer: async (id, { ownSecret, settings } = {}) => {
      const master = emulators.secrets.current(name('signing-master'))
      const secret = ownSecret?.text ?? derivedSecret(master, id, 1)
      for (const text of [master, secret]) secretsSeen.add(text)
      const hook = customers.hook(id, secret)
      await stores.endpoints.put({
        ...endpointDefaults,
        id,
        url: hook.url,
        types: ['*'],
        filters: { ...noFilters, senderDomains: [`${id}.example`] },
        keys: [{ version: 1, secret: ownSecret?.name ?? null, signsUntilMs: null }],
        ...settings,
      })
      return hook
    },
    happen: (customer, stream, count, apartSeconds = 0) => {
      const nowSecond = Math.floor(Date.now() / 1000)
      const records = Array.from({ length: count }, (_, index) => {
        happened += 1
        const second = nowSecond - index * apartSeconds
        return { uuid: `record-${happened}`, second, fields: recordFields(customer, happened) }
      })
      simulator.add(stream, records)
      return records
        .map(({ uuid, second }) => expectedEventId({ source: sourceId, stream, uuid, second }))
        .sort()
    },
    stateOf: (endpointId, eventIds) =>
      Promise.all(
        eventIds.map(async eventId => (await stores.deliveries.read({ endpointId, eventId }))?.state ?? null),
      ),
    setHealth,
    letTimePass: async (endpointId, eventIds) => {
      const nowMs = Date.now()
      await setHealth(endpointId, { pausedUntilMs: null })
      for (const eventId of eventIds) {
        const delivery = required(await stores.deliveries.read({ endpointId, eventId }), 'a delivery')
        const { writeId } = delivery
        const due = { ...delivery, retryAtMs: nowMs, dueMs: nowMs }
        await stores.deliveries.write(due, { kind: 'unchanged', writeId })
      }
    },
    loseMessages: async (queue, stream, eventIds) => {
      await emulators.sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl(queue) }))
      const logged = await Promise.all(eventIds.map(eventId => log.read({ sourceId, stream, eventId })))
      for (const event of logged.map(event => required(event, 'a logged event'))) {
        if (event.body === null) continue
        const loggedAtMs = event.loggedAtMs - hoursPassed * hourMs
        await log.record([{ ...event, loggedAtMs }])
        const [day] = new Date(event.second * 1000).toISOString().split('T')
        const mark = { sourceId, stream, hour: Math.floor(loggedAtMs / hourMs), day: required(day, 'a day') }
        await marks.lower({ ...mark, lowestId: event.id })
      }
    },
    send: async (queue, body) => {
      await emulators.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: body }))
    },
    bodiesIn: async queue => {
      const receive = new ReceiveMessageCommand({
        QueueUrl: queueUrl(queue),
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 0,
      })
      const answer = await emulators.sqs.send(receive)
      return (answer.Messages ?? []).map(({ Body }) => Body ?? '')
    },
    close: async () => {
      await simulator.close()
      await deployment.close()
    },
  }
}
