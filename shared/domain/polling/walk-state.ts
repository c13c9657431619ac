import * as z from 'zod'
import { anchorLimit, laterAnchor, newestWithin, settledRecords } from './anchor-rule.ts'

/** A record that may be sent as `last_id`, with its second. */
export const anchorSchema = z.object({ uuid: z.string().min(1), second: z.int() })
export type Anchor = z.infer<typeof anchorSchema>

/** A record that a walk has passed, with the service's time when its page was asked for, at the latest. */
const passedSchema = anchorSchema.extend({ askedSecond: z.int() })
type Passed = z.infer<typeof passedSchema>

/** Records after which a walk went on but which may not be the anchor yet; of more, the oldest: their turn comes first. */
export const pendingAnchorsMax = 32

/** Where a walk asks next: after a record, from the start of the list (null), or by the query of a `next`. */
const askSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('after'), anchor: anchorSchema.nullable() }),
  z.object({ kind: z.literal('next'), query: z.string() }),
])
export type Ask = z.infer<typeof askSchema>

/** What a walk knows of where the anchor may be. */
const placeFields = {
  /** The service's time when the walk, or its part since the candidate, began; null before its first page. */
  startSecond: z.int().nullable(),
  /** A lower bound of the newest record's second that was visible at `startSecond`. */
  newestSecond: z.int().nullable(),
  /** The best anchor that the rule allows so far. */
  candidate: passedSchema.nullable(),
  pending: z.array(passedSchema),
}
const placeSchema = z.object(placeFields)

/** Pages that were asked for by `next`, one after the other: see page-series.ts. */
const seriesSchema = z.object({
  /** After which record its first page is asked for; null: at the start of the list. */
  first: anchorSchema.nullable(),
  /** How many records its first page had; where that is not known, the page before it. */
  pageSize: z.int(),
  /** What is known without the series, and with it. */
  sure: placeSchema,
  reached: placeSchema,
  /** Where the walk goes once the first page was seen to be no larger now, null: it is complete; null before its last page. */
  onward: z.object({ ask: askSchema.nullable(), atEnd: z.boolean() }).nullable(),
})

export const walkStateSchema = z.object({
  ...placeFields,
  ask: askSchema,
  /** Where the walk began; null: at the start of the list. */
  from: anchorSchema.nullable(),
  /** Complete once a page goes beyond this second; null: at the end of the list. */
  stopSecond: z.int().nullable(),
  /** The order was seen to be ignored: the walk goes to a page wholly before `from`, or to the end. */
  orderIgnored: z.boolean(),
  /** A record that was known before has been seen. */
  sawKnown: z.boolean(),
  /** The last second of the page before, where the next one is asked for by `next`: order is checked across pages. */
  lastSecond: z.int().nullable(),
  /** The `next` of the page before: the other way on, where the service does not know a record that it shows. */
  nextQuery: z.string().nullable(),
  /** Goes on by `next` alone: some `last_id` was lost. */
  byNext: z.boolean(),
  /** The newest record seen that is not after the service's time. */
  newest: anchorSchema.nullable(),
  /** The newest record of a second before that one: where fast polls go on. */
  beforeNewest: anchorSchema.nullable(),
  /** How many records the page before had; null before the first, and in a place of before pages were counted. */
  pageSize: z.int().nullable().default(null),
  /** Null while the walk goes by its own records, and in a place of before series were told. */
  series: seriesSchema.nullable().default(null),
  /** How often a series was begun again. */
  begunAgain: z.int().default(0),
  /** What stays known of where the anchor may be, once a series was begun again too often; null before. */
  doubted: placeSchema.nullable().default(null),
})

/** The place of a walk: all that it knows between two pages. */
export type WalkState = z.infer<typeof walkStateSchema>

export const beginWalk = (start: {
  from: Anchor | null
  newestSecond: number | null
  stopSecond: number | null
  byNext?: boolean
}): WalkState => ({
  ask: { kind: 'after', anchor: start.from },
  from: start.from,
  startSecond: null,
  newestSecond: start.newestSecond,
  stopSecond: start.stopSecond,
  candidate: null,
  pending: [],
  orderIgnored: false,
  sawKnown: false,
  lastSecond: null,
  nextQuery: null,
  byNext: start.byNext ?? false,
  newest: null,
  beforeNewest: null,
  pageSize: null,
  series: null,
  begunAgain: 0,
  doubted: null,
})

/** A page, as far as the walk's course depends on it. */
export type PageFacts = {
  /** Its readable records, in its order. A record in quarantine takes no part. */
  records: readonly Anchor[]
  /** The query of `next`, or null on the last page. */
  nextQuery: string | null
  /** The service's time when the page was asked for, at the latest: Unix seconds. */
  askedSecond: number
}

export type WalkStep =
  /** The page can't follow our `last_id`: it holds a record of an earlier second, or lacks those that we saw after it. */
  | { kind: 'lost'; reason: 'earlier_record' | 'later_missing' }
  /** The page does not advance: it would be asked for again for ever. */
  | { kind: 'stuck' }
  /** `atEnd`: the list has no more; a walk may be complete before. */
  | { kind: 'page'; state: WalkState; complete: boolean; atEnd: boolean }

/** Takes a walk one page further. Pure: what is known of the page's records comes in by `noteKnown`. */
export const advanceWalk = (before: WalkState, page: PageFacts, overlapSeconds: number): WalkStep => {
  const after = before.ask.kind === 'after' ? before.ask.anchor : null
  if (after !== null && page.records.some(record => record.second < after.second)) {
    return { kind: 'lost', reason: 'earlier_record' }
  }
  // A walk goes on after a record only where later ones stood on the same page.
  if (after !== null && after.uuid !== before.from?.uuid && page.records.length === 0) {
    return { kind: 'lost', reason: 'later_missing' }
  }

  const startSecond = before.startSecond ?? page.askedSecond
  const orderIgnored = before.orderIgnored || !isAscending(page.records, before.lastSecond)
  const newestSecond = newestBound(before.newestSecond, page, startSecond)
  const seen = newestTwo(before, page)
  const isLastPage = page.nextQuery === null
  const settled = orderIgnored ? page.records : settledRecords(page.records, isLastPage)
  const limit = anchorLimit({ startSecond, newestSecond, overlapSeconds })
  const passed = settled.map(({ uuid, second }): Passed => ({ uuid, second, askedSecond: page.askedSecond }))
  const edge = orderIgnored ? null : (passed.at(-1) ?? null)
  const candidate = laterAnchor(before.candidate, newestWithin([...before.pending, ...passed], limit))
  const state: WalkState = {
    ...before,
    startSecond: orderIgnored ? startSecond : startOfPart(startSecond, candidate),
    orderIgnored,
    newestSecond,
    newest: seen.newest,
    beforeNewest: seen.beforeNewest,
    candidate,
    pending: stillPending(before.pending, edge, limit),
  }
  if (isLastPage || reachedItsEnd(before, state, page)) {
    return { kind: 'page', state, complete: true, atEnd: isLastPage }
  }

  const ask = nextAsk(before, page, edge)
  const leadsNowhere = ask.kind === 'next' && ask.query === ''
  if (leadsNowhere || sameAsk(ask, before.ask)) return { kind: 'stuck' }
  const lastSecond = ask.kind === 'next' ? (page.records.at(-1)?.second ?? before.lastSecond) : null
  const goingOn = { ...state, ask, lastSecond, nextQuery: page.nextQuery }
  return { kind: 'page', state: goingOn, complete: false, atEnd: false }
}

/**
 * A record that may be the anchor is one from which a new walk could begin. What follows it was asked for when its page
 * was, or later: so the walk counts as begun then, and one that never ends still moves the anchor.
 */
const startOfPart = (startSecond: number, candidate: Passed | null): number =>
  Math.max(startSecond, candidate?.askedSecond ?? startSecond)

const isAscending = (records: readonly Anchor[], lastSecond: number | null): boolean => {
  let previous = lastSecond ?? Number.NEGATIVE_INFINITY
  for (const { second } of records) {
    if (second < previous) return false
    previous = second
  }
  return true
}

/** What a page shows as newest was, when the walk began, older by at most the time since then. */
const newestBound = (before: number | null, page: PageFacts, startSecond: number): number | null => {
  const sinceStart = Math.max(0, page.askedSecond - startSecond)
  let bound = before
  for (const { second } of page.records) {
    if (second <= page.askedSecond) bound = Math.max(bound ?? second - sinceStart, second - sinceStart)
  }
  return bound
}

const newestTwo = (before: WalkState, page: PageFacts): Pick<WalkState, 'newest' | 'beforeNewest'> => {
  let { newest, beforeNewest } = before
  for (const record of page.records) {
    if (record.second > page.askedSecond) continue
    if (newest === null || record.second > newest.second) {
      beforeNewest = newest
      newest = record
    } else if (record.second === newest.second) {
      newest = record
    } else {
      beforeNewest = laterAnchor(beforeNewest, record)
    }
  }
  return { newest, beforeNewest }
}

const stillPending = (pending: readonly Passed[], edge: Passed | null, limit: number | null): Passed[] => {
  const later = edge === null ? pending : [...pending, edge]
  return later.filter(({ second }) => limit === null || second > limit).slice(0, pendingAnchorsMax)
}

const reachedItsEnd = (before: WalkState, state: WalkState, page: PageFacts): boolean => {
  const last = page.records.at(-1)
  if (last === undefined) return false
  const { from, stopSecond } = state
  if (state.orderIgnored) return from !== null && page.records.every(record => record.second < from.second)
  return stopSecond !== null && last.second > stopSecond && ascends(before, page)
}

/**
 * A page of one second is in any order: only one that rises, or follows a record of our own, proves that nothing older
 * follows. That it lies after the page before proves nothing: newest first, pages by number shift as records come.
 */
const ascends = ({ ask, from }: WalkState, { records }: PageFacts): boolean => {
  const first = records[0]?.second ?? 0
  const risesWithin = first < (records.at(-1)?.second ?? first)
  const followsOne = ask.kind === 'after' && ask.anchor?.uuid !== from?.uuid
  return risesWithin || followsOne
}

/**
 * By our own `last_id` wherever the page ends a second: neither a page number that shifts nor a `next` that expires
 * can hurt then. Within one second of many pages, and where the order is ignored, only `next` leads on.
 */
const nextAsk = (before: WalkState, page: PageFacts, edge: Anchor | null): Ask => {
  if (before.byNext) return { kind: 'next', query: page.nextQuery ?? '' }
  const asked = before.ask.kind === 'after' ? before.ask.anchor : null
  const advances = edge !== null && (asked === null || edge.second > asked.second)
  if (advances) return { kind: 'after', anchor: { uuid: edge.uuid, second: edge.second } }
  return { kind: 'next', query: page.nextQuery ?? '' }
}

const sameAsk = (a: Ask, b: Ask): boolean => {
  if (a.kind === 'next') return b.kind === 'next' && a.query === b.query
  return b.kind === 'after' && a.anchor?.uuid === b.anchor?.uuid
}

/**
 * The same walk by `next`, where the service does not follow a record that it has just shown; null where it was the
 * walk's first request that failed, or `next` leads nowhere either.
 */
export const byNextInstead = (state: WalkState): WalkState | null => {
  const { ask, from, nextQuery, series } = state
  // What a series began with was followed before: if it isn't now, the walk is lost as a whole.
  if (series !== null) return null
  const isOnItsWay = ask.kind === 'after' && ask.anchor !== null && ask.anchor.uuid !== from?.uuid
  if (!isOnItsWay || nextQuery === null || nextQuery === '') return null
  return { ...state, byNext: true, ask: { kind: 'next', query: nextQuery } }
}

/** Notes that records which were known before the walk have been seen on it. */
export const noteKnown = (state: WalkState, known: number): WalkState =>
  known > 0 ? { ...state, sawKnown: true } : state
