import * as z from 'zod'
import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { percentile } from '../isolation/percentiles.ts'
import { startBareLoop } from './bare-loop.ts'
import { createBatches, type ToPost } from './bench-batches.ts'
import { benchEndpoints, endpointsSchema } from './bench-endpoints.ts'
import { lambdaTelemetry, noTelemetry, sdkStores, startDispatcher, twinStores } from './dispatchers.ts'

/**
 * What is measured, in a process of its own: on being asked it takes turns with a bare loop, the dispatcher on twins and
 * the dispatcher with the SDK's clients, several times. Argument: the settings as JSON.
 */
const settingsSchema = z.object({
  endpoints: endpointsSchema,
  /** Who answers for DynamoDB and SQS. */
  aws: z.url(),
  batchesAtOnce: z.number(),
  /** A connection for each POST, in the bare loop. */
  eachAnew: z.boolean(),
  /** Deliveries of a turn. */
  deliveries: z.number(),
  warmUps: z.number(),
  repeats: z.number(),
})
const [settings] = z
  .tuple([z.string().transform(text => settingsSchema.parse(JSON.parse(text)))])
  .parse(process.argv.slice(2))

type Subject = { handle: (batch: readonly ToPost[]) => Promise<void>; delivered: () => number }
type Turn = { perSecond: number; cpuMs: number }

const endpoints = benchEndpoints(settings.endpoints)
const subjects: readonly Subject[] = [
  startBareLoop(settings),
  startDispatcher(await twinStores(endpoints), noTelemetry),
  startDispatcher(await twinStores(endpoints), lambdaTelemetry()),
  startDispatcher(sdkStores(settings.aws), lambdaTelemetry()),
]

const takeTurn = async (subject: Subject): Promise<Turn> => {
  // The list of endpoints is five seconds old by its next turn: else each turn would pay for a new one.
  for (const batch of createBatches(1, endpoints)) await subject.handle(batch)
  const batches = createBatches(settings.deliveries, endpoints)
  const before = { delivered: subject.delivered(), cpu: process.cpuUsage(), atMs: performance.now() }
  await mapBounded(batches, settings.batchesAtOnce, batch => subject.handle(batch))
  const seconds = (performance.now() - before.atMs) / 1_000
  const { user, system } = process.cpuUsage(before.cpu)
  const delivered = subject.delivered() - before.delivered
  if (delivered !== settings.deliveries) throw new Error(`${delivered} of ${settings.deliveries} arrived`)
  return { perSecond: delivered / seconds, cpuMs: (user + system) / 1_000 / delivered }
}

const round = async (): Promise<Turn[]> => {
  const turns: Turn[] = []
  for (const subject of subjects) turns.push(await takeTurn(subject))
  return turns
}

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5)

/** Of each subject, in their order; the first one is what the others are compared with. */
const measure = async () => {
  for (let at = 0; at < settings.warmUps; at += 1) await round()
  const rounds: Turn[][] = []
  for (let at = 0; at < settings.repeats; at += 1) rounds.push(await round())
  return subjects.map((_, at) => {
    const turns = rounds.flatMap(round => round.slice(at, at + 1))
    // Beside the turn of the same round: what else the machine did then was much the same.
    const besideBare = (of: keyof Turn) =>
      median(turns.map((turn, nth) => turn[of] / (rounds[nth]?.[0]?.[of] ?? Number.NaN)))
    return {
      perSecond: median(turns.map(turn => turn.perSecond)),
      cpuMs: median(turns.map(turn => turn.cpuMs)),
      ofBareRate: besideBare('perSecond'),
      ofBareCpu: 1 / besideBare('cpuMs'),
    }
  })
}

process.on('disconnect', () => process.exit(0))
process.on('message', async () => process.send?.(await measure()))
process.send?.('ready')
