import { type Ask, advanceWalk, type PageFacts, type WalkState, type WalkStep } from './walk-state.ts'

/** A page, and how many records it has: those that can't be read take their places in it. */
export type CountedPage = PageFacts & { count: number }

type Series = NonNullable<WalkState['series']>

/** How often a walk begins a series again, before it reads on without moving its anchor. */
export const begunAgainMax = 3

/**
 * Takes a walk one page further, and trusts pages that were asked for by `next` only when it is known that no page became
 * larger meanwhile. A `next` may name a page by its number (field notes, "next"): where the pages grow between two
 * requests, what lies between is on neither. So a series of such pages ends with its first page once more; a page that
 * is larger than that was begins the series again. Until then no record of it may be the anchor.
 */
export const advanceSeries = (before: WalkState, page: CountedPage, overlapSeconds: number): WalkStep => {
  const { series, doubted } = before
  if (doubted !== null) return withoutTrust({ ...before, doubted }, page, overlapSeconds)
  if (series !== null && series.onward !== null)
    return endSeries(before, { series, onward: series.onward }, page, overlapSeconds)
  const isByNext = before.ask.kind === 'next'
  const { pageSize } = series ?? before
  if (isByNext && pageSize !== null && page.count > pageSize) return beginAgain(before, page, overlapSeconds)
  const step = withPageSize(advanceWalk(withReached(before), page, overlapSeconds), page)
  if (step.kind !== 'page') return step
  const goesByNext = !step.complete && step.state.ask.kind === 'next'
  if (series === null && !isByNext)
    return goesByNext ? { ...step, state: begun(before, step.state, page) } : step
  const current = series ?? ofWholeWalk(before, page)
  const reached = placeOf(step.state)
  if (goesByNext)
    return { ...step, state: { ...step.state, ...current.sure, series: { ...current, reached } } }
  const onward = { ask: step.complete ? null : step.state.ask, atEnd: step.atEnd }
  const state = { ...step.state, ...current.sure, ask: firstAsk(current), lastSecond: null }
  return {
    kind: 'page',
    state: { ...state, series: { ...current, reached, onward } },
    complete: false,
    atEnd: false,
  }
}

const endSeries = (
  before: WalkState,
  { series, onward }: { series: Series; onward: NonNullable<Series['onward']> },
  page: CountedPage,
  overlapSeconds: number,
): WalkStep => {
  const again = advanceWalk({ ...before, series: null }, page, overlapSeconds)
  if (again.kind === 'lost') return again
  const ended = (state: WalkState): WalkStep => ({
    kind: 'page',
    state: { ...state, ask: onward.ask ?? before.ask, series: null },
    complete: onward.ask === null,
    atEnd: onward.atEnd,
  })
  if (page.count <= series.pageSize) return ended({ ...before, ...series.reached })
  if (before.begunAgain < begunAgainMax) return beginAgain(before, page, overlapSeconds)
  return ended({ ...before, ...series.sure, doubted: series.sure })
}

/**
 * A service whose pages differ is not walked for ever (some of the first being small, say, since it filters what it has
 * cut): after some times the walk reads on to its end, and what it reads is sent; but its anchor stays where it was sure,
 * so that the next walk reads all of it again.
 */
const beginAgain = (before: WalkState, page: CountedPage, overlapSeconds: number): WalkStep => {
  const series = before.series ?? ofWholeWalk(before, page)
  if (before.begunAgain >= begunAgainMax)
    return withoutTrust({ ...before, series: null, doubted: series.sure }, page, overlapSeconds)
  const state = {
    ...{ ...before, ...series.sure, ask: firstAsk(series), lastSecond: null, series: null },
    begunAgain: before.begunAgain + 1,
  }
  return { kind: 'page', state, complete: false, atEnd: false }
}

type Doubted = WalkState & { doubted: Series['sure'] }

const withoutTrust = (before: Doubted, page: CountedPage, overlapSeconds: number): WalkStep => {
  const step = withPageSize(advanceWalk(before, page, overlapSeconds), page)
  return step.kind === 'page' ? { ...step, state: { ...step.state, ...before.doubted } } : step
}

const newSeries = (first: Series['first'], pageSize: number, sure: Series['sure']): Series => ({
  ...{ first, pageSize, sure, reached: sure },
  onward: null,
})

/** After its first page, which was asked for by a record of ours: what it said of the anchor is sure. */
const begun = ({ ask }: WalkState, after: WalkState, { count }: CountedPage): WalkState => {
  const first = ask.kind === 'after' ? ask.anchor : null
  return { ...after, series: newSeries(first, count, placeOf(after)) }
}

/** Of a walk that goes by `next` from a page that is not known any more: it is begun again as a whole. */
const ofWholeWalk = (before: WalkState, { count }: CountedPage): Series =>
  newSeries(before.from, before.pageSize ?? count, placeOf(before))

const withPageSize = (step: WalkStep, { count }: CountedPage): WalkStep =>
  step.kind === 'page' ? { ...step, state: { ...step.state, pageSize: count } } : step

const firstAsk = ({ first }: Series): Ask => ({ kind: 'after', anchor: first })

const withReached = (state: WalkState): WalkState => ({ ...state, ...state.series?.reached })

const placeOf = ({ candidate, pending, startSecond, newestSecond }: WalkState): Series['sure'] => ({
  candidate,
  pending,
  startSecond,
  newestSecond,
})
