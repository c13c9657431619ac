import { buildEvent, eventBodyBytesMax } from '../event/build-event.ts'
import type { FeedbackRecord } from '../feedback/record.ts'
import { type Cursor, emptyCursor } from './cursor.ts'
import { type ReadPage, readPage } from './intake.ts'
import type { FetchResult, RequestGate } from './request-gate.ts'
import { cursorKey, type StreamContext } from './stream-context.ts'
import { queryOf, type WalkEnd } from './walk.ts'
import type { Anchor } from './walk-state.ts'

/** Pages that are read from the newest one backwards until a record before the newest second is met. */
export const startPagesMax = 1_000

/**
 * Finds where a stream that has no cursor begins, and commits it: `earliest` and a time are known at once; for
 * `latest` the floor is the newest second, whose records are logged as seen.
 */
export const findStart = async (context: StreamContext, gate: RequestGate): Promise<WalkEnd> => {
  const { startAt } = context.source
  if (startAt.kind === 'earliest') return commitStart(context, { ...emptyCursor, floorSecond: 0 })
  if (startAt.kind === 'time') return commitStart(context, { ...emptyCursor, floorSecond: startAt.second })

  const found = await readNewest(context, gate)
  if (found.kind === 'ended') return found.end
  const { newestSecond, newest, before } = found
  if (newestSecond === null) {
    // An empty list has no past to spare anybody: whatever comes is new.
    return commitStart(context, { ...emptyCursor, floorSecond: 0, firstWalkComplete: true })
  }
  const events = [...newest.values()]
    .map(record => ({
      event: buildEvent({ source: { id: context.source.id }, stream: context.stream, record }),
      recordId: record.uuid,
    }))
    // One that the log can't hold is quarantined by the first walk, as everywhere.
    .filter(({ event }) => event.bodyBytes <= eventBodyBytesMax)
  const logged = await context.logAsSeen(events, [])
  const failure = logged.failed[0]
  if (failure !== undefined) return { kind: 'failed', reason: failure.reason, error: null }
  context.known.remember(events.map(({ event }) => event.id))
  return commitStart(context, {
    ...emptyCursor,
    floorSecond: newestSecond,
    // Before the floor nothing is ever sent, so a late record there is no loss: the anchor need not keep the overlap.
    anchor: before,
    origin: before,
    // So that an answer which lacks it tells that the anchor is lost.
    newest: newestOf(newest),
    firstWalkComplete: true,
  })
}

const newestOf = (records: ReadonlyMap<string, FeedbackRecord>): Anchor | null => {
  const last = [...records.values()].at(-1)
  return last === undefined ? null : { uuid: last.uuid, second: last.second }
}

const commitStart = async (context: StreamContext, cursor: Cursor): Promise<WalkEnd> => {
  const committed = await context.cursors.commit(cursorKey(context, 'main'), cursor, null)
  return committed === 'committed' ? { kind: 'complete' } : { kind: 'superseded' }
}

type Newest =
  | {
      kind: 'found'
      newestSecond: number | null
      /** By uuid: pages by number shift while they are read, and show a record twice. */
      newest: ReadonlyMap<string, FeedbackRecord>
      before: Anchor | null
    }
  | { kind: 'ended'; end: WalkEnd }

/**
 * The newest second that is not after the service's time, its records, and the newest record before it. Newest first
 * is asked for, and is what a service that ignores the order gives; any other order is read to its end.
 */
const readNewest = async (context: StreamContext, gate: RequestGate): Promise<Newest> => {
  let query: string | null = null
  let newestFirst = true
  let lastSecond: number | null = null
  let sofar: Omit<Extract<Newest, { kind: 'found' }>, 'kind'> = {
    newestSecond: null,
    newest: new Map(),
    before: null,
  }
  const asked = new Set<string>()
  for (let pages = 0; pages < startPagesMax; pages++) {
    const got: FetchResult = await gate.fetch(
      { stream: context.stream, order: 'desc', lastId: null, nextQuery: query },
      { kind: 'news', backlog: true },
    )
    if (got.kind === 'stopped') return { kind: 'ended', end: { kind: 'unfinished', why: got.why } }
    if (got.kind === 'failed') {
      return { kind: 'ended', end: { kind: 'failed', reason: got.error.code, error: got.error } }
    }
    const page = readPage(got.page.records)
    sofar = withPage(sofar, page, got.answeredSecond)
    query = queryOf(got.page.next)
    newestFirst = newestFirst && descends(page, lastSecond)
    lastSecond = page.records.at(-1)?.second ?? lastSecond
    if (query === null || (newestFirst && sofar.before !== null)) return { kind: 'found', ...sofar }
    if (asked.has(query)) {
      return { kind: 'ended', end: { kind: 'failed', reason: 'page_does_not_advance', error: null } }
    }
    asked.add(query)
  }
  return { kind: 'ended', end: { kind: 'failed', reason: 'start_not_found', error: null } }
}

const withPage = (
  sofar: Omit<Extract<Newest, { kind: 'found' }>, 'kind'>,
  page: ReadPage,
  serviceSecond: number,
): typeof sofar => {
  let { newestSecond, before } = sofar
  let newest = new Map(sofar.newest)
  for (const record of page.records) {
    if (record.second > serviceSecond) continue
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
