import { type Ask, advanceWalk, type PageFacts, type WalkState, type WalkStep } from './walk-state.ts'

/** A page, and how many records it has: those that can't be read take their places in it. */
export type CountedPage = PageFacts & { count: number }

type Series = NonNullable<WalkState['series']>

/**
 * Takes a walk one page further, and trusts pages that were asked for by `next` only when it is known that no page became
 * larger meanwhile. A `next` may name a page by its number (field notes, "next"): where the pages grow between two
 * requests, what lies between is on neither. So a series of such pages ends with its first page once more; a page that
 * is larger than that was begins the series again. Until then no record of it may be the anchor.
 */
export const advanceSeries = (before: WalkState, page: CountedPage, overlapSeconds: number): WalkStep => {
  const { series } = before
  if (series !== null && series.onward !== null)
    return endSeries(before, { series, onward: series.onward }, page, overlapSeconds)
  const isByNext = before.ask.kind === 'next'
  if (series !== null && isByNext && page.count > series.pageSize) return beginAgain(before, series)
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
  if (page.count > series.pageSize) return beginAgain(before, series)
  const state: WalkState = { ...before, ...series.reached, ask: onward.ask ?? before.ask, series: null }
  return { kind: 'page', state, complete: onward.ask === null, atEnd: onward.atEnd }
}

/** Sizes only grow here: a service whose pages differ is not walked for ever. */
const beginAgain = (before: WalkState, series: Series): WalkStep => {
  const state = { ...before, ...series.sure, ask: firstAsk(series), lastSecond: null, series: null }
  return { kind: 'page', state, complete: false, atEnd: false }
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
  newSeries(before.from, Math.max(count, before.pageSize ?? 0), placeOf(before))

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
