import { type Item, itemBytes } from '../price/item-units.ts'

/** A page of a query ends at 1 MB (DynamoDB Developer Guide, "Paginating table query results"). */
const pageBytesMax = 1024 * 1024

/** Items by their sort key. Very many that are alike are not kept one by one: `fill` makes them of their keys. */
type Partition = { keys: string[]; items: Map<string, Item>; fill: (sortKey: string) => Item }

export type KeyRange = {
  low: string
  high: string
  /** `high` does not belong to it. */
  below: boolean
  isReverse: boolean
  /** Where the page before ended; it does not belong to this one. */
  after: string | null
}

/** What was read of a range until its end, `limit` or a page's size; `end`: the last one looked at, where more may come. */
export type RangePage = { items: Item[]; end: string | null; bytes: number }

/** Where a key stands, or would stand, in sorted ones. */
export const placeOf = (keys: readonly string[], key: string): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

/** Partitions of sorted items, as DynamoDB has them: what a read costs depends on what it looks at, not on what there is. */
export const createSortedItems = () => {
  const partitions = new Map<string, Partition>()
  const nothing = (): Item => ({})
  const partitionOf = (key: string): Partition => {
    const known = partitions.get(key)
    if (known !== undefined) return known
    const fresh: Partition = { keys: [], items: new Map(), fill: nothing }
    partitions.set(key, fresh)
    return fresh
  }
  const at = ({ items, fill }: Partition, key: string): Item => items.get(key) ?? fill(key)
  const has = ({ keys }: Partition, key: string): boolean => keys[placeOf(keys, key)] === key

  return {
    /** Adds keys that are not there yet, in any order; their items are what `fill` makes of each. */
    fillWith: (partition: string, keys: readonly string[], fill: (sortKey: string) => Item): void => {
      const into = partitionOf(partition)
      into.fill = fill
      into.keys = [...into.keys, ...keys].sort()
    },
    get: (partition: string, key: string): Item | null => {
      const of = partitionOf(partition)
      return has(of, key) ? at(of, key) : null
    },
    put: (partition: string, key: string, item: Item): void => {
      const of = partitionOf(partition)
      if (!has(of, key)) of.keys.splice(placeOf(of.keys, key), 0, key)
      of.items.set(key, item)
    },
    remove: (partition: string, key: string): void => {
      const of = partitionOf(partition)
      if (has(of, key)) of.keys.splice(placeOf(of.keys, key), 1)
      of.items.delete(key)
    },
    page: (partition: string, range: KeyRange, limit: number): RangePage => {
      const of = partitionOf(partition)
      const { low, high, below, isReverse, after } = range
      let first = placeOf(of.keys, low)
      let last = below ? placeOf(of.keys, high) - 1 : placeOf(of.keys, `${high}\0`) - 1
      if (after !== null && isReverse) last = Math.min(last, placeOf(of.keys, after) - 1)
      if (after !== null && !isReverse) first = Math.max(first, placeOf(of.keys, `${after}\0`))
      const items: Item[] = []
      let bytes = 0
      for (let next = isReverse ? last : first; next >= first && next <= last; next += isReverse ? -1 : 1) {
        const key = of.keys[next] ?? ''
        const item = at(of, key)
        items.push(item)
        bytes += itemBytes(item)
        if (items.length >= limit || bytes >= pageBytesMax) return { items, end: key, bytes }
      }
      return { items, end: null, bytes }
    },
  }
}
