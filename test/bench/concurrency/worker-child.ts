import * as z from 'zod'
import { chunks, mapBounded } from '../../../shared/adapters/bounded.ts'
import { startBareLoop } from '../dispatch/bare-loop.ts'
import { createBatches, type ToPost } from '../dispatch/bench-batches.ts'
import { benchEndpoints } from '../dispatch/bench-endpoints.ts'
import { noTelemetry, startDispatcher, twinStores } from '../dispatch/dispatchers.ts'

/**
 * The dispatcher on twins and a bare loop, in a process of their own, with so many attempts at a time. Arguments: the
 * endpoint's port, the numbers of attempts, how long each is tried, and how many it could make at most.
 */
const [port, attempts, measuredMs, perSecondMax] = z
  .tuple([
    z.coerce.number(),
    z.string().transform(text => text.split(',').map(Number)),
    z.coerce.number(),
    z.coerce.number(),
  ])
  .parse(process.argv.slice(2))

/** No more than Lambda hands on, and a part of all larger numbers of attempts. */
const batchMax = 10
/** So many deliveries go before, for connections and for the compiler. */
const warmUpDeliveries = 1_500
const warmUpAttempts = 50

const endpoints = benchEndpoints({ count: 1, ports: [port] })
const subjects = {
  bridge: startDispatcher(await twinStores(endpoints), noTelemetry),
  bare: startBareLoop({ eachAnew: false }),
} as const

/** Deliveries a second with so many attempts at a time: in batches of ten, or in one that is smaller. */
const run = async (
  handle: (batch: readonly ToPost[]) => Promise<void>,
  of: { count: number; attemptsAtOnce: number },
): Promise<number> => {
  const size = Math.min(batchMax, of.attemptsAtOnce)
  const batches = chunks(createBatches(of.count, endpoints).flat(), size)
  const startedMs = performance.now()
  await mapBounded(batches, of.attemptsAtOnce / size, handle)
  return of.count / ((performance.now() - startedMs) / 1_000)
}

/** What so many could do in the time, were each attempt no longer than the endpoint takes. */
const countOf = (attemptsAtOnce: number): number =>
  Math.ceil((Math.min(attemptsAtOnce * perSecondMax, 3_000) * measuredMs) / 1_000)

process.on('disconnect', () => process.exit(0))
for (const { handle } of Object.values(subjects)) {
  await run(handle, { count: warmUpDeliveries, attemptsAtOnce: warmUpAttempts })
}
const rows: { attemptsAtOnce: number; bridge: number; bare: number }[] = []
for (const attemptsAtOnce of attempts) {
  const of = { count: countOf(attemptsAtOnce), attemptsAtOnce }
  rows.push({
    attemptsAtOnce,
    bridge: await run(subjects.bridge.handle, of),
    bare: await run(subjects.bare.handle, of),
  })
}
process.send?.(rows)
