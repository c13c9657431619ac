import { laterAnchor } from './anchor-rule.ts'
import type { Cursor, VersionedCursor } from './cursor.ts'
import { cursorAfterLoss } from './cursor-after-loss.ts'
import type { Purpose, RequestGate } from './request-gate.ts'
import { cursorKey, fetchAsk, type StreamContext, takePage } from './stream-context.ts'
import { runWalk, type WalkReport } from './walk.ts'
import { type Anchor, beginWalk, type WalkState } from './walk-state.ts'

/** A cursor that says nothing new is written at most this often. */
const idleCommitMs = 60_000

/** Polls for what is new: from the newest record of a second before the newest one. Commits nothing. */
export const walkNews = (
  context: StreamContext,
  gate: RequestGate,
  poll: {
    cursor: Cursor
    state: WalkState
    /** A record newer than the walk's start is known. */
    expectKnown: boolean
    isOver: () => boolean
  },
): Promise<WalkReport> =>
  runWalk(poll.state, {
    fetch: (ask, first) => fetchAsk(gate, context.stream, ask, { kind: 'news', backlog: !first }),
    intake: page => takePage(context, gate, poll.cursor, page),
    commit: async () => 'committed',
    isOver: poll.isOver,
    overlapSeconds: context.source.overlapSeconds,
    expectKnown: poll.expectKnown,
  })

/** Reads from the anchor, or goes on where an earlier run left off, and moves the anchor as its rule allows. */
export const walkFromAnchor = async (
  context: StreamContext,
  gate: RequestGate,
  poll: {
    at: VersionedCursor
    /** Catching up is news; reading the overlap once more has a budget of its own. */
    purpose: Purpose['kind']
    /** Where the budget does not reach for all: stop there, since fast polls read what is newer. */
    stopSecond: number | null
    isOver: () => boolean
  },
): Promise<{ report: WalkReport; at: VersionedCursor }> => {
  let { cursor, version } = poll.at
  // Without an anchor the list alone says what is newest: what was seen before may be forgotten.
  const newestSecond = cursor.anchor === null ? null : (cursor.newest?.second ?? null)
  // The whole list after a loss: what the service forgot once it may have forgotten all over.
  const byNext = cursor.anchor === null && cursor.anchorsLost > 0
  const begun = cursor.place ?? beginWalk({ from: cursor.anchor, newestSecond, stopSecond: null, byNext })
  // Who catches up reads to the end, wherever an earlier run meant to stop.
  const stopSecond = poll.purpose === 'news' ? null : (begun.stopSecond ?? poll.stopSecond)
  const start = { ...begun, stopSecond }
  const from = start.from
  const knownNewer = cursor.newest !== null && from !== null && cursor.newest.second > from.second
  const report = await runWalk(start, {
    fetch: (ask, first) => fetchAsk(gate, context.stream, ask, { kind: poll.purpose, backlog: !first }),
    intake: page => takePage(context, gate, cursor, page),
    commit: async (state, complete) => {
      const next = cursorAfter(cursor, state, { complete, nowMs: context.clock.now() })
      if (!worthCommitting(cursor, next)) return 'committed'
      const result = await context.cursors.commit(cursorKey(context, 'main'), next, version)
      if (result === 'committed') {
        cursor = next
        version += 1
      }
      return result
    },
    isOver: poll.isOver,
    overlapSeconds: context.source.overlapSeconds,
    expectKnown: knownNewer,
  })
  return { report, at: { cursor, version } }
}

/** The cursor after a page of a walk from the anchor. Pure. */
export const cursorAfter = (
  cursor: Cursor,
  state: WalkState,
  walk: { complete: boolean; nowMs: number },
): Cursor => {
  // Where the order is ignored, what was read says nothing of what is older until the walk is complete.
  const mayMove = walk.complete || !state.orderIgnored
  // Never back: a walk that an older state began must not undo what a later one committed.
  const anchor = mayMove ? laterAnchor(cursor.anchor, anchorOf(state.candidate)) : cursor.anchor
  // With the anchor, so that a newer record than it is known: an answer that lacks all of those tells of its loss.
  const newest = laterAnchor(cursor.newest, state.newest)
  const moved: Cursor = { ...cursor, anchor, origin: cursor.origin ?? anchor, newest }
  if (!walk.complete) return { ...moved, place: state }
  return {
    ...moved,
    place: null,
    newest: readWholeList(state) ? state.newest : newest,
    firstWalkComplete: true,
    lastCompleteWalkAtMs: walk.nowMs,
    anchorsLost: 0,
  }
}

const anchorOf = (candidate: WalkState['candidate']): Anchor | null =>
  candidate === null ? null : { uuid: candidate.uuid, second: candidate.second }

/** Such a walk forgets what the list has no more, so that it isn't missed at every poll. */
const readWholeList = (state: WalkState): boolean => state.from === null && state.stopSecond === null

const worthCommitting = (before: Cursor, after: Cursor): boolean => {
  const { lastCompleteWalkAtMs: was, ...rest } = before
  const { lastCompleteWalkAtMs: is, ...other } = after
  const saysMore = JSON.stringify(rest) !== JSON.stringify(other)
  const saidLongAgo = is !== null && (was === null || is - was >= idleCommitMs)
  return saysMore || saidLongAgo
}

/** Sets the cursor back after a loss, and tells of that of an anchor. */
export const resetAfterLoss = async (
  context: StreamContext,
  at: VersionedCursor,
  loss: { reason: string; wasAnchor: boolean },
): Promise<'committed' | 'moved'> => {
  const next = await cursorAfterLoss(context, at.cursor, loss)
  if (loss.wasAnchor && at.cursor.anchor !== null) {
    const { source, stream } = context
    context.reporter.report({ kind: 'anchor_lost', source: source.id, stream, reason: loss.reason })
  }
  return context.cursors.commit(cursorKey(context, 'main'), next, at.version)
}
