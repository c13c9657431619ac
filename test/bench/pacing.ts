import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { releaseEveryMs } from '../../infra/local/schedule.ts'
import { noLimits } from '../../shared/domain/endpoint/endpoint.ts'
import { minuteMs } from '../../shared/domain/time-units.ts'
import type { Bench, Figures } from './bench.ts'
import { forkChild } from './children.ts'
import { createTwinTables } from './isolation/tables.ts'
import { createVirtualClock } from './isolation/virtual-clock.ts'
import { type PacedResult, type PacedSettings, runPaced } from './pacing/paced-run.ts'

const dispatcherCounts = [1, 4, 10] as const
const virtualMs = 5 * minuteMs
const realMs = 30_000

/** Half as much again comes as the limit takes; of attempts at a time, as one that answers in 200 ms takes. */
const kinds = {
  'at most 10 a second': { limits: { ...noLimits, maxPerSecond: 10 }, limit: 10, offeredPerSecond: 15 },
  'at most 5 at a time': { limits: { ...noLimits, maxInFlight: 5 }, limit: 5, offeredPerSecond: 37.5 },
} as const
type Kind = (typeof kinds)[keyof typeof kinds]

/** How near the limits of an endpoint are kept by dispatchers that share nothing but the table, and what that costs. */
export const pacingBench: Bench = {
  name: 'pacing',
  about:
    'an endpoint with a limit, offered half as much again: what it got of 1, 4 and 10 dispatchers at once',
  run: async () => {
    const tables: [string, Figures][] = []
    for (const [name, kind] of Object.entries(kinds)) {
      const rows: [string, Figures][] = []
      for (const dispatchers of dispatcherCounts) {
        const result = await runVirtual(settingsOf(kind, dispatchers, virtualMs))
        rows.push([`model, ${dispatchers} at once`, rowOf(kind, result)])
      }
      for (const dispatchers of dispatcherCounts) {
        const settings = { ...settingsOf(kind, dispatchers, realMs), releaseEveryMs }
        rows.push([`dynalite, ${dispatchers} at once`, rowOf(kind, await runReal(settings))])
      }
      tables.push([name, Object.fromEntries(rows)])
    }
    return Object.fromEntries(tables)
  },
}

const settingsOf = (
  { limits, offeredPerSecond }: Kind,
  dispatchers: number,
  measuredMs: number,
): PacedSettings => ({ limits, offeredPerSecond, dispatchers, measuredMs, releaseEveryMs: minuteMs })

const runVirtual = (settings: PacedSettings): Promise<PacedResult> => {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20, 9, 30))
  const tables = createTwinTables(clock)
  return runPaced({ ...settings, clock, tablesOf: () => tables, runUntil: clock.runUntil })
}

const emulatorsSchema = z.object({ dynamodb: z.object({ endpoint: z.string(), tableName: z.string() }) })
const resultSchema: z.ZodType<PacedResult> = z.object({
  worstSecond: z.number(),
  meanPerSecond: z.number(),
  mostUnderWay: z.number(),
  meanUnderWay: z.number(),
  delivered: z.number(),
  setAside: z.number(),
  calls: z.object({ all: z.number(), pace: z.number() }),
})

const runReal = async (settings: PacedSettings): Promise<PacedResult> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bridge-bench-pacing-'))
  const emulators = forkChild('emulators-child.ts', [dataDir])
  try {
    const { dynamodb } = await emulators.first(emulatorsSchema)
    const args = [dynamodb.endpoint, dynamodb.tableName, JSON.stringify(settings)]
    const dispatchers = forkChild('pacing/dispatchers-child.ts', args)
    const result = await dispatchers.first(resultSchema)
    dispatchers.end()
    return result
  } finally {
    emulators.end()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const rowOf = ({ limits, limit }: Kind, of: PacedResult): Figures => ({
  'worst second': of.worstSecond,
  'mean a second': of.meanPerSecond,
  'most at a time': of.mostUnderWay,
  'mean at a time': of.meanUnderWay,
  'worst ÷ limit': (limits.maxPerSecond === null ? of.mostUnderWay : of.worstSecond) / limit,
  'mean ÷ limit': (limits.maxPerSecond === null ? of.meanUnderWay : of.meanPerSecond) / limit,
  'set aside': of.setAside / (of.setAside + of.delivered),
  'requests a delivery': of.calls.all / of.delivered,
  'of the limit': of.calls.pace / of.delivered,
})
