import { buildEvent, eventBodyBytesMax } from '../event/build-event.ts'
import type { FeedbackRecord } from '../feedback/record.ts'
import { type Cursor, emptyCursor, type StartPlace, type VersionedCursor } from './cursor.ts'
import { type ReadPage, readPage } from './intake.ts'
import type { FetchResult, RequestGate } from './request-gate.ts'
import { cursorKey, type StreamContext } from './stream-context.ts'
import { queryOf, type WalkEnd } from './walk.ts'
import type { Anchor } from './walk-state.ts'

/**
 * Finds where a stream begins that has no floor yet, and commits it: `earliest` and a time are known at once; for
 * `latest` the floor is the newest second, whose records are logged as seen. A search that the run can't finish (a
 * second of very many pages) keeps its place in the cursor.
 */
export const findStart = async (
  context: StreamContext,
  gate: RequestGate,
  at: VersionedCursor | null,
): Promise<{ end: WalkEnd; pages: number }> => {
  const { startAt } = context.source
  const commit = createCommit(context, at?.version ?? null)
  const floorSecond = startAt.kind === 'earliest' ? 0 : startAt.kind === 'time' ? startAt.second : null
  if (floorSecond !== null) return { end: await commit({ ...emptyCursor, floorSecond }), pages: 0 }

  const search = await readNewest(context, gate, at?.cursor.start ?? null)
  const { pages, newest } = search
  if (newest.size > 0) {
    // Two runs may look for the start at the same time. What the later one sees as newest is new to a start that the
    // earlier one has found by then: only who has claimed the search may log it as seen.
    const claim = await commit(startingCursor(at?.cursor.start ?? beginning))
    if (claim.kind === 'superseded') return { end: claim, pages }
  }
  const failure = await logSeen(context, [...newest.values()])
  if (failure !== null) return { end: { kind: 'failed', reason: failure, error: null }, pages }
  if (search.end !== null) {
    // A place that leads nowhere is not to be gone back to.
    const place = search.place ?? (at === null ? null : beginning)
    const kept = place === null ? 'complete' : (await commit(startingCursor(place))).kind
    return { end: kept === 'superseded' ? { kind: 'superseded' } : search.end, pages }
  }
  if (search.newestSecond === null) {
    // An empty list has no past to spare anybody: whatever comes is new.
    return { end: await commit({ ...emptyCursor, floorSecond: 0, firstWalkComplete: true }), pages }
  }
  const cursor: Cursor = {
    ...emptyCursor,
    floorSecond: search.newestSecond,
    // Before the floor nothing is ever sent, so a late record there is no loss: the anchor need not keep the overlap.
    anchor: search.before,
    origin: search.before,
    // So that an answer which lacks it tells that the anchor is lost.
    newest: newestOf(newest),
    firstWalkComplete: true,
  }
  return { end: await commit(cursor), pages }
}

/** A search that has found nothing yet: its first page again. */
const beginning: StartPlace = {
  query: '',
  newestSecond: null,
  before: null,
  lastSecond: null,
  newestFirst: true,
}

const startingCursor = (start: StartPlace): Cursor => ({ ...emptyCursor, start })

type CommitEnd = { kind: 'complete' } | { kind: 'superseded' }

/** Commits one cursor after the other, each over the one before it. */
const createCommit = (context: StreamContext, at: number | null) => {
  let version = at
  return async (cursor: Cursor): Promise<CommitEnd> => {
    const committed = await context.cursors.commit(cursorKey(context, 'main'), cursor, version)
    if (committed === 'moved') return { kind: 'superseded' }
    version = (version ?? 0) + 1
    return { kind: 'complete' }
  }
}

/** Logs records as seen, with no endpoints; returns why that failed, or null. */
const logSeen = async (
  context: StreamContext,
  records: readonly FeedbackRecord[],
): Promise<string | null> => {
  const events = records
    .map(record => ({
      event: buildEvent({ source: { id: context.source.id }, stream: context.stream, record }),
      recordId: record.uuid,
    }))
    // One that the log can't hold is quarantined by the first walk, as everywhere.
    .filter(({ event }) => event.bodyBytes <= eventBodyBytesMax)
  if (events.length === 0) return null
  const logged = await context.logAsSeen(events, [])
  context.known.remember(logged.recorded.map(({ event }) => event.id))
  return logged.failed[0]?.reason ?? null
}

const newestOf = (records: ReadonlyMap<string, FeedbackRecord>): Anchor | null => {
  const last = [...records.values()].at(-1)
  return last === undefined ? null : { uuid: last.uuid, second: last.second }
}

type Sofar = {
  newestSecond: number | null
  /** By uuid: pages by number shift while they are read, and show a record twice. */
  newest: ReadonlyMap<string, FeedbackRecord>
  before: Anchor | null
}

/** `end` is null where the search is done; `place`: from where it may go on, null where that is the first page. */
type Search = Sofar & { end: WalkEnd | null; place: StartPlace | null; pages: number }

/**
 * The newest second that is not after the service's time, its records, and the newest record before it. Newest first
 * is asked for, and is what a service that ignores the order gives; any other order is read to its end.
 */
const readNewest = async (
  context: StreamContext,
  gate: RequestGate,
  from: StartPlace | null,
): Promise<Search> => {
  let query = from?.query ?? null
  let newestFirst = from?.newestFirst ?? true
  let lastSecond = from?.lastSecond ?? null
  let sofar: Sofar = {
    newestSecond: from?.newestSecond ?? null,
    newest: new Map(),
    before: from?.before ?? null,
  }
  let pages = 0
  const asked = new Set<string>()
  const ended = (end: WalkEnd): Search => {
    const { newestSecond, before } = sofar
    const place = query === null ? null : { query, newestSecond, before, lastSecond, newestFirst }
    return { ...sofar, end, place, pages }
  }
  for (;;) {
    const got: FetchResult = await gate.fetch(
      { stream: context.stream, order: 'desc', lastId: null, nextQuery: query === '' ? null : query },
      { kind: 'news', backlog: true },
    )
    if (got.kind === 'stopped') return ended({ kind: 'unfinished', why: got.why })
    if (got.kind === 'failed') {
      const { error } = got
      // A `next` that has expired: from the first page again, with what is known of the newest second.
      if (error.failure === 'rejected' && query !== null) query = ''
      return ended({ kind: 'failed', reason: error.code, error })
    }
    pages += 1
    const page = readPage(got.page.records)
    // Newest first, the first page has the newest second; what shows up since is new.
    sofar = withPage(
      sofar,
      page,
      newestFirst ? (sofar.newestSecond ?? got.answeredSecond) : got.answeredSecond,
    )
    const next = queryOf(got.page.next)
    newestFirst = newestFirst && descends(page, query === '' ? null : lastSecond)
    lastSecond = page.records.at(-1)?.second ?? lastSecond
    query = next
    if (query === null || (newestFirst && sofar.before !== null))
      return { ...sofar, end: null, place: null, pages }
    if (query === '' || asked.has(query)) {
      query = null
      return ended({ kind: 'failed', reason: 'page_does_not_advance', error: null })
    }
    asked.add(query)
  }
}

/** What a page adds; a record after `untilSecond` takes no part. */
const withPage = (sofar: Sofar, page: ReadPage, untilSecond: number): Sofar => {
  let { newestSecond, before } = sofar
  let newest = new Map(sofar.newest)
  for (const record of page.records) {
    if (record.second > untilSecond) continue
    const anchor = { uuid: record.uuid, second: record.second }
    if (newestSecond === null || record.second > newestSecond) {
      const [old] = newest.values()
      if (old !== undefined) before = { uuid: old.uuid, second: old.second }
      newestSecond = record.second
      newest = new Map([[record.uuid, record]])
    } else if (record.second === newestSecond) {
      newest.set(record.uuid, record)
    } else if (before === null || record.second > before.second) {
      before = anchor
    }
  }
  return { newestSecond, newest, before }
}

const descends = (page: ReadPage, lastSecond: number | null): boolean => {
  let previous = lastSecond ?? Number.POSITIVE_INFINITY
  return page.records.every(({ second }) => {
    const inOrder = second <= previous
    previous = second
    return inOrder
  })
}
