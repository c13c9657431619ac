import { defaultRetrySchedule, type RetrySchedule } from '../../../shared/domain/delivery/retry-policy.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { dayMs, hourMs, minuteMs } from '../../../shared/domain/time-units.ts'
import type { Dice } from '../../unit/polling/world/dice.ts'
import { type FaultKind, type FaultShares, noFaults } from '../engine/faults.ts'
import { drawEndpoint, type PlannedEndpoint } from './draw-endpoint.ts'
import { drawSource, type PlannedSource } from './draw-source.ts'
import { startMs } from './start.ts'

export const operatorKinds = [
  'replay',
  'recover_missing',
  'recover_failed',
  'recover_all',
  'rewind',
  'disable',
  'enable',
  'remove',
  'drop_held',
  'purge',
  'rotate',
  'redrive',
  'empty_lane',
  'empty_lane',
  'forget',
  'lose_secret',
  'return_secret',
  'add',
  'pause',
  'resume',
  'retry_quarantined',
] as const
export type OperatorKind = (typeof operatorKinds)[number]

/** What a command is about, where it is said; else the dice pick. */
export type OperatorTarget = {
  endpointId?: string
  stream?: StreamName
  /** Of a rewind: how far back. */
  secondsBack?: number
  /** Of a rewind: whether what a start at the latest record left out is asked for too. */
  lowerFloor?: boolean
  /** Of a forgetting: whom. */
  address?: string
}
export type PlannedCommand = { atMs: number; kind: OperatorKind; target?: OperatorTarget }

/** What a run will be like: a function of its seed. */
export type Plan = {
  seed: number
  sources: PlannedSource[]
  endpoints: PlannedEndpoint[]
  faults: FaultShares
  /** The usual one, or one that gives up within the hour. */
  schedule: RetrySchedule
  /** Until then everything may go wrong. */
  chaosEndsAtMs: number
  pollerTicksMs: number[]
  operators: PlannedCommand[]
  /** When the schedule's next tick comes to a poller that died; null: at the next of these. */
  tickAfterDeathMs: number | null
  /** Whether an operator whose command died gives it once more. */
  repeatsCommands: boolean
  /** What an operator adds, one after the other. */
  addable: PlannedEndpoint[]
  /** Until then the queue refuses what it is said to refuse. */
  refusesUntilMs: number
  /** Whether the end finds disabled endpoints enabled. */
  isRepaired: boolean
}

export const drawPlan = (seed: number, dice: Dice): Plan => {
  const chaosMs = dice.pick([20 * minuteMs, hourMs, 8 * hourMs, 2 * dayMs, 5 * dayMs, 40 * dayMs])
  const chaosEndsAtMs = startMs + chaosMs
  const pollerTicksMs = drawTicks(dice, chaosMs)
  const sourceCount = dice.chance(0.25) ? 2 : 1
  const ids = ['main', 'other'].slice(0, sourceCount)
  const sources = ids.map(id => drawSource(id, dice, { chaosEndsAtMs, pollerTicksMs }))
  const endpointCount = dice.int(1, 4)
  const endpoints = Array.from({ length: endpointCount }, (_, at) => drawEndpoint(at, dice, { chaosMs }))
  return {
    seed,
    sources,
    endpoints,
    addable: [0, 1].map(at => drawEndpoint(endpointCount + at, dice, { chaosMs })),
    repeatsCommands: dice.chance(0.5),
    tickAfterDeathMs: null,
    refusesUntilMs: startMs + dice.int(0, chaosMs),
    faults: drawFaults(dice),
    schedule: dice.chance(0.5) ? defaultRetrySchedule : shortSchedule,
    chaosEndsAtMs,
    pollerTicksMs,
    operators: drawOperators(dice, { chaosMs }),
    isRepaired: dice.chance(0.8),
  }
}

/** Runs of the poller come in bursts, as if its schedule had been off in between: what is due is found at the next one. */
const drawTicks = (dice: Dice, chaosMs: number): number[] => {
  // Every sixth or so begins with runs that follow close on one another: what finding the start may meet.
  const isDense = dice.chance(0.15)
  // EventBridge Scheduler invokes at least once (its User Guide, "What is Amazon EventBridge Scheduler?").
  const twiceShare = dice.pick([0, 0, 0, 0.3])
  const bursts = dice.int(2, 5)
  const ticks: number[] = []
  for (let burst = 0; burst < bursts; burst += 1) {
    const from = startMs + Math.floor((chaosMs * burst) / bursts) + dice.int(0, minuteMs)
    const count = dice.int(2, 6)
    const everyMs = isDense ? dice.int(5_000, 60_000) : dice.pick([minuteMs, minuteMs, 5 * minuteMs])
    for (let at = 0; at < count; at += 1) {
      const atMs = from + at * everyMs
      ticks.push(atMs)
      if (dice.chance(twiceShare)) ticks.push(atMs + dice.int(0, twiceMsMax))
    }
  }
  return ticks.filter(at => at < startMs + chaosMs)
}

const drawOperators = (dice: Dice, { chaosMs }: { chaosMs: number }): Plan['operators'] => {
  const count = dice.chance(0.4) ? 0 : dice.int(1, 8)
  return Array.from({ length: count }, () => ({
    atMs: startMs + dice.int(0, chaosMs),
    kind: dice.pick(operatorKinds),
  })).sort((one, other) => one.atMs - other.atMs)
}

/** Between a tick and its second coming. */
const twiceMsMax = 3_000

const shortSchedule: RetrySchedule = [5_000, 5 * minuteMs, 20 * minuteMs]

/** Many runs have a few kinds of trouble only: what one kind alone can break shows there. */
const drawFaults = (dice: Dice): FaultShares => {
  const isFaultless = dice.chance(0.1)
  const density = dice.pick([0.15, 0.4, 0.8])
  const faults: Record<FaultKind, number> = { ...noFaults }
  const struck: readonly [FaultKind, number][] = [
    ['call_failed', 0.03],
    ['reply_lost', 0.03],
    ['call_repeated', 0.04],
    ['died', 0.012],
    ['frozen', 0.008],
    ['part_failed', 0.1],
    ['stale', 0.15],
    ['slow', 0.05],
    ['handed_twice', 0.06],
    ['message_late', 0.04],
    ['delete_failed', 0.05],
    ['answer_lost', 0.08],
  ]
  for (const [kind, share] of struck) {
    const isDrawn = dice.chance(density)
    const strength = dice.pick([0.3, 1, 2])
    if (isDrawn && !isFaultless) faults[kind] = share * strength
  }
  return faults
}
