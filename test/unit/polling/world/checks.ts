import { eventId } from '../../../../shared/domain/feedback/event-id.ts'
import { type StreamName, streamNames } from '../../../../shared/domain/source.ts'
import type { Commit } from './ledger.ts'
import type { ServiceRecord } from './service.ts'
import { endpoints, sourceId, type World } from './world.ts'

const idOf = (stream: StreamName, { uuid, second }: ServiceRecord): string =>
  eventId({ sourceId, stream, uuid, second })

/** Shown in time: within the overlap after its second, or after the lag that the whole service has. */
const inTime = (world: World, record: ServiceRecord, lagSeconds: number): boolean =>
  record.visibleAtMs <= (record.second + lagSeconds + world.source.overlapSeconds) * 1000

/** What an anchor promises: whatever it leaves behind and was shown in time is in the log. */
export const checkAnchor = (world: World, commit: Commit, lagSeconds: number): void => {
  const { key, before, after } = commit
  const { violations, logged } = world.ledger
  if (key.name !== 'main') return
  const was = before?.anchor?.second
  const is = after.anchor?.second
  const lost = after.anchorsLost > (before?.anchorsLost ?? 0) || (before?.anchorsLost ?? 0) > 3
  if (was !== undefined && (is === undefined || is < was) && !lost) {
    violations.push(`${key.stream}: the anchor went back from ${was} to ${is} at ${world.now()}`)
  }
  if (is === undefined || after.floorSecond === null) return
  const nowMs = world.service.nowMs()
  for (const record of world.service.records(key.stream)) {
    if (record.second > is) break
    if (!record.readable || record.second < after.floorSecond || expired(world, record, nowMs)) continue
    if (inTime(world, record, lagSeconds) && !logged.has(idOf(key.stream, record))) {
      violations.push(`${key.stream}: the anchor left ${record.uuid} behind at ${world.now()}`)
    }
  }
}

const expired = (world: World, record: ServiceRecord, nowMs: number): boolean => {
  const { retentionSeconds } = world.service.readings
  return retentionSeconds !== null && record.second < Math.floor(nowMs / 1000) - retentionSeconds
}

type Swept = { fromSecond: number; toSecond: number; beganMs: number }

/** The sweeps of a stream that were completed, with the service's time at which each began. */
const completedSweeps = (world: World, stream: StreamName): Swept[] => {
  const began = new Map<string, number>()
  const swept: Swept[] = []
  for (const { key, before, after, atMs } of world.ledger.commits) {
    if (key.stream !== stream || key.name === 'main' || after.sweep === null) continue
    if (after.sweep.running && before?.sweep?.running !== true) began.set(key.name, atMs)
    const beganMs = began.get(key.name)
    if (after.sweep.running || beganMs === undefined || before?.sweep?.running !== true) continue
    const { fromSecond, toSecond } = after.sweep
    swept.push({ fromSecond, toSecond, beganMs: beganMs + world.service.readings.skewMs })
  }
  return swept
}

/** All that must be in the log, and was it sent; and nothing else is. To be called when all is calm. */
export const checkEnd = async (
  world: World,
  of: { lagSeconds: number; sweptSeconds: number; sweptEverySeconds: number },
): Promise<void> => {
  const { lagSeconds } = of
  const { ledger, service } = world
  const nowMs = service.nowMs()
  const loggedIds = new Set(ledger.logged.keys())
  for (const stream of streamNames) {
    const { floorSecond, firstWalkComplete } = await world.cursor(stream)
    if (!firstWalkComplete) ledger.violations.push(`${stream}: the first walk is not complete`)
    const sweeps = completedSweeps(world, stream)
    const start = ledger.commits.find(
      ({ key, after }) => key.stream === stream && key.name === 'main' && after.floorSecond !== null,
    )
    const startMs = start?.atMs ?? 0
    for (const record of service.forgotten(stream)) loggedIds.delete(idOf(stream, record))
    for (const record of service.records(stream)) {
      const id = idOf(stream, record)
      const isLogged = loggedIds.delete(id)
      const { second, visibleAtMs, uuid } = record
      const mayBe = record.readable && second >= (floorSecond ?? 0)
      // A start that was cut short may have logged records as seen before a later floor; but it sent none.
      if (!mayBe && ledger.sent.has(id))
        ledger.violations.push(`${stream}: ${uuid} should not have been sent`)
      const covered = sweeps.some(
        ({ fromSecond, toSecond, beganMs }) =>
          second >= fromSecond && second <= toSecond && visibleAtMs <= beganMs,
      )
      const due = visibleAtMs <= nowMs - 200_000 && !expired(world, record, nowMs)
      const reached =
        second >= nowMs / 1000 - of.sweptSeconds && visibleAtMs <= nowMs - of.sweptEverySeconds * 1000
      const must = due && (inTime(world, record, lagSeconds) || covered || reached)
      if (must && mayBe && !isLogged) {
        ledger.violations.push(
          `${stream}: ${uuid} is lost: ${JSON.stringify({ covered, reached, second, visibleAtMs })}`,
        )
      }
      if (
        !record.readable &&
        must &&
        second > (floorSecond ?? 0) &&
        !ledger.quarantined.includes(record.raw.text)
      ) {
        ledger.violations.push(`${stream}: ${uuid} is not in quarantine`)
      }
      // A record of the first second that was there at the start is only seen; every other one is sent.
      const seenOnly =
        world.source.startAt.kind === 'latest' && visibleAtMs <= startMs + service.readings.skewMs
      if (isLogged && mayBe && !seenOnly) {
        for (const endpoint of endpoints) {
          const matches = endpoint.id === 'everything' || stream === 'bounces'
          if (ledger.sent.get(id)?.has(endpoint.id) !== matches) {
            ledger.violations.push(`${stream}: ${uuid} was not sent to whom it should be`)
          }
        }
      }
    }
  }
  for (const id of loggedIds) ledger.violations.push(`${id} is in the log, and no record has it`)
  if (new Set(ledger.quarantined).size !== ledger.quarantined.length) {
    ledger.violations.push('a record was kept in quarantine twice')
  }
}

/** The most requests in any window of a minute. */
export const mostRequestsAMinute = (world: World): number => {
  const times = world.service.requests.map(({ atMs }) => atMs)
  let most = 0
  let from = 0
  for (const [at, time] of times.entries()) {
    while ((times[from] ?? time) <= time - 60_000) from += 1
    most = Math.max(most, at - from + 1)
  }
  return most
}

/** How many requests were made since the world's `second`. */
export const requestsSince = (world: World, second: number): number => {
  const fromMs = world.clock.now() - (world.now() - second) * 1000
  return world.service.requests.filter(({ atMs }) => atMs >= fromMs).length
}
