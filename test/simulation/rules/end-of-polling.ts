import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import type { World } from '../functions/world.ts'
import type { PlannedSource } from '../plan/draw-source.ts'
import { nameOfDelivery } from '../twins/table.ts'
import { type Commit, type CursorRules, idOf, isBeyondMemory, isExpired, isInTime } from './cursor-rules.ts'

type Swept = { fromSecond: number; toSecond: number; beganMs: number }

/** The sweeps of a stream that were completed, with the service's time at which each began. */
const completedSweeps = (
  commits: readonly Commit[],
  of: { sourceId: string; stream: StreamName; skewMs: number },
): Swept[] => {
  const began = new Map<string, number>()
  const swept: Swept[] = []
  for (const { key, before, after, atMs } of commits) {
    if (key.sourceId !== of.sourceId || key.stream !== of.stream) continue
    if (key.name === 'main' || after.sweep === null) continue
    if (after.sweep.running && before?.sweep?.running !== true) began.set(key.name, atMs)
    const beganMs = began.get(key.name)
    if (after.sweep.running || beganMs === undefined || before?.sweep?.running !== true) continue
    swept.push({ ...after.sweep, beganMs: beganMs + of.skewMs })
  }
  return swept
}

/**
 * Invariant 1, first half: every record that became visible within the overlap after its time, or at a sweep that
 * covered it, is exactly one event, and nothing else is. To be called when all is calm.
 */
export const checkPolling = (world: World, rules: CursorRules): void => {
  const { ledger, scheduler } = world
  const strangers = new Set(ledger.loggedAt.keys())
  const quarantined = new Set(world.table.quarantine.all().map(({ text }) => text))
  for (const planned of world.plan.sources) {
    for (const stream of streamNames) checkStream(world, rules, { planned, stream, strangers, quarantined })
  }
  for (const id of strangers) scheduler.violate(`3: ${id} is in the log, and no record has it`)
}

const checkStream = (
  world: World,
  rules: CursorRules,
  of: {
    planned: PlannedSource
    stream: StreamName
    strangers: Set<string>
    quarantined: ReadonlySet<string>
  },
): void => {
  const { scheduler, table } = world
  const { planned, stream } = of
  const sourceId = planned.source.id
  const service = world.services.get(sourceId)
  const cursor = table.seen.cursors.get(`${sourceId} ${stream} main`)
  if (service === undefined) return
  if (cursor === undefined || !cursor.firstWalkComplete || cursor.floorSecond === null) {
    scheduler.violate(`1: the first walk of ${sourceId} ${stream} is not complete`)
    return
  }
  const { floorSecond } = cursor
  // An operator may have lowered it, and another set it since.
  const lowestFloor = Math.min(
    ...rules.commits
      .filter(({ key }) => key.sourceId === sourceId && key.stream === stream && key.name === 'main')
      .map(({ after }) => after.floorSecond ?? floorSecond),
  )
  const sweeps = completedSweeps(rules.commits, { sourceId, stream, skewMs: service.readings.skewMs })
  for (const record of service.forgotten(stream)) of.strangers.delete(idOf(sourceId, stream, record))
  for (const record of service.records(stream)) {
    const id = idOf(sourceId, stream, record)
    const isLogged = of.strangers.delete(id)
    const { second, visibleAtMs, uuid, readable } = record
    const isCovered = sweeps.some(
      ({ fromSecond, toSecond, beganMs }) =>
        second >= fromSecond && second <= toSecond && visibleAtMs <= beganMs,
    )
    const isDue = visibleAtMs <= service.nowMs() && (isInTime(planned, record) || isCovered)
    if (second < lowestFloor && wasSent(world, id)) {
      scheduler.violate(`1: ${uuid} of ${sourceId} ${stream} is before the floor and was sent`)
    }
    if (
      !isDue ||
      second < floorSecond ||
      isExpired(service, record) ||
      isBeyondMemory(record, scheduler.now())
    )
      continue
    const isKept = of.quarantined.has(record.raw.text) || world.isForgotten(record.raw.text)
    // What the queue refused is in quarantine, whether it takes it by now or not.
    if (readable && !isLogged && !(world.refused.has(id) && isKept))
      scheduler.violate(`1: ${uuid} of ${sourceId} ${stream} is lost`)
    if (!readable && second > floorSecond && !isKept) {
      scheduler.violate(`1: ${uuid} of ${sourceId} ${stream} can't be read and is not in quarantine`)
    }
  }
}

const wasSent = ({ ledger, plan }: World, eventId: string): boolean =>
  [...plan.endpoints, ...plan.addable].some(
    ({ endpoint }) =>
      (ledger.stories.get(nameOfDelivery({ endpointId: endpoint.id, eventId }))?.enqueued ?? 0) > 0,
  )
