import type { StreamName } from '../source.ts'
import { type SideKind, windowMs } from './budget.ts'

/** Who comes less often than this finds nothing kept: a poll each minute may be late. */
export const keptMs = 2 * windowMs

/** Requests that are kept free for re-reading and sweeps: news that fill each window would else starve them. */
export type KeptShares = {
  /** A request of this kind was not permitted, and will come again. */
  refused(stream: StreamName, kind: SideKind, nowMs: number): void
  /** One was permitted, whether it had been kept free or not. */
  granted(stream: StreamName, kind: SideKind, nowMs: number): void
  /** Whether one is kept free for it. */
  has(stream: StreamName, kind: SideKind, nowMs: number): boolean
  /** How many are kept free for this kind, of both streams. */
  owed(kind: SideKind, nowMs: number): number
}

/** `requests`: how many were kept when it was refused last; `left`: how many of them it has not had yet. */
type Kept = { kind: SideKind; requests: number; left: number; untilMs: number }

/**
 * One request is kept at first, and twice as many each time that all of them were had and it was refused again. So one
 * page costs the news one request, and what has many to read soon has its whole share.
 */
export const createKeptShares = (requestsMax: number): KeptShares => {
  const kept = new Map<string, Kept>()
  const keyOf = (stream: StreamName, kind: SideKind): string => `${stream} ${kind}`
  const find = (stream: StreamName, kind: SideKind, nowMs: number): Kept | undefined => {
    const found = kept.get(keyOf(stream, kind))
    return found === undefined || found.untilMs <= nowMs ? undefined : found
  }

  const keptAfter = (before: Kept | undefined): Pick<Kept, 'requests' | 'left'> => {
    if (before === undefined) return { requests: 1, left: 1 }
    if (before.left > 0) return { requests: before.requests, left: before.left }
    const requests = Math.min(requestsMax, before.requests * 2)
    return { requests, left: requests }
  }

  return {
    refused: (stream, kind, nowMs) => {
      const again = keptAfter(find(stream, kind, nowMs))
      kept.set(keyOf(stream, kind), { kind, ...again, untilMs: nowMs + keptMs })
    },
    granted: (stream, kind, nowMs) => {
      const found = find(stream, kind, nowMs)
      if (found === undefined) return
      kept.set(keyOf(stream, kind), { ...found, left: Math.max(0, found.left - 1) })
    },
    has: (stream, kind, nowMs) => (find(stream, kind, nowMs)?.left ?? 0) > 0,
    owed: (kind, nowMs) =>
      [...kept.values()].reduce(
        (sum, one) => sum + (one.kind === kind && one.untilMs > nowMs ? one.left : 0),
        0,
      ),
  }
}
