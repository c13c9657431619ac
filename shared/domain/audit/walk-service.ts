import type { Clock } from '../clock.ts'
import { laterAnchor } from '../polling/anchor-rule.ts'
import { anchorAfterLoss, anchorBefore, olderAnchorsMax, serverErrorsMax } from '../polling/anchors-in-log.ts'
import type { Cursor } from '../polling/cursor.ts'
import type { EventLog } from '../polling/event-log.ts'
import { askedForAnchor, failedWithLastId, runWalk, type WalkReport } from '../polling/walk.ts'
import { type Anchor, type Ask, beginWalk } from '../polling/walk-state.ts'
import { daySeconds } from '../time-units.ts'
import type { AuditGate } from './audit-gate.ts'
import type { AuditedStream, PageComparer } from './compare-page.ts'

/** Failures in a row, and ways that led nowhere, after which the service counts as not readable. */
const failuresMax = 5
/** Fewer where it never answers: a person waits, and a wrong address or a fallen service stays so for minutes. */
const unansweredMax = 3
const lossesMax = olderAnchorsMax + 2
const failureWaitMs = 2_000

export type AuditRange = {
  fromSecond: number
  /** By our clock. */
  toSecond: number
  /** What is newer, by the service's clock, the poller may still be reading. */
  settleSeconds: number
  overlapSeconds: number
}

export type ServiceWalk =
  | { kind: 'walked'; untilSecond: number }
  | { kind: 'unreadable'; reason: string; status: number | null; hint: string }
  | { kind: 'interrupted' }

export type WalkServiceDeps = {
  gate: AuditGate
  log: EventLog
  comparer: PageComparer
  clock: Clock
  signal: AbortSignal
  onPage: (second: number | null) => void
  onFailure: (failure: ServiceFailure) => void
}

/** A request failed, and the service is asked again after a wait. */
export type ServiceFailure = { reason: string; failures: number; failuresMax: number; waitMs: number }

/**
 * Walks a list over a range of time, as the poller does: from a record of the log that lies before it, by our own
 * `last_id` where that can be trusted; from older ones, and in the end over the whole list, where it can't. Moves no
 * cursor. What a failed way has compared counts once all the same.
 */
export const walkService = async (
  of: AuditedStream & { range: AuditRange; cursor: Cursor },
  deps: WalkServiceDeps,
): Promise<ServiceWalk> => {
  const { range } = of
  const { clock, signal, log } = deps
  let anchor = await firstAnchor(of, log)
  // A service whose clock is ahead of ours has records of tomorrow.
  const nowSecond = Math.floor(clock.now() / 1_000)
  const newestSecond = (await anchorBefore(log, of, nowSecond + daySeconds))?.second ?? null
  const limits: Limits = { untilSecond: null }
  let state = beginAt(anchor, range)
  let losses = 0
  let failures = 0
  let isAnswered = false
  for (;;) {
    const expectKnown = newestSecond !== null && state.from !== null && newestSecond > state.from.second
    const report = await walkOnce(of, deps, { state, expectKnown, limits })
    const { end } = report
    if (end.kind === 'complete') return { kind: 'walked', untilSecond: limits.untilSecond ?? range.toSecond }
    if (signal.aborted || end.kind === 'unfinished') return { kind: 'interrupted' }
    if (report.pages > 0) failures = 0
    isAnswered ||= report.pages > 0 || !isUnreachable(report)
    if (end.kind === 'failed') failures += 1
    const isLost = end.kind === 'lost' || (failedWithLastId(report) && failures >= serverErrorsMax)
    if (isLost && losses < lossesMax) {
      losses += 1
      failures = 0
      if (anchor !== null && (end.kind !== 'lost' || askedForAnchor(report, anchor))) {
        anchor = await anchorAfterLoss(log, of, { anchor, lost: losses })
      }
      state = beginAt(anchor, range)
      continue
    }
    const triesMax = isAnswered ? failuresMax : unansweredMax
    const giveUp = isLost || !mayTryAgain(report) || failures >= triesMax
    if (giveUp) return unreadable(report)
    const waitMs = failureWaitMs * 2 ** (failures - 1)
    deps.onFailure({ reason: reasonOf(end), failures, failuresMax: triesMax, waitMs })
    await clock.sleep(waitMs, signal)
    state = report.state
  }
}

/** Set by the first answer: only then is the service's clock known. */
type Limits = { untilSecond: number | null }

const beginAt = (from: Anchor | null, { toSecond }: AuditRange) =>
  beginWalk({ from, newestSecond: null, stopSecond: toSecond })

/** The newest record before the range that we know of; with none, the whole list is read. */
const firstAnchor = async (
  { sourceId, stream, range, cursor }: Parameters<typeof walkService>[0],
  log: EventLog,
): Promise<Anchor | null> => {
  const logged = await anchorBefore(log, { sourceId, stream }, range.fromSecond)
  const kept = [cursor.origin, cursor.anchor].map(anchor =>
    anchor !== null && anchor.second < range.fromSecond ? anchor : null,
  )
  return kept.reduce(laterAnchor, logged)
}

const walkOnce = (
  of: AuditedStream & { range: AuditRange },
  { gate, comparer, signal, onPage }: WalkServiceDeps,
  walk: { state: ReturnType<typeof beginWalk>; expectKnown: boolean; limits: Limits },
): Promise<WalkReport> => {
  const { fromSecond, toSecond, settleSeconds, overlapSeconds } = of.range
  const { limits } = walk
  return runWalk(walk.state, {
    fetch: async ask => {
      const got = await gate.fetch(requestOf(of, ask))
      if (got.kind === 'page') limits.untilSecond ??= Math.min(toSecond, got.answeredSecond - settleSeconds)
      return got
    },
    intake: async page => {
      const result = await comparer.compare(page, { fromSecond, untilSecond: limits.untilSecond ?? toSecond })
      onPage(page.records.at(-1)?.second ?? null)
      return result
    },
    commit: async () => 'committed',
    isOver: () => signal.aborted,
    overlapSeconds,
    expectKnown: walk.expectKnown,
  })
}

const requestOf = ({ stream }: AuditedStream, ask: Ask) =>
  ask.kind === 'next'
    ? ({ stream, order: 'asc', lastId: null, nextQuery: ask.query } as const)
    : ({ stream, order: 'asc', lastId: ask.anchor?.uuid ?? null, nextQuery: null } as const)

/** A token that is refused stays so; a fault that no request made is the same the next time. */
const mayTryAgain = ({ end }: WalkReport): boolean =>
  end.kind === 'failed' && end.error !== null && end.error.failure !== 'refused'

const isUnreachable = ({ end }: WalkReport): boolean =>
  end.kind === 'failed' && end.error?.failure === 'unreachable'

const reasonOf = (end: WalkReport['end']): string => {
  if (end.kind === 'failed' && end.error !== null) return end.error.code
  return end.kind === 'failed' || end.kind === 'lost' ? end.reason : end.kind
}

const unreadable = ({ end }: WalkReport): ServiceWalk => {
  if (end.kind === 'failed' && end.error !== null) {
    const { code, status, hint } = end.error
    return { kind: 'unreadable', reason: code, status, hint }
  }
  const reason = reasonOf(end)
  return { kind: 'unreadable', reason, status: null, hint: hints.get(reason) ?? otherHint }
}

const otherHint = "The service's list leads nowhere from here; try again later, or a shorter range of time."
const hints = new Map([['too_many_records', 'Give a shorter range of time.']])
