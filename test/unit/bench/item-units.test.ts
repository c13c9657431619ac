import { describe, expect, it } from 'vitest'
import {
  indexWriteUnits,
  itemBytes,
  readUnits,
  storedBytes,
  writeUnits,
} from '../../bench/price/item-units.ts'

/** An item of exactly so many bytes: one for the name. */
const itemOf = (bytes: number) => ({ a: { S: 'x'.repeat(bytes - 1) } })

describe('the size of an item', () => {
  it.each([
    ['text counts in UTF-8', { ab: { S: 'é€' } }, 2 + 2 + 3],
    ['binary counts raw, not as base64', { a: { B: Buffer.alloc(100).toString('base64') } }, 1 + 100],
    ['a number counts two digits a byte, and one more', { a: { N: '1763631000' } }, 1 + 4 + 1],
    ['a negative number counts one more', { a: { N: '-12' } }, 1 + 1 + 1 + 1],
    ['zero counts one byte', { a: { N: '0' } }, 1 + 1],
    ['true and null count one byte', { a: { BOOL: true }, b: { NULL: true } }, 2 + 2],
    [
      'a list counts three bytes, and one for each element',
      { a: { L: [{ S: 'xy' }, { N: '1' }] } },
      1 + 3 + 3 + 3,
    ],
    ['a map counts its names as well', { a: { M: { bc: { S: 'd' } } } }, 1 + 3 + 2 + 1 + 1],
    ['a set counts its members', { a: { SS: ['b', 'cd'] } }, 1 + 3],
  ])('%s', (_title, item, bytes) => {
    expect(itemBytes(item)).toBe(bytes)
  })

  it('has 100 bytes more in storage, and nothing takes nothing', () => {
    expect(storedBytes(itemOf(50))).toBe(150)
    expect(storedBytes(null)).toBe(0)
  })
})

describe('units of a read', () => {
  it('are 4 KB each, half of it where the read may be stale', () => {
    expect([1, 4_096, 4_097, 8_192].map(bytes => readUnits(bytes, true))).toEqual([1, 1, 2, 2])
    expect([1, 4_096, 4_097].map(bytes => readUnits(bytes, false))).toEqual([0.5, 0.5, 1])
  })

  it('are paid for nothing, too', () => {
    expect([readUnits(0, true), readUnits(0, false)]).toEqual([1, 0.5])
  })
})

describe('units of a write', () => {
  it('are 1 KB each, of the larger of what was there and what is there now', () => {
    expect(writeUnits(null, itemOf(1_024))).toBe(1)
    expect(writeUnits(null, itemOf(1_025))).toBe(2)
    expect(writeUnits(itemOf(3_000), itemOf(10))).toBe(3)
    expect(writeUnits(itemOf(2_000), null)).toBe(2)
  })

  it('are one at least, where a condition failed and nothing was there', () => {
    expect(writeUnits(null, null)).toBe(1)
  })
})

describe('units that the index adds to a write', () => {
  const entry = itemOf(60)
  const other = itemOf(61)

  it('are none where there is no entry, or it stays as it was', () => {
    expect([indexWriteUnits(null, null), indexWriteUnits(entry, entry)]).toEqual([0, 0])
  })

  it('are one where an entry comes or goes, and two where its key changes', () => {
    expect([
      indexWriteUnits(null, entry),
      indexWriteUnits(entry, null),
      indexWriteUnits(entry, other),
    ]).toEqual([1, 1, 2])
  })
})
