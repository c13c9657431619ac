import * as z from 'zod'
import type { StreamName } from '../source.ts'
import { anchorSchema, walkStateSchema } from './walk-state.ts'

/** The reading of a stream by the poll itself, or by one of its sweeps. */
export const cursorNames = ['main', 'sweep-hour', 'sweep-days'] as const
export type CursorName = (typeof cursorNames)[number]

/** How far the search for the newest second, and the newest record before it, has come: newest first. */
const startPlaceSchema = z.object({
  /** The query of the `next` to ask for; empty: the first page again. */
  query: z.string(),
  newestSecond: z.int().nullable(),
  before: anchorSchema.nullable(),
  /** The last second of the page before: the order is checked across pages. */
  lastSecond: z.int().nullable(),
  newestFirst: z.boolean(),
})
export type StartPlace = z.infer<typeof startPlaceSchema>

export const cursorSchema = z.object({
  v: z.literal(1),
  anchor: anchorSchema.nullable(),
  /** The first anchor that the stream ever had: where a sweep begins that finds none in the log. */
  origin: anchorSchema.nullable(),
  /** No record of an earlier second is ever sent. Null until the start of the stream has been found out. */
  floorSecond: z.int().nullable(),
  /** The newest record that was seen, not after the service's `Date`: what an answer may not lack with all others. */
  newest: anchorSchema.nullable(),
  /** A walk that is not complete: the next run goes on from here. */
  place: walkStateSchema.nullable(),
  firstWalkComplete: z.boolean(),
  /** Our clock, Unix milliseconds; null before the first. */
  lastCompleteWalkAtMs: z.int().nullable(),
  /** How many anchors were lost since the last complete walk: each time an older one is tried. */
  anchorsLost: z.int(),
  /** Set while `latest` is still being found out, which may take more than a run. */
  start: startPlaceSchema.nullable(),
  /** Sweeps only: what this one covers, and when the next one is due. */
  sweep: z
    .object({ fromSecond: z.int(), toSecond: z.int(), running: z.boolean(), nextAtMs: z.int() })
    .nullable(),
})

/** Where the reading of a stream stands. */
export type Cursor = z.infer<typeof cursorSchema>

export const emptyCursor: Cursor = {
  v: 1,
  anchor: null,
  origin: null,
  floorSecond: null,
  newest: null,
  place: null,
  firstWalkComplete: false,
  lastCompleteWalkAtMs: null,
  anchorsLost: 0,
  start: null,
  sweep: null,
}

export type CursorKey = { sourceId: string; stream: StreamName; name: CursorName }

/** A cursor with the version that a commit must name. */
export type VersionedCursor = { cursor: Cursor; version: number }

export interface CursorStore {
  /** Consistent. Null where there is none; a cursor that can't be read is an error, never null. */
  read(key: CursorKey): Promise<VersionedCursor | null>
  /**
   * Compare-and-set on the version; `expected` null: there must be none yet. The new version is one more (1 for the
   * first). `moved`: somebody else committed.
   */
  commit(key: CursorKey, cursor: Cursor, expected: number | null): Promise<'committed' | 'moved'>
}
