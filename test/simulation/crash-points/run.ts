import type { CallPoint, Death, Deaths } from '../engine/deaths.ts'
import { createScheduler } from '../engine/scheduler.ts'
import { createTrace } from '../engine/trace.ts'
import type { Simulation } from '../functions/create-world.ts'
import { type Mistake, noMistake } from '../functions/mistake.ts'
import { startMs } from '../plan/start.ts'
import { runPlan } from '../simulate.ts'
import { createEvenDice } from './even-dice.ts'
import { type Measured, measure } from './measure.ts'
import { scenario } from './scenario.ts'

/** Which await it is, counted from 1 over the whole run, and where in it the process dies. */
export type Crash = { at: number; death: Exclude<Death, 'no'> }

/** A call that a process of the scenario makes. */
export type CrashPoint = { at: number; process: string; call: string; isWrite: boolean }

export type CrashRun = {
  /** Those that were reached, in their order. */
  points: CrashPoint[]
  violations: readonly string[]
  lastLines: string[]
  allLines: string[]
  measured: Measured
  simulation: Simulation
}

/** Steps that the scenario takes, many times over: a run that needs more does not come to rest. */
const stepsMax = 20_000

/** One run of the scenario, with one crash or none. */
export const runScenario = async (of: {
  crash: Crash | null
  mistake?: Mistake
  keepsTrace?: boolean
}): Promise<CrashRun> => {
  const points: CrashPoint[] = []
  const trace = createTrace({ keepsAll: of.keepsTrace === true })
  const deaths = createChosenDeath(of.crash, points)
  const scheduler = createScheduler({ startMs, dice: createEvenDice(), trace, deaths })
  const mistake = of.mistake ?? noMistake
  const simulation = await runPlan(scenario, scheduler, { steps: stepsMax, mistake })
  return {
    points,
    violations: scheduler.violations(),
    lastLines: trace.last(),
    allLines: of.keepsTrace === true ? trace.all() : [],
    measured: measure(simulation.world),
    simulation,
  }
}

/** Of what else was under way, nothing is done: it would have been awaited later. */
const createChosenDeath = (crash: Crash | null, points: CrashPoint[]): Deaths => ({
  strike: (process, point) => {
    const at = points.length + 1
    const name = process.task === null ? process.kind : `${process.kind} ${process.task}`
    points.push({ at, process: name, call: callOf(point), isWrite: point.isWrite })
    return at === crash?.at ? crash.death : 'no'
  },
  isDoneAfterDeath: () => false,
})

/** Without how many: `send 3` is `send`. */
const callOf = ({ name }: CallPoint): string => name.replace(/ \d+/, '')
