import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Reporter } from '../happenings.ts'
import { type Source, type StreamName, streamNames } from '../source.ts'
import type { FeedbackApi } from './feedback-api.ts'
import { createLeaseWatch, keepWatch } from './lease-watch.ts'
import {
  adoptSpending,
  createRequestGate,
  type GateState,
  newGateState,
  type RequestGate,
  spendingOf,
} from './request-gate.ts'
import type { RunLease } from './run-lease.ts'
import type { StreamPoller } from './stream-poller.ts'
import { reportStreamState, type StreamStateDeps } from './stream-state.ts'
import type { WalkEnd } from './walk.ts'

/** After a refused token: asked again, seldom. */
export const refusedWaitMs = 60_000
/** The longest wait after failures in a row. */
export const failureWaitMsMax = 60_000
/** A stream that rests for less keeps its run: another one would begin no sooner. */
const restMsMin = 30_000
/** Anchors lost in a row that are followed up at once; a service that never follows `last_id` is asked at the pace. */
const lossesAtOnceMax = 5

/** A source as a process polls it, run after run. */
export type PolledSource = {
  source: Source
  api: FeedbackApi
  pollers: ReadonlyMap<StreamName, StreamPoller>
  gateState: GateState
  pace: Map<StreamName, Pace>
}

/** How a stream gets on, run after run. */
type Pace = {
  /** In a row. */
  failures: number
  /** It is not polled again before. */
  notBeforeMs: number
  /** Null until this process has seen one. */
  lastCompleteAtMs: number | null
  /** The share of an interval by which its second poll comes early; 0 once that is so. */
  headStart: number
}

export const newPolledSource = (
  source: Source,
  api: FeedbackApi,
  pollers: PolledSource['pollers'],
): PolledSource => ({
  source,
  api,
  pollers,
  gateState: newGateState(source.requestsPerMinute),
  pace: new Map(streamNames.map((stream, nth) => [stream, newPace(nth / streamNames.length)])),
})

const newPace = (headStart = 0): Pace => ({
  failures: 0,
  notBeforeMs: 0,
  lastCompleteAtMs: null,
  headStart,
})

export type RunDeps = StreamStateDeps & { lease: RunLease; clock: Clock; reporter: Reporter }

export type Run = {
  runId: string
  endsAtMs: number
  /** When the next run is to begin, where it costs to wait for it: a run whose streams rest until then ends. */
  nextRunAtMs?: number
  signal: AbortSignal
}

/**
 * Polls both streams of a source until the run's end, or until a newer run has taken the lease: so that no gap opens
 * between runs. The streams share one budget; a failing one does not delay the other.
 */
export const runSource = async (deps: RunDeps, polled: PolledSource, run: Run): Promise<void> => {
  const { lease, clock } = deps
  const { source, gateState } = polled
  const of = { sourceId: source.id, runId: run.runId }
  const taken = await lease.take({ ...of, atMs: clock.now() })
  adoptSpending(gateState, source.requestsPerMinute, taken.spending)

  const ended = new AbortController()
  const signal = AbortSignal.any([run.signal, ended.signal])
  const isOver = () => signal.aborted || clock.now() >= run.endsAtMs
  const watch = createLeaseWatch(deps, of, {
    requestsPerMinute: source.requestsPerMinute,
    spending: () => spendingOf(gateState, clock.now()),
    onTaken: () => ended.abort(),
  })
  const gateDeps = { api: polled.api, clock, requestsPerMinute: source.requestsPerMinute }
  const { spent: onSpent, isOurs } = watch
  const gate = createRequestGate(gateDeps, gateState, { isOver, signal, onSpent, isOurs })

  const watching = keepWatch(clock, watch, { isOver, signal, everyMs: source.pollEverySeconds * 1000 })
  const loops = [...polled.pollers].map(([stream, poller]) => {
    const pace = polled.pace.get(stream) ?? newPace()
    const limits = { isOver, signal, endsAtMs: run.endsAtMs, nextRunAtMs: run.nextRunAtMs ?? null }
    return pollLoop(deps, { source, stream, poller, gate, pace }, limits)
  })
  try {
    await Promise.all(loops)
  } finally {
    ended.abort()
    await watching
  }
  for (const [stream, { lastCompleteAtMs }] of polled.pace) {
    const state = { sourceId: source.id, stream, lastCompleteAtMs, firstTakenAtMs: taken.firstTakenAtMs }
    await reportStreamState(state, deps)
  }
}

type Polled = {
  source: Source
  stream: StreamName
  poller: StreamPoller
  gate: RequestGate
  pace: Pace
}

const pollLoop = async (
  deps: RunDeps,
  polled: Polled,
  run: { isOver: () => boolean; signal: AbortSignal; endsAtMs: number; nextRunAtMs: number | null },
): Promise<void> => {
  const { clock } = deps
  const { source, stream, gate, pace } = polled
  let losses = 0
  while (!run.isOver()) {
    const waitMs = pace.notBeforeMs - clock.now()
    if (waitMs > 0) {
      if (restsUntilNextRun(pace, waitMs, run.nextRunAtMs)) return
      await clock.sleep(Math.min(waitMs, run.endsAtMs - clock.now()), run.signal)
      continue
    }
    const startedMs = clock.now()
    const end = await pollOnce(deps, polled, run.isOver)
    losses = end.kind === 'lost' ? losses + 1 : 0
    if (end.kind === 'lost' && losses < lossesAtOnceMax) continue
    const pollEveryMs = source.pollEverySeconds * 1000
    const leastMs = end.kind === 'complete' ? gate.pollEnded(stream) : 0
    if (end.kind === 'complete') pace.lastCompleteAtMs = clock.now()
    if (end.kind === 'failed' || end.kind === 'lost') gate.pollFailed(stream)
    const failed = end.kind === 'failed'
    // A walk that fails on its way still gets on: it is not to wait as long as one that gets nowhere.
    const before = failed && end.gotOn === true ? 0 : pace.failures
    pace.failures = failed ? before + 1 : 0
    const everyMs = waitAfter(end, pace.failures, Math.max(pollEveryMs, leastMs))
    pace.notBeforeMs = startedMs + everyMs - takeHeadStart(pace, end, everyMs)
  }
}

/**
 * Streams are polled in turn: what all of them bring in one moment would wait for itself. A run that ends with its poll
 * gets no longer by it.
 */
const takeHeadStart = (pace: Pace, end: WalkEnd, everyMs: number): number => {
  if (end.kind !== 'complete' || everyMs >= restMsMin) return 0
  const earlyMs = everyMs * pace.headStart
  pace.headStart = 0
  return earlyMs
}

const restsUntilNextRun = (pace: Pace, waitMs: number, nextRunAtMs: number | null): boolean =>
  nextRunAtMs !== null && waitMs >= restMsMin && pace.notBeforeMs >= nextRunAtMs

/** How long after a poll's start the next one begins. */
export const waitAfter = (end: WalkEnd, failures: number, pollEveryMs: number): number => {
  if (end.kind !== 'failed') return pollEveryMs
  if (end.error?.failure === 'refused') return Math.max(refusedWaitMs, pollEveryMs)
  const grown = pollEveryMs * 2 ** Math.min(failures - 1, 10)
  return Math.max(pollEveryMs, Math.min(grown, failureWaitMsMax))
}

/** A fault of ours ends this poll, not the run: the other stream goes on, and this one is polled again. */
const pollOnce = async (deps: RunDeps, polled: Polled, isOver: () => boolean): Promise<WalkEnd> => {
  try {
    return await polled.poller.poll(polled.gate, isOver)
  } catch (error) {
    const { reason, hint } = faultOf(error)
    deps.reporter.report({
      kind: 'poll_fault',
      source: polled.source.id,
      stream: polled.stream,
      reason,
      hint,
    })
    return { kind: 'failed', reason, error: null }
  }
}
