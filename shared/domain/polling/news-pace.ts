import type { StreamName } from '../source.ts'
import type { newsAhead } from './budget.ts'

/** Requests for news of the poll under way, and of the two before it. */
type Counts = { now: number; last: number; before: number }

/** A poll that has taken more than this catches up with a backlog. */
export const usualRequestsMax = 12

/** How many requests a poll takes. */
export type NewsPace = {
  /** A request for news of a stream was spent. */
  spent(stream: StreamName): void
  /** A poll of the stream has read everything. */
  ended(stream: StreamName): void
  /** A poll of the stream came to nothing: whatever it took is no backlog. */
  failed(stream: StreamName): void
  /** What a poll of each stream usually takes, together. */
  requests(): number
  /** Whether the poll that is under way of another stream catches up with a backlog. */
  isOtherBehind(stream: StreamName): boolean
}

export const createNewsPace = (): NewsPace => {
  const counts = new Map<StreamName, Counts>()
  const countsOf = (stream: StreamName): Counts => counts.get(stream) ?? { now: 0, last: 0, before: 0 }

  return {
    spent: stream => {
      const before = countsOf(stream)
      counts.set(stream, { ...before, now: before.now + 1 })
    },
    ended: stream => {
      const { now, last } = countsOf(stream)
      counts.set(stream, { now: 0, last: now, before: last })
    },
    failed: stream => {
      counts.set(stream, { ...countsOf(stream), now: 0 })
    },
    // The lesser of two polls: one that caught up with a backlog says nothing of the next.
    requests: () => [...counts.values()].reduce((sum, { last, before }) => sum + Math.min(last, before), 0),
    isOtherBehind: stream =>
      [...counts].some(([other, { now }]) => other !== stream && now > usualRequestsMax),
  }
}

/**
 * The least time between two polls of so many requests at which the budget lasts. A budget that is spent at once leaves
 * the source unread until the window has passed, and so again in each window after it: what asks to poll every second
 * would wait for half a minute, again and again.
 */
export const evenPaceMs = (requests: number, { left, freed }: ReturnType<typeof newsAhead>): number => {
  if (requests === 0) return 0
  let paceMs = 0
  let free = left
  for (const { inMs, requests: again } of freed) {
    // Until then so many polls fit; the next one has to come after it.
    const polls = Math.max(0, Math.floor(free / requests))
    paceMs = Math.max(paceMs, inMs / (polls + 1))
    free += again
  }
  return Math.ceil(paceMs)
}
