import { anchorBefore, serverErrorsMax } from './anchors-in-log.ts'
import { type Cursor, type CursorName, emptyCursor, type VersionedCursor } from './cursor.ts'
import { cursorAfterLoss } from './cursor-after-loss.ts'
import type { RequestGate } from './request-gate.ts'
import { cursorKey, fetchAsk, type StreamContext, streamOf, takePage } from './stream-context.ts'
import { askedForAnchor, runWalk, serverErrorsAfter, type WalkReport } from './walk.ts'
import { type Anchor, beginWalk } from './walk-state.ts'

/** A re-reading of the past for records that became visible later than the overlap reaches. */
export type SweepPlan = {
  name: Exclude<CursorName, 'main'>
  /** How far back it reads. */
  spanSeconds: number
  everyMs: number
  /**
   * Where it is late, it reads back from when it was due: what became visible late while nobody polled, of a time between
   * the sweep before and this one, no other walk would ever show.
   */
  fromDue?: boolean
}

/** The last hour every quarter of an hour, and a day and its lateness every six hours (DESIGN.md, section 4). */
export const sweepPlans: readonly SweepPlan[] = [
  { name: 'sweep-hour', spanSeconds: 3_600, everyMs: 900_000 },
  { name: 'sweep-days', spanSeconds: 32 * 3_600, everyMs: 6 * 3_600_000, fromDue: true },
]

/** A sweep that fails, or loses its way, is gone on with after this: news have their own pace. */
const sweepRetryMs = 60_000

/** When a sweep of this process next has something to do (null while nobody has looked), and its 5xx in a row. */
export type SweepMemory = { nextAtMs: number | null; serverErrors: number }

/** `resumed`: it went on where an earlier poll had left off. */
export type SweepReport = WalkReport & { resumed: boolean }

/**
 * Begins the sweep where it is due, or goes on with it; null where there is nothing to do. A sweep that doesn't fit
 * into this run keeps its place in a cursor of its own.
 */
export const runSweep = async (
  context: StreamContext,
  gate: RequestGate,
  sweep: { plan: SweepPlan; memory: SweepMemory; main: Cursor; isOver: () => boolean },
): Promise<SweepReport | null> => {
  const { plan, memory, main } = sweep
  const now = context.clock.now()
  if (memory.nextAtMs !== null && now < memory.nextAtMs) return null
  const key = cursorKey(context, plan.name)
  const found = await context.cursors.read(key)
  if (found === null) {
    const nextAtMs = now + plan.everyMs
    const first = { ...emptyCursor, sweep: { fromSecond: 0, toSecond: 0, running: false, nextAtMs } }
    await context.cursors.commit(key, first, null)
    memory.nextAtMs = nextAtMs
    return null
  }
  const state = found.cursor.sweep
  if (state === null || (!state.running && now < state.nextAtMs)) {
    memory.nextAtMs = state?.nextAtMs ?? null
    return null
  }
  const begun = state.running ? found : await beginSweep(context, gate, { plan, main, found })
  if (begun === null) return null
  const { report, at } = await walkSweep(context, gate, { plan, main, begun, isOver: sweep.isOver })
  if (report.end.kind === 'lost' || failsWithLastId(memory, report))
    await resetSweep(context, plan, at, report)
  memory.nextAtMs = nextLook(report, begun.cursor, now)
  return { ...report, resumed: begun.cursor.place !== null }
}

const nextLook = ({ end }: WalkReport, begun: Cursor, now: number): number | null => {
  if (end.kind === 'complete') return begun.sweep?.nextAtMs ?? null
  return end.kind === 'lost' || end.kind === 'failed' ? now + sweepRetryMs : null
}

/** The poll before the sweep was answered, so it is the sweep's `last_id` that the service fails with. */
const failsWithLastId = (memory: SweepMemory, report: WalkReport): boolean => {
  memory.serverErrors = serverErrorsAfter(memory.serverErrors, report)
  if (memory.serverErrors < serverErrorsMax) return false
  memory.serverErrors = 0
  return true
}

const beginSweep = async (
  context: StreamContext,
  gate: RequestGate,
  sweep: { plan: SweepPlan; main: Cursor; found: VersionedCursor },
): Promise<VersionedCursor | null> => {
  const { plan, main, found } = sweep
  const nowSecond = gate.serviceSecond()
  const nowMs = context.clock.now()
  const lateMs = plan.fromDue === true ? Math.max(0, nowMs - (found.cursor.sweep?.nextAtMs ?? nowMs)) : 0
  const backSeconds = plan.spanSeconds + Math.ceil(lateMs / 1_000)
  const fromSecond = Math.max(nowSecond - backSeconds, main.floorSecond ?? nowSecond)
  const toSecond = nowSecond - context.source.overlapSeconds
  const cursor: Cursor = {
    ...found.cursor,
    anchor: await sweepAnchor(context, main, fromSecond),
    place: null,
    anchorsLost: 0,
    sweep: { fromSecond, toSecond, running: true, nextAtMs: context.clock.now() + plan.everyMs },
  }
  const committed = await context.cursors.commit(cursorKey(context, plan.name), cursor, found.version)
  return committed === 'committed' ? { cursor, version: found.version + 1 } : null
}

/** A record before all that the sweep covers. With none in the log the whole list is read. */
const sweepAnchor = async (
  context: StreamContext,
  main: Cursor,
  fromSecond: number,
): Promise<Anchor | null> => {
  if (main.anchor !== null && main.anchor.second < fromSecond) return main.anchor
  const logged = await anchorBefore(context.log, streamOf(context), fromSecond)
  if (logged !== null) return logged
  return main.origin !== null && main.origin.second < fromSecond ? main.origin : null
}

const walkSweep = async (
  context: StreamContext,
  gate: RequestGate,
  sweep: { plan: SweepPlan; main: Cursor; begun: VersionedCursor; isOver: () => boolean },
): Promise<{ report: WalkReport; at: VersionedCursor }> => {
  const { plan, main } = sweep
  const key = cursorKey(context, plan.name)
  let { cursor, version } = sweep.begun
  const range = cursor.sweep
  const start =
    cursor.place ??
    beginWalk({ from: cursor.anchor, newestSecond: null, stopSecond: range?.toSecond ?? null })
  const from = start.from
  const report = await runWalk(start, {
    fetch: (ask, first) => fetchAsk(gate, context.stream, ask, { kind: 'sweep', backlog: !first }),
    intake: page => takePage(context, gate, main, page),
    commit: async (state, complete) => {
      const next: Cursor = {
        ...cursor,
        place: complete ? null : state,
        lastCompleteWalkAtMs: complete ? context.clock.now() : cursor.lastCompleteWalkAtMs,
        sweep: range === null ? null : { ...range, running: !complete },
      }
      const result = await context.cursors.commit(key, next, version)
      if (result === 'committed') {
        cursor = next
        version += 1
      }
      return result
    },
    isOver: sweep.isOver,
    overlapSeconds: context.source.overlapSeconds,
    expectKnown: from !== null && main.newest !== null && main.newest.second > from.second,
  })
  reportBehind(context, plan, cursor)
  return { report, at: { cursor, version } }
}

const resetSweep = async (
  context: StreamContext,
  plan: SweepPlan,
  { cursor, version }: VersionedCursor,
  report: WalkReport,
): Promise<void> => {
  const wasAnchor = cursor.anchor !== null && askedForAnchor(report, cursor.anchor)
  const next = await cursorAfterLoss(context, cursor, { wasAnchor })
  await context.cursors.commit(cursorKey(context, plan.name), next, version)
}

const reportBehind = (context: StreamContext, plan: SweepPlan, cursor: Cursor): void => {
  const { sweep } = cursor
  const lateMs = sweep?.running === true ? context.clock.now() - sweep.nextAtMs : 0
  if (lateMs <= 0) return
  context.reporter.report({
    kind: 'sweep_behind',
    source: context.source.id,
    stream: context.stream,
    sweep: plan.name,
    bySeconds: Math.floor(lateMs / 1000),
  })
}
