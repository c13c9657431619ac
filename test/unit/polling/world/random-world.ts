import { budgetOf } from '../../../../shared/domain/polling/budget.ts'
import type { SweepPlan } from '../../../../shared/domain/polling/sweeps.ts'
import { type StartAt, streamNames } from '../../../../shared/domain/source.ts'
import { checkAnchor, checkEnd, mostRequestsAMinute } from './checks.ts'
import { createDice, type Dice } from './dice.ts'
import { noStoreFaults } from './process.ts'
import { noServiceFaults, type Readings } from './service.ts'
import { createWorld, type Put, startSecond, type World } from './world.ts'

/** The real plans, shrunk to worlds of half an hour. */
export const shortSweeps: readonly SweepPlan[] = [
  { name: 'sweep-hour', spanSeconds: 900, everyMs: 120_000 },
  { name: 'sweep-days', spanSeconds: 3_000, everyMs: 400_000 },
]
const historySeconds = 1_500
const endSeconds = 120
/** At the end nothing new comes, so that what a small budget re-reads late is found. */
const quietSeconds = 300
const tiesMax = 30
/** Of what both streams could be asked for in a world's time, each has so much: all of it is read several times. */
const readableShare = 0.015
/** A sweep of pages this small takes longer than a world lasts. */
const sweptPageSizeMin = 20

export type WorldEnd = {
  settings: unknown
  violations: string[]
  duplicates: number
  crashes: number
  overBudget: number
  requestsAtEnd: number
  /** What the pace of both streams makes, and re-reading and sweeps may add, with the pages that one second takes. */
  requestsAtEndMax: number
  lossesAtEnd: number
  virtualSeconds: number
}

/** One world: its readings, records, faults and crashes are a function of the seed. `onEnd` is for looking into one. */
export const runRandomWorld = async (seed: number, onEnd?: (world: World) => void): Promise<WorldEnd> => {
  const dice = createDice(seed)
  const lagSeconds = dice.chance(0.15) ? dice.int(1, 900) : 0
  const readings = throwReadings(dice)
  const overlapSeconds = dice.pick([30, 60, 120])
  const processes = dice.chance(0.2) ? 'alternating' : 'one'
  const source = {
    startAt: throwStart(dice),
    pollEverySeconds: dice.pick([5, 5, 10, 20]),
    overlapSeconds,
    requestsPerMinute: readings.requestsPerMinute,
  }
  const world = createWorld({
    seed,
    readings,
    source,
    processes,
    sweeps: shortSweeps,
    onCommit: (commit, there) => checkAnchor(there, commit, lagSeconds),
  })
  const chaosSeconds = dice.int(120, 600)
  // Where the service's time is not known, or its newest record is far behind it, a record of the future passes for new.
  const timeKnown = readings.date === 'present' || readings.skewMs === 0
  const futures = lagSeconds === 0 && timeKnown && dice.chance(0.3)
  const calmSeconds = 900 + lagSeconds + overlapSeconds
  putRecords(world, dice, { untilSecond: chaosSeconds + calmSeconds, lagSeconds, overlapSeconds, futures })

  const faulty = dice.chance(0.6)
  const crashing = dice.chance(0.5)
  // Pages by number shift where records vanish: what moves to a page that was read is only found by a sweep.
  const forgetful = readings.next === 'cursor' && dice.chance(0.3)
  if (faulty) injectFaults(world, dice)
  let crashes = 0
  while (world.now() < chaosSeconds) {
    if (crashing) world.nextDiesAt = dice.int(1, dice.chance(0.5) ? 40 : 600)
    await world.pass(dice.int(1, 150))
    if (forgetful && dice.chance(0.4)) forgetSome(world, dice)
    if (!crashing) continue
    world.kill()
    crashes += 1
  }
  world.nextDiesAt = null
  world.faults = noStoreFaults
  world.service.faults = noServiceFaults
  await world.pass(calmSeconds + quietSeconds)
  const swept = readings.pageSize >= sweptPageSizeMin
  await checkEnd(world, { lagSeconds, sweptSeconds: swept ? 2_900 : 0, sweptEverySeconds: 700 })

  onEnd?.(world)

  const endedAt = world.now()
  const requests = world.service.requests.length
  const happened = world.happenings.length
  await world.pass(endSeconds)
  await world.stop()
  const losses = world.happenings.slice(happened).filter(({ kind }) => kind === 'anchor_lost')
  // A process that dies or is overtaken hides a little of what it spent, and the share left to others covers it.
  const calm = !crashing && !faulty && processes === 'one'
  const requestsAMinuteMax = calm ? budgetOf(readings.requestsPerMinute) : readings.requestsPerMinute
  const sentAgain = / was sent again though the log holds it$/
  return {
    settings: {
      seed,
      readings,
      source,
      processes,
      lagSeconds,
      chaosSeconds,
      futures,
      faulty,
      crashing,
      forgetful,
    },
    // Two processes may poll at once until the older one sees its lease taken (DESIGN.md, invariant 2).
    violations: world.ledger.violations.filter(text => processes === 'one' || !sentAgain.test(text)),
    duplicates: faulty || crashing || processes === 'alternating' ? 0 : world.ledger.duplicates,
    crashes,
    overBudget: Math.max(0, mostRequestsAMinute(world) - requestsAMinuteMax),
    requestsAtEndMax: requestsAtEndMax(world),
    requestsAtEnd: world.service.requests.length - requests,
    lossesAtEnd: losses.length,
    virtualSeconds: endedAt,
  }
}

const requestsAtEndMax = (world: World): number => {
  const { pollEverySeconds, requestsPerMinute } = world.source
  const polls = streamNames.length * Math.ceil(endSeconds / pollEverySeconds)
  const budget = budgetOf(requestsPerMinute) * (endSeconds / 60)
  const pagesOfOneSecond = 1 + Math.ceil(tiesMax / world.service.readings.pageSize)
  return polls * pagesOfOneSecond + budget / 2
}

const throwReadings = (dice: Dice): Readings => {
  const next = dice.pick(['cursor', 'page'] as const)
  // Where the list loses its head, its pages by number shift too (see `forgetful`); the bridge asks so only within a second.
  const expires = next === 'cursor' && dice.chance(0.35)
  return {
    lastId: dice.pick(['position', 'timelogged']),
    order: dice.chance(0.25) ? 'ignored' : 'honoured',
    next,
    unknownLastId: dice.pick(['422', 'all', 'empty', '500']),
    pageSize: dice.pick([2, 5, 20, 100]),
    timelogged: dice.pick(['seconds', 'milliseconds', 'digits', 'rfc3339']),
    retentionSeconds: expires ? dice.int(200, 2_000) : null,
    date: dice.pick(['present', 'present', 'absent', 'sometimes']),
    skewMs: dice.chance(0.3) ? dice.int(-600_000, 600_000) : 0,
    latencyMsMax: dice.chance(0.5) ? dice.int(10, 2_500) : 0,
    rateLimitHeaders: dice.chance(0.5),
    requestsPerMinute: dice.chance(0.7) ? 60 : 600,
  }
}

const throwStart = (dice: Dice): StartAt => {
  const kind = dice.pick<StartAt['kind']>(['earliest', 'latest', 'time'])
  return kind === 'time' ? { kind, second: startSecond + dice.int(-historySeconds, 300) } : { kind }
}

const putRecords = (
  world: World,
  dice: Dice,
  of: { untilSecond: number; lagSeconds: number; overlapSeconds: number; futures: boolean },
): void => {
  const { requestsPerMinute, pageSize } = world.service.readings
  // What the budget can't read in time is not lost, but late beyond the world's end.
  const countMax = Math.floor((of.untilSecond / 60) * requestsPerMinute * pageSize * readableShare)
  const skewSeconds = Math.ceil(world.service.readings.skewMs / 1000)
  for (const stream of streamNames) {
    const puts: Put[] = []
    const count = Math.min(dice.pick([0, 1, 10, 60, 200]), countMax)
    const ties = dice.pick([1, 1, 3, tiesMax])
    const lateShare = dice.pick([0, 0.1, 0.5])
    const unreadableShare = dice.pick([0, 0, 0.05])
    while (puts.length < count) {
      const at = skewSeconds + dice.int(dice.chance(0.5) ? -historySeconds : 0, of.untilSecond)
      for (let tie = dice.int(1, ties); tie > 0; tie--) {
        const late = dice.chance(lateShare) ? lateness(dice, of.overlapSeconds) : 0
        const early = of.futures && dice.chance(0.05) ? dice.int(1, 400) : 0
        puts.push({
          uuid: `${dice.int(0, 999_999)}-${stream}-${puts.length}`,
          at,
          visibleAt: at + of.lagSeconds + late - early,
          readable: !dice.chance(unreadableShare),
        })
      }
    }
    world.put(stream, ...puts)
  }
}

/** All that it shows, all but the newest, or a few: as after a service's own mishap. */
const forgetSome = (world: World, dice: Dice): void => {
  const nowMs = world.service.nowMs()
  const share = dice.pick([1, 0.5, 0.1])
  const keptSeconds = dice.pick([0, 0, 60, 300])
  for (const stream of streamNames) {
    world.service.forget(
      stream,
      ({ second, visibleAtMs }) =>
        visibleAtMs <= nowMs && second <= nowMs / 1000 - keptSeconds && dice.chance(share),
    )
  }
}

/** Within the overlap, within the reach of the one sweep or the other, or beyond all. */
const lateness = (dice: Dice, overlapSeconds: number): number =>
  dice.pick([dice.int(0, overlapSeconds), overlapSeconds, dice.int(0, 700), dice.int(0, 2_400), 5_000])

const injectFaults = (world: World, dice: Dice): void => {
  const share = (): number => dice.pick([0, 0, 0.02, 0.15])
  world.faults = { fails: share() / 3, replyLost: share() / 3, partFails: share() }
  world.service.faults = {
    serverError: share(),
    timeout: share() / 3,
    garbage: share(),
    rateLimited: share() / 3,
  }
}
