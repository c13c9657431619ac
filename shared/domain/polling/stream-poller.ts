import { laterAnchor } from './anchor-rule.ts'
import { serverErrorsMax } from './anchors-in-log.ts'
import type { VersionedCursor } from './cursor.ts'
import { findStart } from './find-start.ts'
import { noCounts } from './intake.ts'
import { resetAfterLoss, walkFromAnchor, walkNews } from './main-walks.ts'
import { reported, reportPoll } from './poll-report.ts'
import type { RequestGate } from './request-gate.ts'
import { cursorKey, fetchAsk, type StreamContext } from './stream-context.ts'
import { runSweep, type SweepMemory, type SweepPlan } from './sweeps.ts'
import { askedForAnchor, failedWithLastId, serverErrorsAfter, type WalkEnd, type WalkReport } from './walk.ts'
import { type Anchor, beginWalk, type WalkState } from './walk-state.ts'

/**
 * A re-reading that was out of budget goes on after this. Its share is free again bit by bit: who came for it only once a
 * minute would get half of it.
 */
const rereadAgainMs = 15_000

/** One poll of a stream, and what became of it. */
export type StreamPoller = {
  /** Walks once: what is new, then the overlap and sweeps where they are due, until `isOver`. */
  poll(gate: RequestGate, isOver: () => boolean): Promise<WalkEnd>
}

/** What a process knows of a stream beside its cursor; losing it costs a re-reading. */
type Memory = {
  at: VersionedCursor | null
  /** Where fast polls begin; null until a walk from the anchor is complete. */
  frontier: Anchor | null
  /** The newest record of a walk that was complete: one that an answer may not lack with all others. */
  newest: Anchor | null
  /** A walk for news that is not complete. */
  newsPlace: WalkState | null
  /** When the overlap is to be read again, or gone on with: our clock. */
  overlapDueMs: number
  /** The budget did not reach for reading the overlap again to its end. */
  overlapLimited: boolean
  /** 5xx in a row, each walk's own: while one `last_id` fails, the other may be answered. */
  serverErrors: { news: number; overlap: number }
}

const nothing = (): Memory => ({
  at: null,
  frontier: null,
  newest: null,
  newsPlace: null,
  overlapDueMs: Number.NEGATIVE_INFINITY,
  overlapLimited: false,
  serverErrors: { news: 0, overlap: 0 },
})

export const createStreamPoller = (context: StreamContext, plans: readonly SweepPlan[]): StreamPoller => {
  const memory = nothing()
  const sweepMemories = new Map<SweepPlan, SweepMemory>(
    plans.map(plan => [plan, { nextAtMs: null, serverErrors: 0 }]),
  )

  const news = async (gate: RequestGate, frontier: Anchor, isOver: () => boolean): Promise<WalkEnd> => {
    const { at } = memory
    if (at === null) return { kind: 'unfinished', why: 'run_over' }
    const newestSecond = memory.newest?.second ?? null
    const state = memory.newsPlace ?? beginWalk({ from: frontier, newestSecond, stopSecond: null })
    const expectKnown = newestSecond !== null && newestSecond > (state.from?.second ?? newestSecond)
    const report = await reported(
      context,
      gate,
      { walk: 'news', resumed: memory.newsPlace !== null },
      memory,
      () => walkNews(context, gate, { cursor: at.cursor, state, expectKnown, isOver }),
    )
    const { end } = report
    // A place that was gone on with from stays, where nothing came of it: what lies before it has been read.
    const hasPlace = report.pages > 0 || memory.newsPlace !== null
    memory.newsPlace = hasPlace && mayGoOn(report) ? report.state : null
    if (end.kind === 'complete') advanceFrontier(memory, report.state)
    // Whatever became of the frontier, the anchor still stands: read from there at once.
    const fails = await failsWithLastId(context, gate, memory, 'news', report)
    if (end.kind === 'lost' || fails) loseFrontier(memory)
    return fails ? { kind: 'lost', reason: 'server_error' } : end
  }

  const overlap = async (gate: RequestGate, isOver: () => boolean): Promise<WalkEnd> => {
    const found = await context.cursors.read(cursorKey(context, 'main'))
    if (found === null) {
      // An operator has removed it: the stream begins anew.
      Object.assign(memory, nothing())
      return { kind: 'superseded' }
    }
    // Fast polls know the newest record better than the cursor; what the anchor may be depends on it.
    const newest = laterAnchor(found.cursor.newest, memory.newest)
    const at = { ...found, cursor: { ...found.cursor, newest } }
    memory.at = at
    const catchesUp = memory.frontier === null
    const limited = memory.overlapLimited && !catchesUp
    const startedMs = context.clock.now()
    let reached = at
    const resumed = at.cursor.place !== null
    const report = await reported(context, gate, { walk: 'overlap', resumed }, memory, async () => {
      const walked = await walkFromAnchor(context, gate, {
        at,
        purpose: catchesUp ? 'news' : 'reread',
        stopSecond: limited ? gate.serviceSecond() - context.source.overlapSeconds : null,
        isOver,
      })
      reached = walked.at
      memory.at = walked.at
      return walked.report
    })
    const { end } = report
    const everyMs = (context.source.overlapSeconds * 1000) / 2
    if (end.kind === 'complete') {
      memory.overlapDueMs = startedMs + everyMs
      // Where one page is all that was new to the limit, the budget reaches for more again.
      memory.overlapLimited = limited && report.pages > 1
      if (report.state.stopSecond === null) advanceFrontier(memory, report.state)
    }
    if (end.kind === 'unfinished' && end.why === 'no_budget') {
      memory.overlapLimited = true
      memory.overlapDueMs = startedMs + Math.min(everyMs, rereadAgainMs)
    }
    const fails = await failsWithLastId(context, gate, memory, 'overlap', report)
    if (end.kind === 'lost' || fails) {
      const reason = end.kind === 'lost' ? end.reason : 'server_error'
      await resetAfterLoss(context, reached, {
        reason,
        wasAnchor: askedForAnchor(report, reached.cursor.anchor),
      })
      loseFrontier(memory)
      return { kind: 'lost', reason }
    }
    return end
  }

  const overlapDue = (): boolean => context.clock.now() >= memory.overlapDueMs

  const start = async (gate: RequestGate): Promise<WalkEnd | null> => {
    if (hasStarted(memory.at)) return null
    memory.at = await context.cursors.read(cursorKey(context, 'main'))
    if (hasStarted(memory.at)) return null
    const resumed = memory.at !== null
    const report = await reported(context, gate, { walk: 'start', resumed }, memory, async () => {
      const { end, pages } = await findStart(context, gate, memory.at)
      const state = beginWalk({ from: null, newestSecond: null, stopSecond: null })
      return { end, state, counts: noCounts, pages }
    })
    if (report.end.kind !== 'superseded') return report.end.kind === 'complete' ? null : report.end
    // Another run has found the start, or is looking for it: nothing is read before it is known.
    memory.at = await context.cursors.read(cursorKey(context, 'main'))
    return hasStarted(memory.at) ? null : report.end
  }

  return {
    poll: async (gate, isOver) => {
      const startedMs = context.clock.now()
      const notStarted = await start(gate)
      if (notStarted !== null) return notStarted
      const { frontier } = memory
      const end = frontier === null ? await overlap(gate, isOver) : await news(gate, frontier, isOver)
      if (end.kind !== 'complete' || isOver()) return end
      // Reading the past again must not keep what is new waiting; but it gets as long as the news took, at a slow service.
      const endedMs = context.clock.now()
      const nextPollMs = startedMs + context.source.pollEverySeconds * 1000
      const untilMs = Math.max(nextPollMs, endedMs + (endedMs - startedMs))
      const isPollOver = () => isOver() || context.clock.now() >= untilMs
      if (overlapDue()) {
        const again = await overlap(gate, isPollOver)
        // What is not re-read now is re-read later; only a failure says something of the poll.
        if (again.kind !== 'complete' && again.kind !== 'unfinished') return again
      }
      const main = memory.at?.cursor
      for (const [plan, sweepMemory] of sweepMemories) {
        // A page of each sweep at least, or a slow service would never be swept.
        if (main === undefined || !main.firstWalkComplete || isOver()) break
        await timedSweep(context, gate, memory, { plan, memory: sweepMemory, main, isOver: isPollOver })
      }
      return end
    },
  }
}

/** Whether it is known where the stream begins. */
const hasStarted = (at: VersionedCursor | null): boolean => at !== null && at.cursor.floorSecond !== null

/** Fast polls go on from the newest record of a second before the newest one, which may not be read whole yet. */
const advanceFrontier = (memory: Memory, state: WalkState): void => {
  const { newest, beforeNewest, from } = state
  memory.newest = newest ?? memory.newest
  memory.frontier = beforeNewest ?? from ?? memory.frontier
}

/** What the service forgot is not expected again, but for what the cursor says of it. */
const loseFrontier = (memory: Memory): void => {
  memory.frontier = null
  memory.newsPlace = null
  memory.newest = null
}

/** A `next` may have expired by the next poll; what follows a record of ours has not. */
const mayGoOn = ({ end, state }: WalkReport): boolean =>
  end.kind === 'unfinished' || (end.kind === 'failed' && state.ask.kind === 'after')

/** Whether the service fails with our `last_id` again and again, and answers without it. */
const failsWithLastId = async (
  context: StreamContext,
  gate: RequestGate,
  memory: Memory,
  walk: 'news' | 'overlap',
  report: WalkReport,
): Promise<boolean> => {
  const { serverErrors } = memory
  serverErrors[walk] = serverErrorsAfter(serverErrors[walk], report)
  if (!failedWithLastId(report) || serverErrors[walk] < serverErrorsMax) return false
  const fromStart = { kind: 'after', anchor: null } as const
  const probe = await fetchAsk(gate, context.stream, fromStart, { kind: 'news', backlog: false })
  if (probe.kind !== 'page') return false
  serverErrors[walk] = 0
  return true
}

const timedSweep = async (
  context: StreamContext,
  gate: RequestGate,
  memory: Memory,
  sweep: Parameters<typeof runSweep>[2],
): Promise<void> => {
  const startedMs = context.clock.now()
  const report = await runSweep(context, gate, sweep)
  if (report === null) return
  const { resumed } = report
  reportPoll(context, gate, { walk: sweep.plan.name, resumed }, memory, report, startedMs)
}
