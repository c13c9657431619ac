import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as z from 'zod'
import type { Bench, Figures } from './bench.ts'
import { forkChild } from './children.ts'
import { figuresOf, type SoakSample, type World, worldSchema } from './soak/figures.ts'
import { attachInspector, inspectorFlags } from './soak/inspector.ts'
import { takeSample } from './soak/samples.ts'

/** Long enough for a leak of a kilobyte a record to stand out; an hour says more. */
const minutesDefault = 5
/** To six endpoints: two thirds of a core, bridge and emulators together. */
const recordsPerSecondDefault = 20
/** Code is compiled and caches are filled by then; it is not measured. */
const warmUpMs = 60_000
const sampleEveryMs = 5_000
/** For what is late, or waits for a retry, once no more records come. */
const arrivedWithinMs = 180_000
const lookAgainMs = 500
const minuteMs = 60_000

/** Some five minutes in all, so that no endpoint's deliveries are given up: a dead letter stays in the queue's memory. */
const retrySchedule = '1s,2s,5s,10s,20s,30s,60s,60s,60s,60s'

const readySchema = z.object({
  url: z.string(),
  token: z.string(),
  receivers: z.string(),
  endpoints: z.array(z.string()),
})

/**
 * The local bridge under a steady load, with faults of the service and of the endpoints all along: what grows in its
 * process, and whether every record arrived. Its emulators, which hold all data, are in another process and weighed apart.
 */
export const soak = async (
  minutes: number,
  recordsPerSecond: number = recordsPerSecondDefault,
): Promise<Figures> => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const loadSeconds = warmUpMs / 1_000 + minutes * 60
  const world = forkChild('soak/world-child.ts', [String(recordsPerSecond), String(loadSeconds), secret])
  const folder = mkdtempSync(join(tmpdir(), 'bridge-bench-'))
  try {
    const { url, token, receivers, endpoints } = await world.first(readySchema)
    const emulators = await startInspected('emulators-child.ts', [join(folder, 'emulators')])
    const addresses = await emulators.first(z.json())
    const bridge = await startInspected('catch-up/bridge-child.ts', [
      ...[JSON.stringify(addresses), '--data', join(folder, 'bridge')],
      ...['--source-url', url, '--token', token, '--secret', secret, '--allow-private-endpoints'],
      ...['--start-at', 'earliest', '--include-soft', '--page-size', '1000'],
      ...['--retry-schedule', retrySchedule],
      ...endpoints.flatMap(name => ['--endpoint', `${receivers}/${name}`]),
    ])
    const ask = (): Promise<World> => world.ask(worldSchema)
    const samples: SoakSample[] = []
    await wait(warmUpMs)
    const untilMs = Date.now() + minutes * minuteMs
    while (Date.now() < untilMs) {
      const next = wait(sampleEveryMs)
      samples.push({
        bridge: await bridge.sample(),
        emulators: await emulators.sample(),
        arrived: arrivedOf(await ask()),
      })
      await next
    }
    const end = await allArrived(ask)
    await bridge.end()
    await emulators.end()
    return figuresOf(samples, end)
  } finally {
    world.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

export const soakBench: Bench = {
  name: 'soak',
  about: `${recordsPerSecondDefault} records a second to six endpoints, with faults: what grows in the bridge's process`,
  run: ({ minutes = minutesDefault }) => soak(minutes),
}

const startInspected = async (file: string, args: readonly string[]) => {
  const { port, flags } = await inspectorFlags()
  const child = forkChild(file, args, { nodeFlags: flags })
  const { first, pid } = child
  const inspector = attachInspector(port)
  return {
    first,
    sample: async () => takeSample(pid, await inspector),
    end: async (): Promise<void> => {
      // An inspector that is attached keeps its process from ending.
      const { close } = await inspector
      close()
      child.end()
      await child.exited
    },
  }
}

/** Records that an endpoint which takes everything has got: as many, all but, as the bridge has read. */
const arrivedOf = ({ endpoints }: World): number =>
  Math.max(...Object.values(endpoints).map(({ distinct }) => distinct))

/** Waits until each endpoint has every record: those that fail take each in the end. Says how it stands, if not. */
const allArrived = async (ask: () => Promise<World>): Promise<World> => {
  const untilMs = Date.now() + arrivedWithinMs
  for (;;) {
    const world = await ask()
    const isMissing = Object.values(world.endpoints).some(({ distinct }) => distinct < world.records)
    if (!isMissing || Date.now() > untilMs) return world
    await wait(lookAgainMs)
  }
}
