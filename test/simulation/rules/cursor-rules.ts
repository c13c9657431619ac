import { eventId } from '../../../shared/domain/feedback/event-id.ts'
import type { Cursor, CursorKey } from '../../../shared/domain/polling/cursor.ts'
import { logMemoryDays } from '../../../shared/domain/polling/event-log.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { daySeconds } from '../../../shared/domain/time-units.ts'
import type { Service, ServiceRecord } from '../../unit/polling/world/service.ts'
import type { Scheduler } from '../engine/scheduler.ts'
import type { PlannedSource } from '../plan/draw-source.ts'
import type { Ledger } from './ledger.ts'

export type Commit = {
  key: CursorKey
  before: Cursor | null
  after: Cursor
  atMs: number
  /** A rewind: the poller has yet to read what it asks for. */
  isByOperator: boolean
}

export const idOf = (sourceId: string, stream: StreamName, { uuid, second }: ServiceRecord): string =>
  eventId({ sourceId, stream, uuid, second })

/** Shown within the overlap after its second, or after the lag that the whole service has. */
export const isInTime = ({ source, lagSeconds }: PlannedSource, record: ServiceRecord): boolean =>
  record.visibleAtMs <= (record.second + lagSeconds + source.overlapSeconds) * 1_000

/** Gone from the service by its own retention: nobody can be held to have read it. */
export const isExpired = ({ readings, nowMs }: Service, { second }: ServiceRecord): boolean =>
  readings.retentionSeconds !== null && second < Math.floor(nowMs() / 1_000) - readings.retentionSeconds

/** So old that the log's memory does not reach back to it: counted, not sent. */
export const isBeyondMemory = (record: ServiceRecord, nowMs: number): boolean =>
  record.second < nowMs / 1_000 - (logMemoryDays - 1) * daySeconds

/** What must hold of cursors whenever one is committed. */
export const createCursorRules = (deps: {
  scheduler: Scheduler
  ledger: Ledger
  sources: readonly PlannedSource[]
  services: ReadonlyMap<string, Service>
  /** Events that the queue may refuse: they are in quarantine then. */
  refused: ReadonlySet<string>
}) => {
  const { scheduler, ledger } = deps
  const commits: Commit[] = []
  const planned = new Map(deps.sources.map(of => [of.source.id, of]))

  /** Invariants 1 and 6: what an anchor leaves behind, and was shown in time, is in the log. */
  const checkLeftBehind = ({ key, after }: Commit): void => {
    const of = planned.get(key.sourceId)
    const service = deps.services.get(key.sourceId)
    const anchor = after.anchor
    if (of === undefined || service === undefined || anchor === null || after.floorSecond === null) return
    for (const record of service.records(key.stream)) {
      if (record.second > anchor.second) break
      if (
        !record.readable ||
        record.second < after.floorSecond ||
        !isInTime(of, record) ||
        isExpired(service, record)
      )
        continue
      const id = idOf(key.sourceId, key.stream, record)
      if (isBeyondMemory(record, scheduler.now()) || ledger.loggedAt.has(id) || deps.refused.has(id)) continue
      scheduler.violate(`6: the anchor of ${key.sourceId} ${key.stream} left ${record.uuid} behind`)
    }
  }

  /** Invariant 6: at least the overlap older than the service's clock. */
  const checkAge = ({ key, after, before }: Commit): void => {
    const of = planned.get(key.sourceId)
    const service = deps.services.get(key.sourceId)
    if (of === undefined || service === undefined || after.anchor === null) return
    // A start at the latest record has nothing before it that may come late.
    if (before === null || before.floorSecond === null || after.anchor.uuid === before.anchor?.uuid) return
    if (after.anchor.second > service.nowMs() / 1_000 - of.source.overlapSeconds) {
      scheduler.violate(`6: the anchor of ${key.sourceId} ${key.stream} is younger than the overlap`)
    }
  }

  const checkDirection = ({ key, before, after, isByOperator }: Commit): void => {
    const was = before?.anchor?.second
    const is = after.anchor?.second
    const isLost = after.anchorsLost > (before?.anchorsLost ?? 0) || (before?.anchorsLost ?? 0) > 3
    if (!isByOperator && !isLost && was !== undefined && (is === undefined || is < was)) {
      scheduler.violate(`5: the anchor of ${key.sourceId} ${key.stream} went back from ${was} to ${is}`)
    }
    const floorWas = before?.floorSecond ?? null
    if (!isByOperator && floorWas !== null && after.floorSecond !== floorWas) {
      scheduler.violate(`1: the floor of ${key.sourceId} ${key.stream} moved from ${floorWas}`)
    }
  }

  return {
    commits,
    committed: (key: CursorKey, after: Cursor, before: Cursor | null): void => {
      const isByOperator = ledger.actor?.kind === 'operator'
      const commit = { key, before, after, atMs: scheduler.now(), isByOperator }
      commits.push(commit)
      scheduler.note(`${key.name} of ${key.sourceId} ${key.stream} at ${after.anchor?.second ?? 'the start'}`)
      if (key.name !== 'main') return
      checkDirection(commit)
      checkAge(commit)
      checkLeftBehind(commit)
    },
  }
}

export type CursorRules = ReturnType<typeof createCursorRules>
