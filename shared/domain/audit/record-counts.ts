/** What became of the records that the service shows of a stream, each counted once. */
export type RecordCounts = {
  atService: number
  inLog: number
  /** Never to be sent: they lie before the stream's floor. */
  beforeFloor: number
  /** Kept raw, since they can't become events. */
  quarantined: number
  /** Newer than all that the poller has read: it has not come that far. */
  notReadYet: number
  missing: number
  /** Of those that were missing: enqueued, or set apart, by this audit. */
  repaired: number
}

export const noRecordCounts: RecordCounts = {
  atService: 0,
  inLog: 0,
  beforeFloor: 0,
  quarantined: 0,
  notReadYet: 0,
  missing: 0,
  repaired: 0,
}

/** A record that is at the service and nowhere in the bridge. Its id is null where it can't be understood. */
export type MissingRecord = {
  eventId: string | null
  /** The record's uuid; the hash of its bytes where it can't be understood. */
  record: string
  second: number | null
  repaired: boolean
}
