import type { Anchor } from './walk-state.ts'

/** An anchor is older than the newest record at any overlap: an answer that lacks all known newer ones tells of its loss. */
const marginSecondsMin = 1

/**
 * The last second of which a record may be the anchor (DESIGN.md, invariant 6), or null where none may.
 * Records become visible up to `overlapSeconds` after their time, and the service may lag as a whole: so neither its
 * clock alone nor the newest record alone says what is complete.
 */
export const anchorLimit = (known: {
  /** The service's time when the walk, or its part since the last safe record, began. */
  startSecond: number
  /** The newest record seen by then that is not after it. */
  newestSecond: number | null
  overlapSeconds: number
}): number | null =>
  known.newestSecond === null
    ? null
    : Math.min(known.startSecond, known.newestSecond) - Math.max(known.overlapSeconds, marginSecondsMin)

/** The later of two anchors; of the same second, the second one. */
export const laterAnchor = <A extends Anchor>(a: A | null, b: A | null): A | null => {
  if (a === null) return b
  if (b === null) return a
  return b.second >= a.second ? b : a
}

/** The newest record at or before `limit`, or null. */
export const newestWithin = <A extends Anchor>(records: readonly A[], limit: number | null): A | null => {
  if (limit === null) return null
  let best: A | null = null
  for (const record of records) {
    if (record.second <= limit) best = laterAnchor(best, record)
  }
  return best
}

/**
 * The records of a page whose second is surely read whole: all of them on the last page, else those before the
 * page's last second, the rest of which may stand on the next page.
 */
export const settledRecords = (records: readonly Anchor[], isLastPage: boolean): readonly Anchor[] => {
  const last = records.at(-1)
  if (isLastPage || last === undefined) return records
  return records.filter(record => record.second < last.second)
}
