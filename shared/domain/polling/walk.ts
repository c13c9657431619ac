import type { IntakeCounts } from '../happenings.ts'
import type { FeedbackApiError } from './feedback-api.ts'
import { addCounts, type IntakeResult, noCounts, type ReadPage, readPage } from './intake.ts'
import { advanceSeries } from './page-series.ts'
import type { FetchResult } from './request-gate.ts'
import { type Anchor, type Ask, byNextInstead, noteKnown, type WalkState } from './walk-state.ts'

export type WalkEnd =
  | { kind: 'complete' }
  /** The run is over, its time for this is, or the budget: the walk goes on from its state. */
  | { kind: 'unfinished'; why: 'run_over' | 'no_budget' }
  /** `gotOn`: a request failed after some page had been read, sent and committed. */
  | { kind: 'failed'; reason: string; error: FeedbackApiError | null; gotOn?: boolean }
  /** Our `last_id` leads nowhere any more. */
  | { kind: 'lost'; reason: LostReason }
  /** Somebody else has moved the cursor, or polls now. */
  | { kind: 'superseded' }

export type LostReason = 'rejected' | 'earlier_record' | 'later_missing' | 'known_missing' | 'server_error'

export type WalkReport = { end: WalkEnd; state: WalkState; counts: IntakeCounts; pages: number }

export type WalkDeps = {
  fetch: (ask: Ask, first: boolean) => Promise<FetchResult>
  intake: (page: ReadPage) => Promise<IntakeResult>
  /** Called after each page whose records are all settled; `moved` ends the walk. */
  commit: (state: WalkState, complete: boolean) => Promise<'committed' | 'moved'>
  /** Whether no further page should be asked for. */
  isOver: () => boolean
  overlapSeconds: number
  /** Records newer than the walk's start are known: an answer that lacks them all does not follow our `last_id`. */
  expectKnown: boolean
}

/**
 * Walks a list page by page from `start`: while the records of one page are being sent, the next page is in flight.
 * Nothing is committed for a page of which a record is neither enqueued nor in quarantine.
 */
export const runWalk = async (start: WalkState, deps: WalkDeps): Promise<WalkReport> => {
  let state = start
  let counts = noCounts
  let pages = 0
  const asked = new Set<string>()
  let committed = 0
  const ended = (end: WalkEnd): WalkReport => {
    const gotOn = end.kind === 'failed' && end.error !== null && committed > 0
    const told = gotOn ? { ...end, gotOn } : end
    return { end: told, state, counts, pages }
  }
  const fetch = (ask: Ask, first: boolean): Promise<FetchResult> => {
    const page = deps.fetch(ask, first)
    // A walk that ends meanwhile awaits it no more; a fault of ours in it must not end the process.
    page.catch(() => undefined)
    return page
  }

  let inFlight = fetch(state.ask, true)
  for (;;) {
    const got = await inFlight
    if (got.kind === 'stopped') return ended({ kind: 'unfinished', why: got.why })
    const otherWay = byNextInstead(state)
    if (got.kind === 'failed') {
      const end = failureEnd(state.ask, got.error)
      if (end.kind !== 'lost' || otherWay === null) return ended(end)
      state = otherWay
      inFlight = fetch(state.ask, false)
      continue
    }
    pages += 1

    const read = readPage(got.page.records)
    const nextQuery = queryOf(got.page.next)
    const count = got.page.records.length
    const facts = { records: read.anchors, nextQuery, askedSecond: got.askedSecond, count }
    const step = advanceSeries(state, facts, deps.overlapSeconds)
    if (step.kind === 'lost') {
      if (otherWay === null) return ended({ kind: 'lost', reason: step.reason })
      state = otherWay
      inFlight = fetch(state.ask, false)
      continue
    }
    const leadsOn = step.kind === 'page' && (step.complete || !repeated(step.state.ask, asked))

    const goesOn = leadsOn && !step.complete && !deps.isOver()
    if (goesOn) inFlight = fetch(step.state.ask, false)
    const taken = await deps.intake(read)
    counts = addCounts(counts, taken.counts)
    if (taken.isSuperseded === true) return ended({ kind: 'superseded' })
    if (taken.failure !== null) return ended({ kind: 'failed', reason: taken.failure, error: null })
    // What the page shows is sent all the same: it may never be seen otherwise.
    if (!leadsOn) return ended({ kind: 'failed', reason: 'page_does_not_advance', error: null })

    const reached = noteKnown(step.state, seenBefore(taken.counts))
    if (step.atEnd && lacksKnown(reached, deps.expectKnown)) {
      return ended({ kind: 'lost', reason: 'known_missing' })
    }
    state = reached
    if ((await deps.commit(state, step.complete)) === 'moved') return ended({ kind: 'superseded' })
    committed += 1
    if (step.complete) return ended({ kind: 'complete' })
    if (!goesOn) return ended({ kind: 'unfinished', why: 'run_over' })
  }
}

/** Records that are not sent because of their age may have been seen before as well: they prove the answer's place. */
const seenBefore = (counts: IntakeCounts): number => counts.known + counts.beforeFloor + counts.beyondMemory

const lacksKnown = (state: WalkState, expectKnown: boolean): boolean =>
  expectKnown && state.from !== null && !state.sawKnown

/** Pages that lead to one another in a circle would be walked for ever. */
const repeated = (ask: Ask, asked: Set<string>): boolean => {
  if (ask.kind !== 'next') {
    // After a record it advances; or a series of larger pages begins anew.
    asked.clear()
    return false
  }
  if (asked.has(ask.query)) return true
  asked.add(ask.query)
  return false
}

/** Whether it was the anchor that led nowhere, and not only the place that the walk had reached. */
export const askedForAnchor = ({ end, state }: WalkReport, anchor: Anchor | null): boolean => {
  if (anchor === null) return false
  if (end.kind === 'lost' && end.reason === 'known_missing') return state.from?.uuid === anchor.uuid
  return state.ask.kind === 'after' && state.ask.anchor?.uuid === anchor.uuid
}

/** Whether the walk got beyond the place where it began: a page that only says that it is lost does not count. */
const gotOn = ({ end, pages }: WalkReport): boolean =>
  end.kind === 'failed' && end.error !== null ? end.gotOn === true : pages > 0

/** Whether the walk ended by a 5xx to a request that named a record; a `next` that has expired may be answered so too. */
export const failedWithLastId = ({ end, state: { ask } }: WalkReport): boolean =>
  end.kind === 'failed' &&
  end.error?.failure === 'server_error' &&
  (ask.kind === 'next' || ask.anchor !== null)

/** How many 5xx in a row there were to requests that named a record, with those of this walk; `before`: before it. */
export const serverErrorsAfter = (before: number, report: WalkReport): number =>
  (gotOn(report) ? 0 : before) + (failedWithLastId(report) ? 1 : 0)

const failureEnd = (ask: Ask, error: FeedbackApiError): WalkEnd => {
  const named = ask.kind === 'next' || ask.anchor !== null
  if (error.failure === 'rejected' && named) return { kind: 'lost', reason: 'rejected' }
  return { kind: 'failed', reason: error.code, error }
}

/** Of `next` only the query is used; what can't be read as a URL has none, and does not advance. */
export const queryOf = (next: string | null): string | null => {
  if (next === null) return null
  const at = next.indexOf('?')
  if (at < 0) return ''
  const end = next.indexOf('#', at)
  return next.slice(at + 1, end < 0 ? undefined : end)
}
