import { createHash } from 'node:crypto'
import { decodeTime, encodeTime, TIME_LEN, TIME_MAX, uuidToULID } from 'ulid'
import { BridgeError } from '../bridge-error.ts'
import type { StreamName } from '../source.ts'

const prefix = 'evt_'
/** The characters of an id that hold its 80 hash bits. */
const hashChars = 16
const hashBytes = 10
const timeBytes = 6
/** The last second whose milliseconds fit the 48 bits of a ULID. */
const secondMax = Math.floor(TIME_MAX / 1000)
// Upper case only: an id is a key, and a key has one spelling.
const eventIdForm = /^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** A text that is no event id, or a time that no event id can hold. */
export class EventIdError extends BridgeError {}

/**
 * The id of a record's event, a function of the record alone (DESIGN.md, section 3.3): `evt_` and a ULID of the
 * record's second and the first 80 bits of SHA-256 over the JSON array of source id, stream and uuid. JSON keeps the
 * three apart whatever they hold, and has a spelling for lone surrogates, which UTF-8 has not.
 * `second` is a Unix second; throws an `EventIdError` for one that a ULID can't hold.
 */
export const eventId = (record: {
  sourceId: string
  stream: StreamName
  uuid: string
  second: number
}): string => idOf(record.second, [record.sourceId, record.stream, record.uuid])

/**
 * The id of a heartbeat, a function of its endpoint and of the second in which its interval begins: as an event's, of
 * other things. Throws an `EventIdError` for a second that a ULID can't hold.
 */
export const heartbeatId = ({ endpointId, second }: { endpointId: string; second: number }): string =>
  idOf(second, ['webhook.heartbeat', endpointId])

const idOf = (second: number, names: readonly string[]): string => {
  if (!Number.isInteger(second) || second < 0 || second > secondMax) {
    throw new EventIdError({
      code: 'event_id_time',
      message: `${second} is no second that an event id can hold`,
      hint: `It must be a whole number from 0 to ${secondMax}.`,
    })
  }
  const time = (second * 1000).toString(16).padStart(timeBytes * 2, '0')
  const hash = createHash('sha256')
    .update(JSON.stringify(names), 'utf8')
    .digest('hex')
    .slice(0, hashBytes * 2)
  return prefix + uuidToULID(hyphenated(time + hash))
}

/** The Unix second of an event. Throws an `EventIdError` for what is no event id. */
export const eventSecond = (id: string): number => Math.floor(decodeTime(ulidOf(id)) / 1000)

/** The UTC day of an event, `YYYY-MM-DD`. Throws an `EventIdError` for what is no event id. */
export const eventDay = (id: string): string => dayOfSecond(eventSecond(id))

/**
 * The 80 hash bits as the id's last 16 characters: within a range they decide whether a record is known, so that a
 * service that corrects a record's time makes no second event (DESIGN.md, section 7). Throws an `EventIdError`.
 */
export const eventHashBits = (id: string): string => ulidOf(id).slice(TIME_LEN)

/**
 * The lowest and the highest id that an event of these seconds can have, both inclusive. Seconds that no id holds are
 * moved to the nearest that one does: a look-back may begin before 1970.
 */
export const eventIdRange = (fromSecond: number, toSecond: number): { first: string; last: string } => ({
  first: prefix + timeChars(fromSecond) + '0'.repeat(hashChars),
  last: prefix + timeChars(toSecond) + 'Z'.repeat(hashChars),
})

/** The UTC day of a Unix second, `YYYY-MM-DD`; from the year 10000 on with the sign and six digits of ISO 8601. */
export const dayOfSecond = (second: number): string => {
  const iso = new Date(second * 1000).toISOString()
  return iso.slice(0, iso.indexOf('T'))
}

const timeChars = (second: number): string =>
  encodeTime(Math.min(Math.max(Math.floor(second), 0), secondMax) * 1000)

const ulidOf = (id: string): string => {
  if (eventIdForm.test(id)) return id.slice(prefix.length)
  throw new EventIdError({
    code: 'event_id_form',
    message: 'This is no event id.',
    hint: 'An event id is evt_ and the 26 characters of a ULID in upper case, as evt_01K5M3V8Q00123456789ABCDEF.',
  })
}

const hyphenated = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
