import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base } from 'vitest'
import { type RunningSimulator, startSimulator } from '../../../infra/simulator/server.ts'
import type { Intercept, SimulatorSetup } from '../../../infra/simulator/simulator.ts'
import { type Bridge, startBridge } from './bridge.ts'
import { type Change, createChange } from './change.ts'
import { expectedEventId, expectedSourceId, type Stream } from './ids.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** Requests a minute that no test of ours comes near. */
const noLimit = 100_000
const shownChars = 3_000
const mailAddress = /[\w.+-]+@[\w-]+(\.[\w-]+)+/

/** Everything that a test starts; ended with it, also where it fails. */
export type World = {
  change: Change
  token: string
  simulator(setup?: SimulatorSetup): Promise<RunningSimulator>
  receiver(of?: { secret?: string }): Promise<Receiver>
  /** A data folder that is not there yet. */
  dataDir(): Promise<string>
  /** Starts the command with these flags alone. */
  command(
    flags: readonly string[],
    more?: { env?: Record<string, string>; script?: string; cwd?: string },
  ): Bridge
  /** Starts the command against a simulator and receivers, polling fast, from the earliest record. */
  bridge(of: BridgeOf): Bridge
  /** Something to be closed with the world. */
  defer(end: () => Promise<void>): void
}

export type BridgeOf = {
  simulator: RunningSimulator
  receivers: readonly Receiver[]
  dataDir: string
  /** Added to the usual flags, and in place of those of the same name. */
  flags?: Readonly<Record<string, string | true | null>>
}

const createWorld = (): World & { end(): Promise<void>; whole(): string } => {
  const simulators: RunningSimulator[] = []
  const bridges: Bridge[] = []
  const receivers: Receiver[] = []
  const ends: (() => Promise<void>)[] = []
  const token = `token-${randomBytes(12).toString('hex')}`
  const change = createChange(() =>
    [
      ...bridges.map(
        (bridge, at) =>
          `bridge ${at}: exit ${JSON.stringify(bridge.exit())}\n${bridge.stderr().slice(-shownChars)}\n${bridge.stdout().slice(-shownChars)}`,
      ),
      ...receivers.map((receiver, at) => `receiver ${at}: ${receiver.posts.length} POSTs`),
    ].join('\n'),
  )

  const command: World['command'] = (flags, more = {}) => {
    const bridge = startBridge({ flags, change, ...more })
    bridges.push(bridge)
    return bridge
  }
  const end = async (): Promise<void> => {
    await Promise.all(bridges.map(bridge => (bridge.exit() === null ? bridge.kill() : undefined)))
    await Promise.all(receivers.map(receiver => receiver.close()))
    for (const close of ends.reverse()) await close()
    for (const bridge of bridges) assertNoSecrets(bridge, [token, ...receivers.map(({ secret }) => secret)])
    const wrong = receivers.flatMap(receiver => [...receiver.wrong, ...receiver.strays])
    if (wrong.length > 0)
      throw new Error(`receivers were sent what is wrong: ${wrong.slice(0, 5).join('; ')}`)
  }
  return {
    change,
    token,
    simulator: async (setup = {}) => {
      const simulator = await startSimulator({ token, rateLimit: noLimit, ...setup })
      simulators.push(simulator)
      ends.push(() => simulator.close())
      return simulator
    },
    receiver: async (of = {}) => {
      const secret = of.secret ?? newSecret()
      const receiver = await startReceiver({ secret, onChange: change.ring })
      receivers.push(receiver)
      return receiver
    },
    dataDir: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'bridge-e2e-'))
      ends.unshift(() => rm(folder, { recursive: true, force: true }))
      return join(folder, 'data')
    },
    command,
    bridge: of => command(flagsOf(of), { env: { BRIDGE_API_TOKEN: token } }),
    defer: close => {
      ends.push(close)
    },
    end,
    whole: () =>
      [
        ...simulators.flatMap(simulator => simulator.requests.map(request => JSON.stringify(request))),
        ...receivers.flatMap(({ id, posts }) =>
          posts.map(post => `${id} ${post.id} ${post.atMs} ${post.status}`),
        ),
        ...bridges.flatMap(bridge => [JSON.stringify(bridge.exit()), bridge.stdout(), bridge.stderr()]),
      ].join('\n'),
  }
}

/** What a failed test's world has said, for whoever looks into it. */
const keep = async (name: string, text: string): Promise<void> => {
  const path = join(await mkdtemp(join(tmpdir(), 'bridge-e2e-failed-')), 'world.txt')
  await writeFile(path, text)
  console.error(`"${name}" failed: all that was said and asked is in ${path}`)
}

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const flagsOf = ({ simulator, receivers, dataDir, flags = {} }: BridgeOf): string[] => {
  const usual: BridgeOf['flags'] = {
    'source-url': simulator.url,
    'start-at': 'earliest',
    'poll-every': '0.3',
    overlap: '2',
    'requests-per-minute': String(noLimit),
    data: dataDir,
    'allow-private-endpoints': true,
    json: true,
  }
  const each = receivers.flatMap(({ url, secret }) => ['--endpoint', url, '--secret', secret])
  const rest = Object.entries({ ...usual, ...flags }).flatMap(([name, value]) =>
    value === null ? [] : value === true ? [`--${name}`] : [`--${name}`, value],
  )
  return [...each, ...rest]
}

/** Invariant 7 of DESIGN.md, of everything that any bridge of any test has said. */
const assertNoSecrets = (bridge: Bridge, secrets: readonly string[]): void => {
  const said = `${bridge.stdout()}\n${bridge.stderr()}`
  const kinds = secrets.flatMap(secret => [secret, secret.replace(/^whsec_/, '')])
  if (kinds.some(secret => said.includes(secret))) throw new Error('the bridge has told a secret')
  const [address] = mailAddress.exec(said) ?? []
  if (address !== undefined) throw new Error(`the bridge has told a recipient's address: ${address}`)
}

/** A test with a world of its own. */
export const test = base.extend<{ world: World }>({
  world: async ({ task }, use) => {
    const { end, whole, ...world } = createWorld()
    try {
      await use(world)
    } finally {
      await end()
      if ((task.result?.errors ?? []).length > 0) await keep(task.name, whole())
    }
  },
})

/** The ids of the events that a simulator's records become, sorted. */
export const idsOf = (
  simulator: RunningSimulator,
  of: {
    streams?: readonly Stream[]
    includeSoft?: boolean
    only?: (record: { uuid: string; second: number; hard: boolean }) => boolean
  } = {},
): string[] => {
  const { streams = ['bounces', 'complaints'], includeSoft = false, only = () => true } = of
  const source = expectedSourceId(simulator.url, simulator.pathPrefix)
  return streams
    .flatMap(stream =>
      simulator
        .records(stream, { includeSoft })
        .filter(only)
        .map(({ uuid, second }) => expectedEventId({ source, stream, uuid, second })),
    )
    .sort()
}

/** An intercept that tells the world of each request. */
export const watching = (world: World, intercept: Intercept): Intercept => {
  return async (request, answer) => {
    const given = await intercept(request, answer)
    world.change.ring()
    return given
  }
}
