/** From here on a number is milliseconds: 1e11 seconds would be the year 5138 (field notes, "timelogged"). */
const millisecondsFrom = 1e11
/** The largest time that a ULID holds: 48 bits of milliseconds. */
const timeMsMax = 2 ** 48 - 1
/** Longer texts are no time: the longest RFC 3339 form in use has 35 characters. */
const timeCharsMax = 64

const digits = /^(\d+)(?:\.\d+)?$/
const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/**
 * The Unix second of a `timelogged`, truncated; null where it is no usable time (DESIGN.md, section 4,
 * "Quarantine"). Usable: seconds or milliseconds as a number or as a string of digits, with or without decimals,
 * told apart by magnitude; and RFC 3339. Nothing is guessed: no other form, not 0, not negative, not over 48 bits.
 */
export const parseRecordTime = (value: unknown): number | null => {
  if (typeof value === 'number') return usable(secondOfNumber(value))
  if (typeof value !== 'string' || value.length > timeCharsMax) return null
  const text = value.trim()
  // Only the whole part: as a double, 1763631000.99999999999 would round up into the next second.
  const whole = digits.exec(text)?.[1]
  return usable(whole === undefined ? secondOfRfc3339(text) : secondOfNumber(Number(whole)))
}

const secondOfNumber = (value: number): number => {
  if (value > timeMsMax) return Number.NaN
  return Math.trunc(value >= millisecondsFrom ? value / 1000 : value)
}

// Neither form of seconds reaches the 48 bits: numbers are below 1e11, and a year has four digits.
const usable = (second: number): number | null => (second > 0 ? second : null)

const secondOfRfc3339 = (text: string): number => {
  const match = rfc3339.exec(text)
  if (match === null) return Number.NaN
  const part = (index: number): number => Number(match[index] ?? 0)
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)]
  const [offsetHour, offsetMinute] = [part(8), part(9)]
  // 60 is a leap second (RFC 3339, section 5.7); Date.UTC counts it into the next minute, as Unix time does.
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return Number.NaN
  const midnight = new Date(Date.UTC(year, month - 1, day))
  // Date.UTC takes years below 100 for 19xx and rolls 30 February over: both are refused here.
  if (midnight.getUTCFullYear() !== year || midnight.getUTCMonth() !== month - 1) return Number.NaN
  if (midnight.getUTCDate() !== day) return Number.NaN
  const offset = (offsetHour * 60 + offsetMinute) * (match[7] === '-' ? -60 : 60)
  return midnight.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset
}
