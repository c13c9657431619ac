import type { StreamName } from '../source.ts'

/**
 * Which part of the log reconcile has still to compare. The log is sorted by the records' time, but a late record is
 * written into a day long past; so before the poller enqueues, it marks the hour of writing with the lowest event id
 * that it is about to write into a day. Reconcile goes through the marks in the order of the hours.
 */
export type ReconcileMark = {
  sourceId: string
  stream: StreamName
  /** Whole hours since the epoch, of our clock at the time of writing. */
  hour: number
  /** The day of the events, `YYYY-MM-DD`. */
  day: string
  /** No event written into that day under this mark has a lower id. */
  lowestId: string
}

export interface ReconcileMarks {
  /** Sets the mark, or lowers the one that is there. */
  lower(mark: ReconcileMark): Promise<void>
  /** Marks of hours from `fromHour` on, in the order of hour and day, at most `limit`. */
  list(query: {
    sourceId: string
    stream: StreamName
    fromHour: number
    limit: number
  }): Promise<ReconcileMark[]>
  /** Removes the mark as it was read; one that was lowered since stays. */
  remove(mark: ReconcileMark): Promise<void>
}
