import type { StreamName } from '../source.ts'

/** A record that can't become an event, kept raw under the hash of its bytes. */
export type QuarantinedRecord = {
  sourceId: string
  stream: StreamName
  /** Hex SHA-256 of the raw text's UTF-8 bytes. */
  hash: string
  text: string
  reason: string
  atMs: number
}

/**
 * Reason of what is left of a record whose recipient was forgotten: its hash, with an empty text, so that the same bytes are
 * known when they are read again.
 */
export const forgottenRecordReason = 'forgotten'

export interface Quarantine {
  /** Keeps it; `known` where the same bytes are there already, so that each is counted once. */
  keep(record: QuarantinedRecord): Promise<'new' | 'known'>
  /** Consistent. What is kept under the hash, or null. */
  read(key: Pick<QuarantinedRecord, 'sourceId' | 'stream' | 'hash'>): Promise<QuarantinedRecord | null>
}
