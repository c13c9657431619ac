import type { Bench, Figures } from './bench.ts'
import { forkChild } from './children.ts'
import { fitExponent } from './growth/fit-exponent.ts'
import {
  type Cost,
  costsSchema,
  endpointsAskedMax,
  measureCosts,
  type OperationName,
  operationNames,
} from './growth/measured-costs.ts'
import { callsOnEmulator } from './growth/on-emulator.ts'
import type { Sizes } from './growth/world.ts'

/** What does not grow stays at this. */
const rest: Sizes = { events: 1_000, waiting: 1_000, held: 1_000, endpoints: 10 }
const toAMillion = [1_000, 10_000, 100_000, 1_000_000]
const dimensions: Readonly<Record<string, { of: keyof Sizes; sizes: readonly number[] }>> = {
  'events in the log, each delivered': { of: 'events', sizes: toAMillion },
  'deliveries that wait, of one endpoint': { of: 'waiting', sizes: toAMillion },
  'deliveries that are held, of one endpoint': { of: 'held', sizes: toAMillion },
  endpoints: { of: 'endpoints', sizes: [10, 100, 1_000, 10_000, 100_000, 1_000_000] },
}

/** What each function does, and what the operator's screen does, as what they work on grows. */
export const growthBench: Bench = {
  name: 'growth',
  about:
    'cost at the smallest and the largest size, and the exponent fitted over all sizes (0: constant, 1: linear)',
  run: async () => {
    const tables: [string, Figures][] = []
    // Once before, so that the first size does not pay for the compiler.
    await measureCosts(rest)
    tables.push(['calls, where so many deliveries wait', await confirmed()])
    for (const [name, { of, sizes }] of Object.entries(dimensions)) {
      const costs: { size: number; of: ReadonlyMap<OperationName, Cost> }[] = []
      for (const size of sizes) costs.push({ size, of: await costsAt({ ...rest, [of]: size }) })
      const rows = operationNames.map((operation): [string, Figures] => [
        operation,
        rowOf(
          costs.flatMap(({ size, of: all }) => {
            const cost = all.get(operation)
            return cost === undefined ? [] : [{ size, cost }]
          }),
        ),
      ])
      tables.push([name, Object.fromEntries(rows)])
    }
    return Object.fromEntries(tables)
  },
}

/** Two lists of a million endpoints, with what they are made of, are more than Node's heap is by default. */
const heapMbMax = 12_288

const costsAt = async (sizes: Sizes): Promise<ReadonlyMap<OperationName, Cost>> => {
  if (sizes.endpoints <= endpointsAskedMax) return measureCosts(sizes)
  const nodeFlags = [`--max-old-space-size=${heapMbMax}`]
  const child = forkChild('growth/costs-child.ts', [JSON.stringify(sizes)], { nodeFlags })
  try {
    return new Map(await child.first(costsSchema))
  } finally {
    child.end()
  }
}

/** As many as an emulator takes in seconds. */
const onEmulator = [1_000, 10_000]

/** That the table of this bench is asked as often as an emulator is. */
const confirmed = async (): Promise<Figures> => {
  const rows: [string, Figures][] = []
  for (const waiting of onEmulator) {
    const here = await measureCosts({ ...rest, waiting, held: 0 })
    const there = await callsOnEmulator(waiting)
    rows.push([
      String(waiting),
      {
        release: here.get("releaser's run, 10 due")?.calls ?? 0,
        'on dynalite': there.release,
        backlog: here.get('count of the backlog')?.calls ?? 0,
        'and on dynalite': there.backlog,
      },
    ])
  }
  return Object.fromEntries(rows)
}

const names = { calls: 'calls', items: 'items', kb: 'KB', ms: 'CPU ms' } as const satisfies Record<
  keyof Cost,
  string
>

const exponentShownMin = 0.0005

const rowOf = (costs: readonly { size: number; cost: Cost }[]): Figures => {
  const [first, last] = [costs[0], costs.at(-1)]
  const figures: Record<string, number> = { from: first?.size ?? 0, to: last?.size ?? 0 }
  for (const figure of ['calls', 'items', 'kb', 'ms'] as const) {
    figures[names[figure]] = first?.cost[figure] ?? 0
    figures[`→ ${names[figure]}`] = last?.cost[figure] ?? 0
    const exponent = fitExponent(costs.map(({ size, cost }) => ({ size, cost: cost[figure] })))
    // What costs nothing at any size is constant, and so is what no table would show.
    const isConstant = Number.isNaN(exponent) || Math.abs(exponent) < exponentShownMin
    figures[`${names[figure]} ^`] = isConstant ? 0 : exponent
  }
  return figures
}
