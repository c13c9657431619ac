import type { Clock } from '../clock.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import { eventDay } from '../feedback/event-id.ts'
import type { Reporter } from '../happenings.ts'
import { anchorBefore } from '../polling/anchors-in-log.ts'
import type { Cursor, CursorStore } from '../polling/cursor.ts'
import { createEnqueue } from '../polling/enqueue.ts'
import type { EventLog, EventSummary } from '../polling/event-log.ts'
import { createIntake } from '../polling/intake.ts'
import { createKnownRecords, type KnownRecords } from '../polling/known-records.ts'
import type { Quarantine } from '../polling/quarantine.ts'
import { hourOf } from '../release/due-marks.ts'
import type { ReconcileMarks } from '../release/reconcile-marks.ts'
import { sendMissing } from '../release/send-missing.ts'
import type { Source, StreamName } from '../source.ts'
import type { SourceStore } from '../source-store.ts'
import { daySeconds } from '../time-units.ts'
import type { AuditGate } from './audit-gate.ts'
import { compareDeliveries, type LogComparison } from './compare-deliveries.ts'
import { createPageComparer } from './compare-page.ts'
import { createIdSet } from './id-set.ts'
import type { MissingRecord, RecordCounts } from './record-counts.ts'
import { type ServiceFailure, type ServiceWalk, walkService } from './walk-service.ts'

/** Beside the overlap and the pace: reading, sending and recording take their time. */
const settleSecondsMin = 60

/** How new a record may be of which the audit says nothing: the poller may still be reading it. */
export const settleSecondsOf = (source: Pick<Source, 'overlapSeconds' | 'pollEverySeconds'>): number =>
  source.overlapSeconds + Math.ceil(source.pollEverySeconds) + settleSecondsMin

export type AuditDeps = {
  sources: SourceStore
  endpoints: EndpointStore
  cursors: CursorStore
  log: EventLog
  store: DeliveryStore
  quarantine: Quarantine
  marks: ReconcileMarks
  queue: DeliveryQueue
  reporter: Reporter
  clock: Clock
  newId: () => string
  signal: AbortSignal
}

/** What an audit is at: what it compares, or that the service fails and is asked again. */
export type AuditProgress =
  | { part: 'service' | 'deliveries'; second: number | null }
  | ({ part: 'failure' } & ServiceFailure)

export type ToAudit = {
  source: Source
  stream: StreamName
  fromSecond: number
  /** By our clock; what the poller may still be reading is left out of it. */
  toSecond: number
  isRepair: boolean
  gate: AuditGate
  onProgress: (at: AuditProgress) => void
}

export type StreamAudit =
  /** Nobody knows yet where the stream begins: there is nothing to compare. */
  | { kind: 'not_started' }
  | {
      kind: 'compared'
      fromSecond: number
      untilSecond: number
      walk: Exclude<ServiceWalk, { kind: 'interrupted' }>
      records: RecordCounts
      missing: readonly MissingRecord[]
      log: LogComparison
    }

/**
 * Compares a stream of the service with the event log, and the log with the deliveries, by event id: first what the
 * service shows, then what the log holds of the same time. Null where it was interrupted; what was repaired by then stays.
 */
export const auditStream = async (of: ToAudit, deps: AuditDeps): Promise<StreamAudit | null> => {
  const { source, stream, fromSecond, gate } = of
  const ids = { sourceId: source.id, stream }
  const startedAtMs = deps.clock.now()
  const main = await deps.cursors.read({ ...ids, name: 'main' })
  const floorSecond = main?.cursor.floorSecond ?? null
  if (main === null || floorSecond === null) return { kind: 'not_started' }
  const seen = createIdSet()
  const known = createKnownRecords({ log: deps.log, ...ids })
  const comparer = createPageComparer(ids, {
    known,
    seen,
    quarantine: deps.quarantine,
    floorSecond,
    readUntil: () => readUntil(ids, deps),
    repair: of.isRepair ? repairing(ids, known, deps) : null,
  })
  const settleSeconds = settleSecondsOf(source)
  const toSecond = Math.min(of.toSecond, Math.floor(startedAtMs / 1_000) - settleSeconds)
  const range = { fromSecond, toSecond, settleSeconds, overlapSeconds: source.overlapSeconds }
  of.onProgress({ part: 'service', second: null })
  const walk = await walkService(
    { ...ids, range, cursor: main.cursor },
    {
      ...deps,
      ...{ gate, comparer },
      onPage: second => of.onProgress({ part: 'service', second }),
      onFailure: failure => of.onProgress({ part: 'failure', ...failure }),
    },
  )
  if (walk.kind === 'interrupted') return null
  const untilSecond = walk.kind === 'walked' ? walk.untilSecond : toSecond
  const endpoints = new Map((await deps.endpoints.list()).map(endpoint => [endpoint.id, endpoint]))
  const log = await compareDeliveries(
    { ...ids, fromSecond, untilSecond, startedAtMs },
    {
      ...deps,
      endpoints,
      seen: walk.kind === 'walked' ? seen : null,
      repair: of.isRepair ? events => sendAgain(events, ids, endpoints, deps) : null,
      onPage: second => of.onProgress({ part: 'deliveries', second }),
    },
  )
  if (log === null) return null
  const [records, missing] = [comparer.counts(), comparer.missing()]
  return { kind: 'compared', fromSecond, untilSecond, walk, records, missing, log }
}

type Ids = { sourceId: string; stream: StreamName }

/** The newest second that the poller has read: by its cursor, or by what it has logged since it was written. */
const readUntil = async (ids: Ids, { cursors, log, clock }: AuditDeps): Promise<number | null> => {
  const cursor: Cursor | undefined = (await cursors.read({ ...ids, name: 'main' }))?.cursor
  // A service whose clock is ahead of ours has records of tomorrow.
  const logged = await anchorBefore(log, ids, Math.floor(clock.now() / 1_000) + daySeconds)
  const seconds = [cursor?.newest?.second, cursor?.anchor?.second, logged?.second].filter(
    second => second !== undefined,
  )
  return seconds.length === 0 ? null : Math.max(...seconds)
}

/** The poller's own way: send ▶ record, and into quarantine what can't be an event. */
const repairing = (ids: Ids, known: KnownRecords, deps: AuditDeps) =>
  createIntake(
    { ...deps, known, enqueue: createEnqueue(deps, ids), endpoints: () => deps.endpoints.list() },
    ids,
  )

/** Reconcile's own way. Marked first: where the queue dies with its process, the next start finds it again. */
const sendAgain = async (
  events: readonly EventSummary[],
  ids: Ids,
  endpoints: ReadonlyMap<string, Endpoint>,
  deps: AuditDeps,
): Promise<boolean> => {
  const [lowest] = events
  if (lowest === undefined) return true
  const hour = hourOf(deps.clock.now())
  await deps.marks.lower({ ...ids, day: eventDay(lowest.id), lowestId: lowest.id, hour })
  const { failed, unreadable } = await sendMissing({ events, endpoints }, { ...deps, queuesOutlive: true })
  return failed === 0 && unreadable === 0
}
