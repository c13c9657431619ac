import { createMemoryCursorStore } from '../../../../shared/adapters/memory/cursor-store.ts'
import { createMemoryEventLog } from '../../../../shared/adapters/memory/event-log.ts'
import { createMemoryQuarantine } from '../../../../shared/adapters/memory/quarantine.ts'
import { createMemoryReconcileMarks } from '../../../../shared/adapters/memory/reconcile-marks.ts'
import { createMemoryRunLease } from '../../../../shared/adapters/memory/run-lease.ts'
import { decodeMessage } from '../../../../shared/domain/delivery/delivery-message.ts'
import type { DeliveryQueue, QueueEntry } from '../../../../shared/domain/delivery/delivery-queue.ts'
import type { Cursor, CursorKey, CursorStore } from '../../../../shared/domain/polling/cursor.ts'
import type { EventLog, LoggedEvent } from '../../../../shared/domain/polling/event-log.ts'
import type { Quarantine } from '../../../../shared/domain/polling/quarantine.ts'
import type { RunLease } from '../../../../shared/domain/polling/run-lease.ts'
import type { ReconcileMarks } from '../../../../shared/domain/release/reconcile-marks.ts'

export type Stores = {
  cursors: CursorStore
  log: EventLog
  lease: RunLease
  quarantine: Quarantine
  marks: ReconcileMarks
  queue: DeliveryQueue
}

export type Commit = { key: CursorKey; before: Cursor | null; after: Cursor; atMs: number }

/** What lies in the stores, and how it came there. What breaks a rule on the way is a violation. */
export type Ledger = {
  stores: Stores
  /** By event id: how often it was sent to each endpoint. */
  sent: Map<string, Map<string, number>>
  logged: Map<string, LoggedEvent>
  quarantined: string[]
  commits: Commit[]
  /** Messages beyond the first of an event to an endpoint. */
  duplicates: number
  violations: string[]
}

/** In-memory stores that outlive a process. `onCommit` sees each commit once it holds. */
export const createLedger = (deps: { now: () => number; onCommit: (commit: Commit) => void }): Ledger => {
  const cursors = createMemoryCursorStore()
  const log = createMemoryEventLog()
  const quarantine = createMemoryQuarantine()

  const take = (entry: QueueEntry): void => {
    const decoded = decodeMessage(entry.body)
    if (decoded.kind !== 'message') {
      ledger.violations.push('a message can not be read')
      return
    }
    const { eventId, endpointId } = decoded.message
    const counts = ledger.sent.get(eventId) ?? new Map<string, number>()
    const count = (counts.get(endpointId) ?? 0) + 1
    ledger.sent.set(eventId, counts.set(endpointId, count))
    if (count > 1) ledger.duplicates += 1
    // Two pollers at once may do it; one after the other never.
    if (ledger.logged.has(eventId))
      ledger.violations.push(`${eventId} was sent again though the log holds it`)
  }

  const ledger: Ledger = {
    sent: new Map(),
    logged: new Map(),
    quarantined: [],
    commits: [],
    duplicates: 0,
    violations: [],
    stores: {
      lease: createMemoryRunLease(),
      marks: createMemoryReconcileMarks(),
      queue: {
        send: async entries => {
          for (const entry of entries) take(entry)
          return entries.map(() => ({ kind: 'sent' }))
        },
      },
      quarantine: {
        ...quarantine,
        keep: async record => {
          const result = await quarantine.keep(record)
          if (result === 'new') ledger.quarantined.push(record.text)
          return result
        },
      },
      cursors: {
        read: cursors.read,
        commit: async (key, cursor, expected) => {
          const before = (await cursors.read(key))?.cursor ?? null
          const result = await cursors.commit(key, cursor, expected)
          if (result === 'committed') {
            const commit = { key, before, after: structuredClone(cursor), atMs: deps.now() }
            ledger.commits.push(commit)
            deps.onCommit(commit)
          }
          return result
        },
      },
      log: {
        ...log,
        record: async events => {
          const ids = new Set(events.map(({ id }) => id))
          // As the table does: a batch that names a key twice is refused as a whole.
          if (ids.size !== events.length) throw new Error('an event stands twice in one write')
          for (const event of events) {
            for (const endpoint of event.endpointIds) {
              if (ledger.sent.get(event.id)?.has(endpoint) !== true) {
                ledger.violations.push(`${event.id} was logged before it was sent to ${endpoint}`)
              }
            }
            ledger.logged.set(event.id, event)
          }
          return log.record(events)
        },
      },
    },
  }
  return ledger
}
