import { cpus } from 'node:os'
import * as z from 'zod'
import type { Bench, Figures } from './bench.ts'
import { forkChild } from './children.ts'
import { pinToCore } from './dispatch/one-core.ts'

/** Deliveries of a turn, and turns of each kind; turns before these let the compiler finish. */
const deliveries = 1_000
const repeats = 5
const warmUps = 2
/** What fills a core; beyond it an origin's connections would be the limit (`connectionsPerOriginMax`, 64). */
const batchesToFill = 3

type Spread = { endpoints: number; origins: number; batchesAtOnce: number }
const one = { endpoints: 1, origins: 1 }
const spreads: Readonly<Record<string, Spread>> = {
  '1 endpoint, 1 batch at a time': { ...one, batchesAtOnce: 1 },
  '1 endpoint': { ...one, batchesAtOnce: batchesToFill },
  '100 endpoints, each its origin': { endpoints: 100, origins: 100, batchesAtOnce: batchesToFill },
  '10,000 endpoints, one origin': { endpoints: 10_000, origins: 1, batchesAtOnce: batchesToFill },
  '10,000 endpoints, each its origin': { endpoints: 10_000, origins: 10_000, batchesAtOnce: batchesToFill },
}
/** The dispatcher keeps 256 idle connections, and a process on Lambda has 1,024 file descriptors. */
const originsKeptMax = 256

/** The dispatcher's handler on one core, beside a bare loop of undici that POSTs and signs the same bytes. */
export const dispatchBench: Bench = {
  name: 'dispatch',
  about:
    'deliveries a second and CPU ms a delivery on one core, beside a bare undici loop, in turns; medians',
  run: async () => {
    const rows: [string, Figures][] = []
    for (const [name, spread] of Object.entries(spreads)) rows.push([name, await measure(spread)])
    return Object.fromEntries(rows)
  },
}

const portsSchema = z.array(z.number())
const subjectSchema = z.object({
  perSecond: z.number(),
  cpuMs: z.number(),
  ofBareRate: z.number(),
  ofBareCpu: z.number(),
})
/** A bare loop, the dispatcher on twins, the same with telemetry, and with the SDK's clients. */
const resultSchema = z.tuple([subjectSchema, subjectSchema, subjectSchema, subjectSchema])

const measure = async (spread: Spread): Promise<Figures> => {
  const receivers = forkChild('dispatch/receiver-child.ts', [String(spread.origins)])
  const ports = await receivers.first(portsSchema)
  const endpoints = { count: spread.endpoints, ports }
  const aws = forkChild('dispatch/aws-child.ts', [JSON.stringify(endpoints)])
  const [awsPort] = await aws.first(portsSchema)
  const settings = {
    ...{ endpoints, deliveries, warmUps, repeats, batchesAtOnce: spread.batchesAtOnce },
    aws: `http://127.0.0.1:${awsPort}`,
    eachAnew: spread.origins > originsKeptMax,
  }
  const worker = forkChild('dispatch/worker-child.ts', [JSON.stringify(settings)])
  try {
    await worker.first(z.literal('ready'))
    // What is measured has the first core for itself; all others share what is left.
    const isPinned = pinToCore(worker.pid, 0)
    if (cpus().length > 1) for (const { pid } of [receivers, aws]) pinToCore(pid, 1)
    const [bare, twins, told, sdk] = await worker.ask(resultSchema)
    return {
      'bare /s': bare.perSecond,
      'twins /s': twins.perSecond,
      'SDK /s': sdk.perSecond,
      'bare CPU ms': bare.cpuMs,
      'twins CPU ms': twins.cpuMs,
      'with telemetry': told.cpuMs,
      'SDK CPU ms': sdk.cpuMs,
      'twins ÷ bare, /s': twins.ofBareRate,
      'twins ÷ bare': twins.ofBareCpu,
      'SDK ÷ bare': sdk.ofBareCpu,
      pinned: Number(isPinned),
    }
  } finally {
    for (const child of [worker, aws, receivers]) child.end()
  }
}
