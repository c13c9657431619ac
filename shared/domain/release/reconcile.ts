import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Reporter } from '../happenings.ts'
import type { EventLog } from '../polling/event-log.ts'
import { streamNames } from '../source.ts'
import type { SourceStore } from '../source-store.ts'
import { reportUnreadable } from '../unreadable-item.ts'
import { type DayToReconcile, daysToReconcile, hourOf, isSettled, reconciledAfterMs } from './due-marks.ts'
import type { ReconcileMarks } from './reconcile-marks.ts'
import { type MissingSent, sendMissing } from './send-missing.ts'

/** Events of the log that are compared at a time. */
export const eventsComparedAtOnceMax = 200

export type ReconcileDeps = {
  sources: SourceStore
  endpoints: EndpointStore
  marks: ReconcileMarks
  log: EventLog
  store: DeliveryStore
  queue: DeliveryQueue
  reporter: Reporter
  clock: Clock
  /** A new id for each write. */
  newId: () => string
  /**
   * Whether the queues outlive the process. Where they don't, what is sent again may be lost again: then a mark goes
   * only once its day was found complete.
   */
  queuesOutlive: boolean
}

export type ReconcileRun = {
  /** No page is begun after this: Unix milliseconds. */
  endsAtMs: number
  /** Before anything is polled: everything logged so far is compared, however new. */
  atStart?: boolean
}

/** What the run found missing and sent again, and whether it came to the end of what was due. */
export type Reconciled = { sent: number; complete: boolean }

/**
 * Compares the event log with the deliveries: what matched an endpoint, is older than an hour and has no delivery is
 * sent again (DESIGN.md, section 6.6). Goes by the poller's marks, which say from which id of which day on something
 * was written. A mark is removed once its day is through; a day that takes longer than the run leaves a mark of where
 * it stopped. A fault with one day leaves its marks for the next run. An event that can't be read leaves them too, but
 * is no reason to begin again at once: the rest of its day is compared, and the next reconcile looks at it again. Throws
 * where endpoints can't be read, or the sources not be asked for.
 */
export const reconcile = async (run: ReconcileRun, deps: ReconcileDeps): Promise<Reconciled> => {
  const nowMs = deps.clock.now()
  const endpoints = new Map((await deps.endpoints.list()).map(endpoint => [endpoint.id, endpoint]))
  const loggedUntilMs = run.atStart ? nowMs : nowMs - reconciledAfterMs
  const pass = { run, endpoints, loggedUntilMs }
  const total = { sent: 0, complete: true }
  // Nothing but a source's id is asked for: one that can't be read has its events compared like the others.
  const unreadable: string[] = []
  const readable = await deps.sources.list(id => void unreadable.push(id))
  for (const sourceId of [...readable.map(({ id }) => id), ...unreadable]) {
    for (const stream of streamNames) {
      const days = await daysToReconcile({ sourceId, stream, nowMs, all: run.atStart === true }, deps.marks)
      for (const day of days) {
        const done = await reconcileDay(day, pass, deps)
        total.sent += done.sent
        total.complete &&= done.complete
      }
    }
  }
  return total
}

type Pass = {
  run: ReconcileRun
  endpoints: ReadonlyMap<string, Endpoint>
  loggedUntilMs: number
}

const reconcileDay = async (day: DayToReconcile, pass: Pass, deps: ReconcileDeps): Promise<Reconciled> => {
  let sent = 0
  let fromId: string | null = day.lowestId
  try {
    let failed = 0
    let unreadable = 0
    while (fromId !== null && deps.clock.now() < pass.run.endsAtMs) {
      const page = await comparePage(day, fromId, pass, deps)
      sent += page.sent
      failed += page.failed
      unreadable += page.unreadable
      fromId = page.nextFromId
    }
    // What was sent into queues that die with the process is not yet safe: the marks stay until all is there.
    const safe = failed === 0 && unreadable === 0 && (deps.queuesOutlive || sent === 0)
    if (safe && fromId !== day.lowestId) await moveMarks(day, fromId, deps)
    return { sent, complete: failed === 0 && fromId === null }
  } catch (error) {
    deps.reporter.report({ kind: 'fault', event: null, endpoint: null, ...faultOf(error), delayMs: 0 })
    return { sent, complete: false }
  }
}

const comparePage = async (
  day: DayToReconcile,
  fromId: string,
  pass: Pass,
  deps: ReconcileDeps,
): Promise<MissingSent & { nextFromId: string | null }> => {
  const page = await deps.log.pageOfDay({ ...day, fromId, limit: eventsComparedAtOnceMax })
  for (const { id, error } of page.unreadable) {
    reportUnreadable({ eventId: id, endpointId: null }, error, deps.reporter)
  }
  const old = page.events.filter(({ loggedAtMs }) => loggedAtMs <= pass.loggedUntilMs)
  const found = await sendMissing({ events: old, endpoints: pass.endpoints }, deps)
  return { ...found, unreadable: found.unreadable + page.unreadable.length, nextFromId: page.nextFromId }
}

/** Removes what is through; what is left of the day, from `fromId` on, gets a mark of this hour first. */
const moveMarks = async (day: DayToReconcile, fromId: string | null, deps: ReconcileDeps): Promise<void> => {
  const nowMs = deps.clock.now()
  const settled = day.marks.filter(mark => isSettled(mark, nowMs))
  if (settled.length === 0) return
  if (fromId !== null) {
    const { sourceId, stream } = day
    await deps.marks.lower({ sourceId, stream, day: day.day, hour: hourOf(nowMs), lowestId: fromId })
  }
  for (const mark of settled) await deps.marks.remove(mark)
}
