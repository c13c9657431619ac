/** What a hash is for, so that the same index draws independently for each. */
const salts = {
  bounces: 1,
  complaints: 2,
  id: 3,
  idRest: 4,
  idMask: 5,
  isLate: 6,
  lateness: 7,
  shuffle: 8,
  fault: 9,
} as const

const wordSize = 2 ** 32

const scramble = (value: number): number => {
  let word = value
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b)
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35)
  return (word ^ (word >>> 16)) >>> 0
}

/**
 * 32 bits from a seed, a purpose and a number: one-to-one in the number, so that different records never share an id.
 * Cheap, since a page draws thousands; nothing here is secret.
 */
export const hash = (seed: number, purpose: keyof typeof salts, value: number): number =>
  scramble(scramble(scramble(seed) ^ Math.imul(salts[purpose], 0x9e3779b9)) ^ value)

/** The same as a number of at least 0 and below 1. */
export const fraction = (seed: number, purpose: keyof typeof salts, value: number): number =>
  hash(seed, purpose, value) / wordSize
