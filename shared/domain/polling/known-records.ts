import type { Clock } from '../clock.ts'
import { eventHashBits, eventIdRange } from '../feedback/event-id.ts'
import type { StreamName } from '../source.ts'
import { daySeconds } from '../time-units.ts'
import type { EventLog } from './event-log.ts'

/** A record's event id with its second, and whether it may have been logged as seen at the start of its stream. */
export type Candidate = { id: string; second: number; isOfFloor?: boolean }

/** What a process remembers of what it recorded: more than an overlap at high rates, some ten megabytes. */
export const rememberedMax = 100_000
/** Of one page the log is read by time for this many stretches; a page more scattered is looked up by key. */
export const stretchesMax = 3
/** Records of a page further apart than this belong to two stretches: between them may lie much of the log. */
const stretchGapSeconds = 600
/** A service that rounds where it truncated before shifts a record by this much; its hash bits stay. */
export const driftSeconds = 2
/**
 * Records older than this are looked up by reads that may be stale, for half the price: they are what sweeps read, again
 * and again. A stale answer may lack what was written in the last moments (DynamoDB Developer Guide, "DynamoDB read
 * consistency"), and what this process wrote then, it remembers. So it lacks at most what another poller, which overlaps
 * or has just died, recorded a moment ago and long after the record's time: that is sent once more, and the dispatcher
 * drops it, whose own reads are consistent. What was only seen at a start at latest has no delivery by which to drop it,
 * so the floor's second is always read consistently. A stale answer makes nothing known that is not.
 */
export const agedSeconds = 600

export type KnownRecords = {
  /** Those of the candidates that the log holds already; from memory where that will do. */
  among(candidates: readonly Candidate[]): Promise<Set<string>>
  /** To be called for what is settled for certain: in the log, or in quarantine. */
  remember(ids: Iterable<string>): void
}

/**
 * Tells which records of a stream are known, by the hash bits of their event ids. Memory holds only what is
 * settled for certain, so forgetting costs a read and never a duplicate.
 */
export const createKnownRecords = (deps: {
  log: EventLog
  sourceId: string
  stream: StreamName
  /** Without it every read is consistent: for whoever reports what is not there. */
  clock?: Clock
}): KnownRecords => {
  const { log, sourceId, stream, clock } = deps
  const remembered = new Set<string>()

  const remember = (ids: Iterable<string>): void => {
    for (const id of ids) {
      const bits = eventHashBits(id)
      // Taken out and put back, so that what was seen last is forgotten last.
      remembered.delete(bits)
      remembered.add(bits)
    }
    for (const oldest of remembered) {
      if (remembered.size <= rememberedMax) break
      remembered.delete(oldest)
    }
  }

  const lookUp = async (candidates: readonly Candidate[], staleWillDo: boolean): Promise<string[]> => {
    const stretches = stretchesOf(candidates)
    if (stretches.length > stretchesMax) {
      const ids = candidates.map(({ id }) => id)
      return [...(await log.existing({ sourceId, stream, ids, staleWillDo }))]
    }
    const reads = stretches.map(({ first, last }) => {
      const range = eventIdRange(first, last)
      return log.idsInRange({ sourceId, stream, firstId: range.first, lastId: range.last, staleWillDo })
    })
    return (await Promise.all(reads)).flat()
  }

  const fromLog = async (candidates: readonly Candidate[]): Promise<string[]> => {
    const agedBefore = clock === undefined ? 0 : clock.now() / 1_000 - agedSeconds
    const staleWillDo = ({ second, isOfFloor }: Candidate): boolean =>
      second < agedBefore && isOfFloor !== true
    const aged = candidates.filter(staleWillDo)
    const others = candidates.filter(candidate => !staleWillDo(candidate))
    return (await Promise.all([lookUp(aged, true), lookUp(others, false)])).flat()
  }

  return {
    remember,
    among: async candidates => {
      const unsure = candidates.filter(({ id }) => !remembered.has(eventHashBits(id)))
      const logged = unsure.length === 0 ? [] : await fromLog(unsure)
      const bits = new Set(logged.map(eventHashBits))
      const known = candidates.filter(({ id }) => {
        const own = eventHashBits(id)
        return remembered.has(own) || bits.has(own)
      })
      remember(known.map(({ id }) => id))
      return new Set(known.map(({ id }) => id))
    },
  }
}

type Stretch = { first: number; last: number }

/** The spans of seconds that the candidates cover, each within one day of the log. */
const stretchesOf = (candidates: readonly Candidate[]): Stretch[] => {
  const seconds = candidates.map(({ second }) => second).sort((a, b) => a - b)
  const stretches: Stretch[] = []
  let current: Stretch | null = null
  for (const second of seconds) {
    if (current !== null && second - current.last <= stretchGapSeconds) {
      current.last = second
    } else {
      current = { first: second, last: second }
      stretches.push(current)
    }
  }
  return stretches.flatMap(({ first, last }) => splitByDay(first - driftSeconds, last + driftSeconds))
}

const splitByDay = (first: number, last: number): Stretch[] => {
  const parts: Stretch[] = []
  for (let from = Math.max(0, first); from <= last; ) {
    const endOfDay = (Math.floor(from / daySeconds) + 1) * daySeconds - 1
    parts.push({ first: from, last: Math.min(last, endOfDay) })
    from = endOfDay + 1
  }
  return parts
}
