import type { IndexedState } from '../../shared/domain/delivery/delivery.ts'
import type { Happening, Reporter } from '../../shared/domain/happenings.ts'
import { type Ages, createAges } from './ages.ts'

/** Unsettled deliveries and dead letters that are told apart; beyond that they are counted as "and more". */
export const trackedMax = 100_000

/** What has happened since the start, and what stands now. */
export type Counts = {
  /** Records seen for the first time. */
  read: number
  enqueued: number
  delivered: number
  attempts: number
  duplicates: number
  quarantined: number
  cancelled: number
  /** What stands now, that of earlier starts included. */
  now: Readonly<Record<IndexedState, number>>
  /** There are more than are told apart: the numbers of `now` are lower bounds. */
  andMore: boolean
  ages: ReturnType<Ages['summary']>
}

export type Tally = Reporter & {
  /** What earlier starts left. */
  remember(
    entries: readonly { event: string; endpoint: string; state: IndexedState }[],
    andMore: boolean,
  ): void
  counts(): Counts
}

/** Counts what happens, for the terminal and for summaries. */
export const createTally = (): Tally => {
  const total = {
    read: 0,
    enqueued: 0,
    delivered: 0,
    attempts: 0,
    duplicates: 0,
    quarantined: 0,
    cancelled: 0,
  }
  const states = new Map<string, IndexedState>()
  const now: Record<IndexedState, number> = { waiting: 0, held: 0, dead: 0 }
  const ages = createAges()
  let andMore = false

  const stand = (of: { event: string; endpoint: string }, state: IndexedState | null): void => {
    const name = `${of.event} ${of.endpoint}`
    const before = states.get(name)
    if (before !== undefined) now[before] -= 1
    states.delete(name)
    if (state === null) return
    if (states.size >= trackedMax) {
      andMore = true
      return
    }
    states.set(name, state)
    now[state] += 1
  }
  const count = (happening: Happening): void => {
    switch (happening.kind) {
      case 'poll':
        // Reading the past again brings what is known: it says nothing to a person.
        total.read += happening.read - happening.known
        return
      case 'enqueued':
        total.enqueued += 1
        return
      case 'quarantined':
        total.quarantined += 1
        return
      case 'attempt':
        total.attempts += 1
        return
      case 'duplicate':
        total.duplicates += 1
        return
      case 'delivered':
        total.delivered += 1
        ages.add(happening.ageMs)
        stand(happening, null)
        return
      case 'cancelled':
        total.cancelled += 1
        stand(happening, null)
        return
      case 'waiting':
      case 'held':
      case 'dead':
        stand(happening, happening.kind)
        return
      default:
    }
  }
  return {
    report: count,
    remember: (entries, more) => {
      for (const entry of entries) stand(entry, entry.state)
      andMore ||= more
    },
    counts: () => ({ ...total, now: { ...now }, andMore, ages: ages.summary() }),
  }
}
