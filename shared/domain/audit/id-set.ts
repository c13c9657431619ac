import { eventHashBits } from '../feedback/event-id.ts'

/** The 80 hash bits of an id as whole numbers: its 16 characters, 5 bits each, in groups that a 32-bit number holds. */
const groups = [
  [0, 6],
  [6, 11],
  [11, 16],
] as const
const wordsPerId = groups.length
const slotsAtFirst = 1_024
const loadMax = 0.6
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const valueOfLetter = new Map([...alphabet].map((letter, value) => [letter, value]))

/** Ids that one set holds at the most: some 100 MB. */
export const idsMax = 5_000_000

/** Which events were seen, by the hash bits of their ids: exact, and some 20 to 40 bytes an id. */
export type IdSet = {
  /** Says whether it is new. */
  add(id: string): boolean
  has(id: string): boolean
  readonly size: number
}

/**
 * A set of event ids in one array of numbers: a day may have 100,000 records, a month millions, and a `Set` of their
 * texts takes several times as much.
 */
export const createIdSet = (): IdSet => {
  let slots = slotsAtFirst
  let words = new Uint32Array(slots * wordsPerId)
  let used = new Uint8Array(slots)
  let size = 0

  /** Where an id stands, or would stand. */
  const slotOf = (bits: Bits): number => {
    // The bits are those of a SHA-256: any of them spread as well as all.
    let slot = bits[0] % slots
    while (used[slot] === 1 && !bits.every((word, at) => words[slot * wordsPerId + at] === word)) {
      slot = (slot + 1) % slots
    }
    return slot
  }
  const put = (bits: Bits): void => {
    const slot = slotOf(bits)
    used[slot] = 1
    words.set(bits, slot * wordsPerId)
  }
  const grow = (): void => {
    const [oldWords, oldUsed] = [words, used]
    slots *= 2
    words = new Uint32Array(slots * wordsPerId)
    used = new Uint8Array(slots)
    for (const [slot, isUsed] of oldUsed.entries()) {
      const at = slot * wordsPerId
      if (isUsed === 1) put([oldWords[at] ?? 0, oldWords[at + 1] ?? 0, oldWords[at + 2] ?? 0])
    }
  }

  return {
    add: id => {
      const bits = bitsOf(id)
      if (used[slotOf(bits)] === 1) return false
      if (size + 1 > slots * loadMax) grow()
      put(bits)
      size += 1
      return true
    },
    has: id => used[slotOf(bitsOf(id))] === 1,
    get size() {
      return size
    },
  }
}

type Bits = readonly [number, number, number]

const bitsOf = (id: string): Bits => {
  const text = eventHashBits(id)
  const word = ([from, to]: readonly [number, number]): number => {
    let value = 0
    for (const letter of text.slice(from, to)) value = value * 32 + (valueOfLetter.get(letter) ?? 0)
    return value
  }
  return [word(groups[0]), word(groups[1]), word(groups[2])]
}
