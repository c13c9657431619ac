import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Reporter } from '../happenings.ts'
import type { ReconcileMarks } from '../release/reconcile-marks.ts'
import { type Source, type StreamName, streamNames } from '../source.ts'
import type { SourceStore } from '../source-store.ts'
import type { CursorStore } from './cursor.ts'
import { createEnqueue } from './enqueue.ts'
import type { EventLog } from './event-log.ts'
import type { FeedbackApi } from './feedback-api.ts'
import { createIntake } from './intake.ts'
import { createKnownRecords } from './known-records.ts'
import type { Quarantine } from './quarantine.ts'
import type { RunLease } from './run-lease.ts'
import { newPolledSource, type PolledSource, type Run, runSource } from './source-run.ts'
import type { StreamContext } from './stream-context.ts'
import { createStreamPoller, type StreamPoller } from './stream-poller.ts'
import { type SweepPlan, sweepPlans } from './sweeps.ts'

export type PollerDeps = {
  sources: SourceStore
  /** The lists of a source; the token stays within. */
  apiOf: (source: Source) => FeedbackApi
  cursors: CursorStore
  lease: RunLease
  log: EventLog
  quarantine: Quarantine
  marks: ReconcileMarks
  queue: DeliveryQueue
  /** All endpoints; may be stale by seconds. */
  endpoints: () => Promise<readonly Endpoint[]>
  reporter: Reporter
  clock: Clock
  sweeps?: readonly SweepPlan[]
  /** No source is polled more often, whatever its settings say: what a deployment allows itself. */
  pollEverySecondsMin?: number
}

export type Poller = {
  /** One run: polls every active source until the run's end. Sources are independent of each other. */
  run(run: Run): Promise<void>
}

/** The poller of a process. What it remembers between runs only saves requests and reads. */
export const createPoller = (deps: PollerDeps): Poller => {
  const polled = new Map<string, { settings: string; polled: PolledSource }>()
  let running: { stop: () => void; ended: Promise<unknown> } | null = null

  const polledSource = (source: Source): PolledSource => {
    const settings = JSON.stringify(source)
    const same = polled.get(source.id)
    if (same?.settings === settings) return same.polled
    const api = deps.apiOf(source)
    const pollers = new Map(streamNames.map(stream => [stream, streamPoller(deps, source, stream)]))
    const fresh = newPolledSource(source, api, pollers)
    polled.set(source.id, { settings, polled: fresh })
    return fresh
  }

  const runOne = async (source: Source, run: Run): Promise<void> => {
    try {
      await runSource(deps, polledSource(source), run)
    } catch (error) {
      tellOf(source.id, error)
    }
  }

  const tellOf = (source: string, error: unknown): void => {
    const { reason, hint } = faultOf(error)
    for (const stream of streamNames) {
      deps.reporter.report({ kind: 'poll_fault', source, stream, reason, hint })
    }
  }

  const runAll = async (run: Run, earlier: typeof running): Promise<void> => {
    // What a process remembers has one user at a time: an earlier run of the same process ends first.
    earlier?.stop()
    await earlier?.ended.catch(() => undefined)
    const sources = (await deps.sources.list(tellOf)).filter(source => source.state === 'active')
    await Promise.all(sources.map(source => runOne(withPaceOf(deps, source), run)))
  }

  return {
    run: async run => {
      const earlier = running
      const stopped = new AbortController()
      const signal = AbortSignal.any([run.signal, stopped.signal])
      const ended = runAll({ ...run, signal }, earlier)
      running = { stop: () => stopped.abort(), ended }
      await ended
    },
  }
}

const withPaceOf = ({ pollEverySecondsMin = 0 }: PollerDeps, source: Source): Source => ({
  ...source,
  pollEverySeconds: Math.max(source.pollEverySeconds, pollEverySecondsMin),
})

const silent: Reporter = { report: () => undefined }

const streamPoller = (deps: PollerDeps, source: Source, stream: StreamName): StreamPoller => {
  const of = { sourceId: source.id, stream }
  const known = createKnownRecords({ log: deps.log, clock: deps.clock, ...of })
  const context: StreamContext = {
    source,
    stream,
    cursors: deps.cursors,
    log: deps.log,
    known,
    intake: createIntake({ ...deps, known, enqueue: createEnqueue(deps, of) }, of),
    logAsSeen: createEnqueue({ ...deps, reporter: silent }, of),
    reporter: deps.reporter,
    clock: deps.clock,
  }
  return createStreamPoller(context, deps.sweeps ?? sweepPlans)
}
