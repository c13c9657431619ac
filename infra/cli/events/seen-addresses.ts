import { createHash, randomBytes } from 'node:crypto'
import { CommandError } from '../failures.ts'

/** Addresses that one export tells apart: 512 MB of memory. Nobody's lists of five weeks are as long. */
const addressesMax = 30_000_000
const firstSlots = 65_536
/** Fuller than this, a search takes long. */
const fullShare = 0.5
const saltBytes = 16

/**
 * Which addresses came before, in 16 to 32 bytes each: 64 bits of a salted hash. The salt is new each time, so that nobody
 * can make two addresses that look alike here. That by chance any two of a million do is less likely than 1 in 10 million.
 */
export const createSeenAddresses = (of: { addressesMax?: number } = {}) => {
  const max = of.addressesMax ?? addressesMax
  const salt = randomBytes(saltBytes)
  let slots = new BigUint64Array(firstSlots)
  let count = 0

  /** The slot that holds the hash, or the free one where it belongs. */
  const slotOf = (table: BigUint64Array, hash: bigint): number => {
    let slot = Number(hash % BigInt(table.length))
    while (table[slot] !== 0n && table[slot] !== hash) slot = (slot + 1) % table.length
    return slot
  }

  const grow = (): void => {
    const larger = new BigUint64Array(slots.length * 2)
    for (const hash of slots) if (hash !== 0n) larger[slotOf(larger, hash)] = hash
    slots = larger
  }

  return {
    /** Whether this is the first time; throws a `CommandError` where there are too many. */
    isNew: (address: string): boolean => {
      const digest = createHash('sha256').update(salt).update(address, 'utf8').digest()
      // 0 stands for a free slot.
      const hash = digest.readBigUInt64LE() || 1n
      const slot = slotOf(slots, hash)
      if (slots[slot] === hash) return false
      if (count >= max) throw tooMany(max)
      slots[slot] = hash
      count += 1
      if (count > slots.length * fullShare) grow()
      return true
    },
  }
}

const tooMany = (max: number): CommandError =>
  new CommandError({
    code: 'too_many_addresses',
    message: `there are more than ${max.toLocaleString('en-US')} addresses`,
    hint: 'Export them in parts: by --source, --stream, or --since and --until.',
  })
