import { createMemoryCursorStore } from '../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryDeliveryStore } from '../../../shared/adapters/memory/delivery-store.ts'
import { createMemoryEndpointStore } from '../../../shared/adapters/memory/endpoint-store.ts'
import { createMemoryEventLog } from '../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../shared/adapters/memory/quarantine.ts'
import { createMemoryReconcileMarks } from '../../../shared/adapters/memory/reconcile-marks.ts'
import { createMemorySourceStore } from '../../../shared/adapters/memory/source-store.ts'
import { createAuditGate } from '../../../shared/domain/audit/audit-gate.ts'
import {
  type AuditProgress,
  auditStream,
  settleSecondsOf,
  type ToAudit,
} from '../../../shared/domain/audit/audit-stream.ts'
import type { EntryResult, QueueEntry } from '../../../shared/domain/delivery/delivery-queue.ts'
import type { Happening } from '../../../shared/domain/happenings.ts'
import { type Cursor, emptyCursor } from '../../../shared/domain/polling/cursor.ts'
import type { LoggedEvent } from '../../../shared/domain/polling/event-log.ts'
import { type Source, sourceDefaults } from '../../../shared/domain/source.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import { endpointOf } from '../delivery/harness.ts'
import { createDice } from '../polling/world/dice.ts'
import { serviceRecord } from '../polling/world/records.ts'
import { createService, plainReadings, type Readings } from '../polling/world/service.ts'
import { createVirtualClock } from '../polling/world/virtual-clock.ts'
import { eventOf as filledEvent } from '../release/harness.ts'

export const nowMs = Date.UTC(2026, 10, 20, 9, 30)
export const nowSecond = nowMs / 1_000
/** Where the audited range begins: five hours back. */
export const first = nowSecond - 5 * 3_600
const source: Source = {
  ...sourceDefaults,
  id: 'main',
  baseUrl: 'https://service.example',
  tokenSecret: 'token',
}
export const settleSeconds = settleSecondsOf(source)
export const ids = { sourceId: 'main', stream: 'bounces' } as const
export const nothingStands = {
  waiting: 0,
  held: 0,
  delivered: 0,
  dead: 0,
  cancelled: 0,
  queued: 0,
  missing: 0,
  not_due: 0,
}

/** An event that was logged when its record came. */
export const eventAt = (uuid: string, second: number, of: Partial<LoggedEvent> = {}): LoggedEvent =>
  filledEvent(uuid, {
    second,
    loggedAtMs: second * 1_000 + 5_000,
    expiresAtSeconds: second + 35 * 86_400,
    ...of,
  })

/** A service, what the bridge has of it, and whoever compares the two. */
export const create = async (
  of: {
    cursor?: Partial<Cursor> | null
    readings?: Partial<Readings>
    sent?: (entries: readonly QueueEntry[]) => EntryResult[]
  } = {},
) => {
  const clock = createVirtualClock(nowMs)
  const service = createService({
    clock,
    dice: createDice(1),
    readings: { ...plainReadings, requestsPerMinute: 100_000, ...of.readings },
  })
  const stopping = new AbortController()
  const cursors = createMemoryCursorStore()
  const cursor = { ...emptyCursor, floorSecond: first - 600, ...of.cursor }
  if (of.cursor !== null) await cursors.commit({ ...ids, name: 'main' }, cursor, null)
  const endpoints = createMemoryEndpointStore()
  await endpoints.put(endpointOf())
  const sent: QueueEntry[] = []
  const happenings: Happening[] = []
  let written = 0
  const deps = {
    ...{ cursors, endpoints, clock },
    sources: createMemorySourceStore(),
    log: createMemoryEventLog(),
    store: createMemoryDeliveryStore(),
    quarantine: createMemoryQuarantine(),
    marks: createMemoryReconcileMarks(),
    queue: {
      send: async (entries: readonly QueueEntry[]): Promise<EntryResult[]> => {
        sent.push(...entries)
        return of.sent?.(entries) ?? entries.map(() => ({ kind: 'sent' }))
      },
    },
    reporter: { report: (happening: Happening) => void happenings.push(happening) },
    newId: () => `audit-${++written}`,
    signal: stopping.signal,
  }
  const progress: AuditProgress[] = []
  const gate = createAuditGate(
    { sourceId: 'main', requestsPerMinute: 100_000, share: 1 },
    { api: service.api, spending: { read: async () => null }, clock, signal: stopping.signal },
  )
  const toAudit: ToAudit = {
    source,
    stream: 'bounces',
    fromSecond: first,
    toSecond: nowSecond,
    isRepair: false,
    gate,
    onProgress: at => progress.push(at),
  }
  return {
    ...{ service, deps, stopping, sent, happenings, progress, clock, gate },
    /** Records that the service shows, each of its second. */
    put: (...records: (readonly [uuid: string, second: number])[]) =>
      service.put(
        'bounces',
        records.map(([uuid, second]) => serviceRecord({ uuid, second })),
      ),
    putOdd: (uuid: string, second: number) => {
      const record = serviceRecord({ uuid, second, readable: false })
      service.put('bounces', [record])
      return record.raw
    },
    /** Audits, letting time pass where it waits. */
    audit: async (how: Partial<ToAudit> = {}) => {
      const auditing = auditStream({ ...toAudit, ...how }, deps)
      await clock.turnTo(nowMs + hourMs)
      return auditing
    },
    lastIds: () => service.requests.map(({ lastId }) => lastId),
  }
}

export const namesOf = (audited: Awaited<ReturnType<typeof auditStream>>) =>
  audited?.kind === 'compared' ? audited.missing.map(({ record }) => record) : null
export const recordsOf = (audited: Awaited<ReturnType<typeof auditStream>>) =>
  audited?.kind === 'compared' ? audited.records : null
export const logOf = (audited: Awaited<ReturnType<typeof auditStream>>) =>
  audited?.kind === 'compared' ? audited.log : null
