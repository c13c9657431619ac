import { streamNames } from '../../shared/domain/source.ts'
import { hourMs } from '../../shared/domain/time-units.ts'
import { createDice } from '../unit/polling/world/dice.ts'
import { advance, calm, isWrong } from './calm.ts'
import type { FaultKind } from './engine/faults.ts'
import { createScheduler, type Scheduler } from './engine/scheduler.ts'
import { createTrace } from './engine/trace.ts'
import { createSimulation, type Simulation } from './functions/create-world.ts'
import { type Mistake, noMistake } from './functions/mistake.ts'
import { operate } from './functions/operators.ts'
import type { PlannedSource } from './plan/draw-source.ts'
import { drawPlan, type Plan } from './plan/plan.ts'
import { startMs } from './plan/start.ts'
import type { DoubleCause } from './rules/story.ts'

export type RunOptions = {
  seed: number
  steps: number
  mistake?: Mistake
  keepsTrace?: boolean
  /** A plan of one's own, made from the seed's. */
  planOf?: (drawn: Plan) => Plan
}

export type RunEnd = {
  seed: number
  steps: number
  virtualMs: number
  violations: readonly string[]
  faults: Readonly<Record<FaultKind, number>>
  doubles: ReadonlyMap<DoubleCause, number>
  events: number
  accepted: number
  /** Of logs and metrics: each was searched. */
  lines: number
  hash: string
  lastLines: string[]
  allLines: string[]
}

/** One run: a bridge, everything that may happen to it, and what of it is wrong. A function of the options alone. */
export const simulate = async (options: RunOptions): Promise<RunEnd> => {
  const dice = createDice(options.seed)
  const drawn = drawPlan(options.seed, dice)
  const plan = options.planOf?.(drawn) ?? drawn
  const trace = createTrace({ keepsAll: options.keepsTrace === true })
  const scheduler = createScheduler({ startMs, dice, trace })
  const { steps } = options
  const simulation = await runPlan(plan, scheduler, { steps, mistake: options.mistake ?? noMistake })
  const { ledger } = simulation.world
  return {
    seed: options.seed,
    steps: scheduler.steps,
    virtualMs: scheduler.now() - startMs,
    violations: scheduler.violations(),
    faults: scheduler.counts,
    doubles: ledger.doubles,
    events: ledger.loggedAt.size,
    accepted: ledger.accepted,
    lines: simulation.world.lines,
    hash: trace.hash(),
    lastLines: trace.last(),
    allLines: options.keepsTrace === true ? trace.all() : [],
  }
}

/** All that a plan has, and then the calm in which everything must come to its place. */
export const runPlan = async (
  plan: Plan,
  scheduler: Scheduler,
  of: { steps: number; mistake: Mistake },
): Promise<Simulation> => {
  const simulation = await createSimulation(plan, scheduler, of.mistake)
  await chaos(simulation, of.steps)
  if (scheduler.violations().length === 0) await calm(simulation)
  return simulation
}

const chaos = async (simulation: Simulation, stepsMax: number): Promise<void> => {
  const { world, schedules } = simulation
  const { scheduler, plan } = world
  for (const atMs of plan.pollerTicksMs) scheduler.at(atMs, 'schedule', 'poller', () => schedules.poll())
  for (const { atMs, kind, target } of plan.operators) {
    scheduler.at(atMs, 'operator', kind, () => void operate(world, kind, target))
  }
  for (const { source, forgets, repages } of plan.sources) {
    const service = world.services.get(source.id)
    if (repages !== null && service !== undefined) {
      scheduler.at(repages.atMs, source.id, 'has other pages', () => {
        service.readings = { ...service.readings, pageSize: repages.pageSize }
      })
    }
    if (forgets === null) continue
    scheduler.at(forgets.atMs, source.id, 'forgets', () => forget(simulation, source.id, forgets))
  }
  for (let atMs = startMs + 12 * hourMs; atMs < plan.chaosEndsAtMs; atMs += 12 * hourMs) {
    scheduler.at(
      atMs,
      'table',
      'TTL',
      () => void world.table.expire(scheduler.now(), () => scheduler.dice.chance(0.3)),
    )
  }
  while (scheduler.steps < stepsMax && !isWrong(simulation)) {
    if (!(await advance(simulation, plan.chaosEndsAtMs))) break
  }
}

const forget = (
  { world }: Simulation,
  sourceId: string,
  { share, only }: NonNullable<PlannedSource['forgets']>,
): void => {
  const service = world.services.get(sourceId)
  if (service === undefined) return
  const nowMs = service.nowMs()
  for (const stream of streamNames) {
    service.forget(
      stream,
      ({ uuid, visibleAtMs }) =>
        visibleAtMs <= nowMs && (only?.includes(uuid) ?? true) && world.scheduler.dice.chance(share),
    )
  }
}
