import type { PollHappening } from '../happenings.ts'
import type { VersionedCursor } from './cursor.ts'
import type { RequestGate } from './request-gate.ts'
import type { StreamContext } from './stream-context.ts'
import type { WalkReport } from './walk.ts'
import type { Anchor } from './walk-state.ts'

export type Walk = Pick<PollHappening, 'walk' | 'resumed'>

/** What is known of a stream when the walk has ended. */
type Known = { readonly at: VersionedCursor | null; readonly newest: Anchor | null }

/** Runs a walk and tells what it did: one wide line. */
export const reported = async (
  context: StreamContext,
  gate: RequestGate,
  walk: Walk,
  known: Known,
  run: () => Promise<WalkReport>,
): Promise<WalkReport> => {
  const startedMs = context.clock.now()
  const report = await run()
  reportPoll(context, gate, walk, known, report, startedMs)
  return report
}

/** Tells what a walk did that began at `startedMs` of our clock. */
export const reportPoll = (
  context: StreamContext,
  gate: RequestGate,
  { walk, resumed }: Walk,
  known: Known,
  report: WalkReport,
  startedMs: number,
): void => {
  const { end, counts, state, pages } = report
  // No budget, or no time: nothing was asked, and nothing is to tell.
  if (end.kind === 'unfinished' && pages === 0) return
  const error = end.kind === 'failed' ? end.error : null
  const second = gate.serviceSecond()
  const newest = (state.newest ?? known.newest)?.second ?? null
  const anchor = known.at?.cursor.anchor?.second
  context.reporter.report({
    kind: 'poll',
    source: context.source.id,
    stream: context.stream,
    walk,
    resumed,
    outcome: end.kind === 'lost' ? 'failed' : end.kind,
    reason: end.kind === 'failed' || end.kind === 'lost' ? end.reason : null,
    status: error?.status ?? null,
    detail: error?.message ?? null,
    hint: error?.hint ?? null,
    requests: gate.takeRequests(context.stream),
    ...counts,
    tookMs: context.clock.now() - startedMs,
    budgetLeft: gate.budgetLeft(),
    newestAgeSeconds: newest === null ? null : second - newest,
    anchorAgeSeconds: anchor === undefined ? null : second - anchor,
  })
}
