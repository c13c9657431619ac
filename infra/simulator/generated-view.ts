import type { RecordGenerator } from './record-generator.ts'
import { countBelow, firstIndex } from './search.ts'

/** What of a generator's records a list shows at one moment, by rank (0 is the oldest). */
export type GeneratedView = {
  count: number
  /** How many shown records have a lower index. */
  countBefore(index: number): number
  /** Shown records from a rank on, oldest first; at most `limit`. */
  indexesFrom(rank: number, limit: number): number[]
  /** The first index, shown or not, with a second at or after this one. */
  firstFromSecond(second: number): number
}

export type Moment = {
  nowMs: number
  includeSoft: boolean
  /** Records of a second before this one have expired; null where nothing does. */
  oldestSecond: number | null
}

/**
 * Nothing is built but the stretch in which a record may still be late: below it, counting is arithmetic, since the
 * templates come round in cycles. `removed` are indexes in ascending order.
 */
export const createGeneratedView = (
  generator: RecordGenerator,
  removed: readonly number[],
  moment: Moment,
): GeneratedView => {
  const { schedule } = generator
  const { nowMs, includeSoft, oldestSecond } = moment
  const end = schedule.firstInvisible(nowMs)
  const start = oldestSecond === null ? 0 : Math.min(end, schedule.firstFromSecond(oldestSecond))
  const settled = Math.max(start, schedule.firstUnsettled(nowMs))
  const gone = new Set(removed)

  const isListed = (index: number): boolean =>
    (includeSoft || generator.templateOf(index).hard) && !gone.has(index)
  const removedListed = removed.filter(index => includeSoft || generator.templateOf(index).hard)

  const recent: number[] = []
  for (let index = settled; index < end; index += 1) {
    if (schedule.visibleAtMs(index) <= nowMs && isListed(index)) recent.push(index)
  }

  const listedBefore = (index: number): number =>
    (includeSoft ? index : generator.hardBefore(index)) - countBelow(removedListed, index)
  const settledBefore = (index: number): number => listedBefore(Math.max(start, index)) - listedBefore(start)
  const settledCount = settledBefore(settled)

  const indexesFrom = (rank: number, limit: number): number[] => {
    const indexes: number[] = []
    if (rank < settledCount) {
      let index = firstIndex(start, settled, at => settledBefore(at + 1) > rank)
      for (; index < settled && indexes.length < limit; index += 1) if (isListed(index)) indexes.push(index)
    }
    const recentFrom = Math.max(0, rank - settledCount)
    return indexes.concat(recent.slice(recentFrom, recentFrom + limit - indexes.length))
  }

  return {
    count: settledCount + recent.length,
    countBefore: index =>
      index <= settled ? settledBefore(index) : settledCount + countBelow(recent, index),
    indexesFrom,
    firstFromSecond: second => schedule.firstFromSecond(second),
  }
}
