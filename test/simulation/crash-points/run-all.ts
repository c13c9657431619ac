import type { Mistake } from '../functions/mistake.ts'
import { type Cost, costOf, differencesOf } from './cost.ts'
import { type Crash, type CrashPoint, type CrashRun, runScenario } from './run.ts'

/** What came of one crash. */
export type Crashed = {
  crash: Crash
  point: CrashPoint
  cost: Cost
  /** Null where all is as it must be. */
  failure: { violation: string; lastLines: string[] } | null
}

/** Every crash that the scenario can have: before each call, and after each that changes something. */
export const crashesOf = (points: readonly CrashPoint[]): Crash[] =>
  points.flatMap(({ at, isWrite }): Crash[] => [
    { at, death: 'before' },
    ...(isWrite ? [{ at, death: 'after' } as const] : []),
  ])

/** One crash, and what it cost against the run without it. */
export const runCrash = async (crash: Crash, usual: CrashRun, mistake?: Mistake): Promise<Crashed> => {
  const run = await runScenario({ crash, ...(mistake && { mistake }) })
  const point = run.points[crash.at - 1] ?? { at: crash.at, process: '-', call: '-', isWrite: false }
  const [differs] = differencesOf(run.measured, usual.measured)
  const [broken] = run.violations
  const violation = broken ?? differs
  const failure = violation === undefined ? null : { violation, lastLines: run.lastLines }
  return { crash, point, cost: costOf(run.measured, usual.measured), failure }
}
