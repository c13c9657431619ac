import { eventHashBits, eventIdRange } from '../feedback/event-id.ts'
import type { StreamName } from '../source.ts'
import { daySeconds } from '../time-units.ts'
import type { EventLog } from './event-log.ts'

/** A record's event id with its second. */
export type Candidate = { id: string; second: number }

/** What a process remembers of what it recorded: more than an overlap at high rates, some ten megabytes. */
export const rememberedMax = 100_000
/** Of one page the log is read by time for this many stretches; a page more scattered is looked up by key. */
export const stretchesMax = 3
/** Records of a page further apart than this belong to two stretches: between them may lie much of the log. */
const stretchGapSeconds = 600
/** A service that rounds where it truncated before shifts a record by this much; its hash bits stay. */
const driftSeconds = 2

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
}): KnownRecords => {
  const { log, sourceId, stream } = deps
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

  const fromLog = async (candidates: readonly Candidate[]): Promise<string[]> => {
    const stretches = stretchesOf(candidates)
    if (stretches.length > stretchesMax) {
      return [...(await log.existing({ sourceId, stream, ids: candidates.map(({ id }) => id) }))]
    }
    const reads = stretches.map(({ first, last }) => {
      const range = eventIdRange(first, last)
      return log.idsInRange({ sourceId, stream, firstId: range.first, lastId: range.last })
    })
    return (await Promise.all(reads)).flat()
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
