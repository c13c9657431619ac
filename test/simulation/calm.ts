import { markSettledAfterMs, reconciledAfterMs } from '../../shared/domain/release/due-marks.ts'
import { type StreamName, streamNames } from '../../shared/domain/source.ts'
import { hourMs, minuteMs } from '../../shared/domain/time-units.ts'
import type { Simulation } from './functions/create-world.ts'
import { operate } from './functions/operators.ts'
import type { OperatorKind } from './plan/plan.ts'
import { checkDeliveries, checkNoneDead, checkRedriven } from './rules/end-of-delivery.ts'
import { checkPolling } from './rules/end-of-polling.ts'

/** Steps after the faults stopped; a run that needs more does not come to rest. */
const calmStepsMax = 60_000
const calmPollsMax = 120
/** Longer than any attempt is put off, and shorter than an event lives. */
const calmMsMax = 7 * 24 * hourMs

/**
 * Lets happen what happens next: a run of the releaser where one has something to do, or what is under way. Once every
 * stream is read to its end, what is in no log by then has nothing to send before it expires.
 */
export const advance = async (
  { world, lanes, schedules, endpoints }: Simulation,
  untilMs: number,
  isRead = false,
): Promise<boolean> => {
  const { scheduler } = world
  lanes.lookAgain()
  const releaseMs = schedules.nextReleaseMs(endpoints(), { isRead })
  const nextMs = scheduler.nextAtMs() ?? Number.POSITIVE_INFINITY
  if (Math.min(releaseMs, nextMs) > untilMs) return false
  if (releaseMs <= nextMs) {
    scheduler.turnTo(releaseMs)
    schedules.release()
    return true
  }
  await scheduler.step()
  return true
}

export const isWrong = ({ world }: Simulation): boolean => world.scheduler.violations().length > 0

/** The faults are over: time passes until nothing is left to do, and then everything is where it belongs. */
export const calm = async (simulation: Simulation): Promise<void> => {
  const { world } = simulation
  const { scheduler } = world
  scheduler.note('the faults are over')
  simulation.calm()
  for (const service of world.services.values()) {
    // What is not shown by now never will be.
    for (const stream of streamNames)
      service.forget(stream, ({ visibleAtMs }) => visibleAtMs > service.nowMs())
  }
  await repair(simulation)
  await pollUntilRead(simulation)
  if (isWrong(simulation)) return
  checkPolling(world, simulation.rules)
  await settle(simulation)
  if (isWrong(simulation)) return
  checkDeliveries(world, simulation.endpoints())
  await command(simulation, 'redrive')
  await settle(simulation)
  if (isWrong(simulation)) return
  checkRedriven(world, simulation.endpoints())
  await replayAll(simulation)
  await settle(simulation)
  if (isWrong(simulation)) return
  checkDeliveries(world, simulation.endpoints())
  checkNoneDead(world, simulation.endpoints())
}

/** What an operator does when all is calm: dead letters get another round. */
const command = async (simulation: Simulation, kind: OperatorKind): Promise<void> => {
  let isDone = false
  void operate(simulation.world, kind).then(() => {
    isDone = true
  })
  while (!isDone && !isWrong(simulation)) if (!(await advance(simulation, Number.MAX_SAFE_INTEGER))) break
}

/**
 * Dead letters get another round. A replay that an operator began, and that died, is gone on with: it leaves what was given
 * up since it began, and says that the command, given once more, replays that too.
 */
const replayAll = async (simulation: Simulation): Promise<void> => {
  const goesOn = (await simulation.world.table.plans.read('replay')) !== null
  await command(simulation, 'replay')
  if (goesOn) await command(simulation, 'replay')
}

/** An operator enables what was disabled, and brings back the secrets. */
const repair = async ({ world, endpoints }: Simulation): Promise<void> => {
  const { scheduler, plan } = world
  for (const [name, text] of world.allSecrets) world.secrets.set(name, text)
  if (!plan.isRepaired) return
  for (const { id, state } of endpoints().values()) {
    if (state !== 'disabled') continue
    await world.table.endpoints.setState({ id, state: 'active', reason: null, atMs: scheduler.now() })
  }
}

/**
 * Runs of the poller, each minute, until every stream was read again from its anchor to its end: by a walk that began
 * since. The first one that completes may have begun long before, and kept its place. A rewind that was under way when the
 * faults ended may lower the floor after those walks (seed 3098 of 81a55ec): what it asks for is read by later ones.
 */
const pollUntilRead = async (simulation: Simulation): Promise<void> => {
  const { world, schedules, rules } = simulation
  const { scheduler, plan } = world
  const sinceMs = scheduler.now()
  const walksOf = (sourceId: string, stream: StreamName): number => {
    const commits = rules.commits.filter(
      ({ key, atMs }) =>
        atMs > sinceMs && key.sourceId === sourceId && key.stream === stream && key.name === 'main',
    )
    const sinceRewind = commits.slice(commits.findLastIndex(({ isByOperator }) => isByOperator) + 1)
    return sinceRewind.filter(
      ({ before, after }) => after.lastCompleteWalkAtMs !== (before?.lastCompleteWalkAtMs ?? null),
    ).length
  }
  const isRead = (): boolean =>
    plan.sources.every(({ source }) => streamNames.every(stream => walksOf(source.id, stream) >= 2))
  for (let polls = 0; polls < calmPollsMax; polls += 1) {
    // Each time: a command to pause one may have been under way when the faults ended.
    for (const source of await world.table.sources.list())
      await world.table.sources.put({ ...source, state: 'active' })
    schedules.poll()
    const untilMs = scheduler.now() + minuteMs
    while (!isWrong(simulation) && (await advance(simulation, untilMs))) {
      if (scheduler.steps > calmStepsMax * 2) break
    }
    scheduler.turnTo(untilMs)
    if (isWrong(simulation) || isRead()) return
  }
  scheduler.violate('1: the streams were not read to their ends, though nothing was in the way')
}

const settle = async (simulation: Simulation): Promise<void> => {
  const { scheduler } = simulation.world
  const untilMs = scheduler.now() + calmMsMax
  const stepsMax = scheduler.steps + calmStepsMax
  while (!isWrong(simulation) && (await advance(simulation, untilMs, true))) {
    if (scheduler.steps > stepsMax) return scheduler.violate('10: it does not come to rest')
  }
  if (isWrong(simulation)) return
  // A poll whose time came with the last of these days may have marked what is compared after them (seed 78757).
  const comparedBeforeMs = scheduler.now() - reconciledAfterMs - markSettledAfterMs - hourMs
  const left = [...simulation.world.table.seen.marks.values()].filter(
    ({ hour }) => (hour + 1) * hourMs <= comparedBeforeMs,
  )
  if (left.length > 0) scheduler.violate(`10: reconcile leaves ${left.length} marks`)
}
