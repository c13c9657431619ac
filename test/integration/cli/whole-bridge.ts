import { Webhook } from 'standardwebhooks'
import { type RunningSimulator, startSimulator } from '../../../infra/simulator/server.ts'
import { expectedEndpointId, expectedEventId, expectedSourceId, type Stream } from '../../e2e/harness/ids.ts'
import { startCommand } from '../local/commands.ts'
import { type Customer, type Post, startCustomer } from '../local/customers.ts'
import { temporaryFolder } from '../local/folders.ts'
import { commandOn } from './bridge-command.ts'

export const laptop = '--allow-private-endpoints'
/** Of what is waited for while the machine is busy. The local releaser looks every 15 s. */
export const patience = { timeout: 90_000, interval: 100 }

export const givenSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** Records of an hour ago, a second each. */
export const recordsOf = (name: string, count: number) => {
  const second = Math.floor(Date.now() / 1_000) - 3_600
  return Array.from({ length: count }, (_, at) => ({ uuid: `${name}-${at}`, second: second + at }))
}

/**
 * A service and a customer, and `npm start` between them in a process of its own once it is started: all on loopback, with
 * the operator's command beside it.
 */
export const holdWhole = async (answer: (post: Post) => number) => {
  await using opening = new AsyncDisposableStack()
  const folder = opening.use(temporaryFolder())
  const simulator = await startSimulator({ rateLimit: 0 })
  opening.defer(() => simulator.close())
  const customer = opening.use(await startCustomer(answer))
  const named = `${customer.url}/named`
  const disposables = opening.move()
  return {
    simulator,
    customer,
    bridge: commandOn(folder.path),
    namedId: expectedEndpointId(named),
    sourceId: expectedSourceId(simulator.url, simulator.pathPrefix),
    /** Says how to stop it again, as Ctrl-C does. */
    start: async (retrySchedule: string): Promise<() => Promise<unknown>> => {
      const where = ['--source-url', simulator.url, '--endpoint', named, '--data', folder.path]
      const how = ['--poll-every', '0.5', '--overlap', '2', '--start-at', 'earliest', laptop]
      const running = startCommand(
        'infra/local/main.ts',
        [...where, ...how, '--secret', givenSecret, '--retry-schedule', retrySchedule],
        { env: { BRIDGE_API_TOKEN: simulator.token } },
      )
      disposables.use(running)
      await running.until(() => running.stdout().includes('Polling'))
      return () => {
        running.child.kill('SIGINT')
        return running.ended
      }
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

/** The ids of the events of all records of the service, by what DESIGN.md says of them, sorted. */
export const idsOf = (simulator: RunningSimulator): string[] => {
  const source = expectedSourceId(simulator.url, simulator.pathPrefix)
  const streams: readonly Stream[] = ['bounces', 'complaints']
  return streams
    .flatMap(stream =>
      simulator.records(stream).map(({ uuid, second }) => expectedEventId({ source, stream, uuid, second })),
    )
    .toSorted()
}

/** The ids that were POSTed there, sorted; one that came twice stands twice. */
export const idsAt = (posts: readonly Post[], path: string): string[] =>
  posts
    .filter(post => post.path === path)
    .map(({ id }) => id)
    .toSorted()

/** Throws where a signature is wrong, or the body is of another event than its header says. */
export const verifyAll = (customer: Customer, secrets: Readonly<Record<string, string>>): void => {
  for (const { path, id, body, headers } of customer.posts) {
    const secret = secrets[path]
    if (secret === undefined) throw new Error(`nobody knows ${path}`)
    new Webhook(secret).verify(body, headers)
    if (JSON.parse(body).id !== id) throw new Error(`the body of ${id} is of another event`)
  }
}
