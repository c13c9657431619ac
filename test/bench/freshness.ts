import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, Figures } from './bench.ts'
import { allCases, freshnessGroups, nameOf } from './freshness/freshness-cases.ts'
import { freshnessChart } from './freshness/freshness-chart.ts'
import type { FreshnessFigures } from './freshness/freshness-figures.ts'
import { type FreshnessCase, runFreshness } from './freshness/freshness-run.ts'
import { writePlot } from './plots/write-plot.ts'

/** Bridges side by side begin so much apart, so that their polls do not coincide. */
const startsApartMs = 4_000

/** How old a record is when its event arrives; writes plots/freshness.svg. */
export const freshnessBench: Bench = {
  name: 'freshness',
  about: 'seconds from a record becoming visible to its verified arrival, within 48 requests a minute',
  run: async () => {
    const rows = new Map<string, FreshnessFigures>()
    for (const group of freshnessGroups) {
      for (const [name, row] of await runGroup(group)) rows.set(name, row)
    }
    return freshnessTable(rows)
  },
}

/** Runs cases side by side. */
export const runGroup = (group: readonly FreshnessCase[]): Promise<(readonly [string, FreshnessFigures])[]> =>
  Promise.all(
    group.map(async (one, at) => {
      await wait(at * startsApartMs)
      return [nameOf(one), await runFreshness(one)] as const
    }),
  )

/** The rows in their order; draws the plot. */
export const freshnessTable = (rows: ReadonlyMap<string, FreshnessFigures>): Figures => {
  writePlot({
    ...{ name: 'freshness', bench: 'freshness', chart: freshnessChart(rows) },
    remarks: ['No line: more records than the budget, or the machine, keeps up with.'],
  })
  const entries = allCases.flatMap((one): [string, Figures][] => {
    const row = rows.get(nameOf(one))
    return row === undefined ? [] : [[nameOf(one), row]]
  })
  return Object.fromEntries(entries)
}
