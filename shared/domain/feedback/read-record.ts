import { createHash } from 'node:crypto'
import type { RawRecord, ReadRecord, UnreadableReason } from './record.ts'
import { fieldOf } from './record-fields.ts'
import { parseRecordTime } from './record-time.ts'

/** A record's text in UTF-8 may have this many bytes: its event must fit the table and the queue. */
export const recordBytesMax = 200 * 1024
/** A uuid has 36 characters; an id beyond this is none, and would not fit the query of a `last_id`. */
export const uuidCharsMax = 200

/** Reads one element of a page's `results`; one that can't be understood comes back with the reason, never throws. */
export const readRecord = (raw: RawRecord): ReadRecord => {
  const { value } = raw
  const unreadable = (reason: UnreadableReason): ReadRecord => ({ kind: 'unreadable', reason, raw })
  if (Buffer.byteLength(raw.text) > recordBytesMax) return unreadable('too_large')
  if (!isObject(value)) return unreadable('not_an_object')
  const uuid = fieldOf(value, 'uuid')
  if (!isUuid(uuid)) return unreadable('no_uuid')
  const second = parseRecordTime(fieldOf(value, 'timelogged'))
  if (second === null) return unreadable('no_usable_time')
  return { kind: 'record', record: { uuid, second, raw: { text: raw.text, value } } }
}

/** The key of a record in quarantine: SHA-256 of the UTF-8 bytes of its text, in hex. */
export const rawHash = (raw: RawRecord): string => createHash('sha256').update(raw.text, 'utf8').digest('hex')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= uuidCharsMax && value.trim() !== ''
