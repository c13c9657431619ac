import type { StreamName } from './source.ts'

type OfStream = { source: string; stream: StreamName }
type OfDelivery = { event: string; endpoint: string; attempt: number; round: number }

/** How many deliveries stand where in the index. */
export type Backlog = {
  waiting: number
  held: number
  dead: number
  /** Age of the oldest event that is held, or waits, from its record's `timelogged`; null where there is none. */
  oldestHeldSeconds: number | null
  oldestWaitingSeconds: number | null
  /** There are more than were counted: counting is bounded. */
  atLeast: boolean
}

/** What became of the records of a walk's pages. */
export type IntakeCounts = {
  read: number
  enqueued: number
  known: number
  quarantined: number
  beforeFloor: number
  beyondMemory: number
}

/** What one walk of a stream did: one wide line a poll. */
export type PollHappening = OfStream &
  IntakeCounts & {
    kind: 'poll'
    /** What was walked: news since the newest record, the overlap again, or a sweep. */
    walk: 'start' | 'news' | 'overlap' | 'sweep-hour' | 'sweep-days'
    /** It went on where an earlier poll, perhaps of an earlier process, had left off. */
    resumed: boolean
    outcome: 'complete' | 'unfinished' | 'failed' | 'superseded'
    /** A failure's code; null where there was none. */
    reason: string | null
    status: number | null
    /** What the service said, cut, without the token and without addresses; null where nothing failed. */
    detail: string | null
    hint: string | null
    requests: number
    tookMs: number
    budgetLeft: number
    /** Seconds between the service's `Date` and the newest record and the anchor; null where there is none. */
    newestAgeSeconds: number | null
    anchorAgeSeconds: number | null
  }

/** Everything that happens, for logs, metrics, the terminal and `--json`. Nothing in it is secret or an address. */
export type Happening =
  | PollHappening
  /** A fault of ours ended a poll; it is tried again. */
  | (OfStream & { kind: 'poll_fault'; reason: string; hint: string })
  /** A stream's `last_id` no longer leads anywhere; the log and the list serve instead. */
  | (OfStream & { kind: 'anchor_lost'; reason: string })
  | (OfStream & { kind: 'sweep_behind'; sweep: string; bySeconds: number })
  /** Where a stream stands at the end of a run; since its first run where no walk was ever complete. */
  | (OfStream & { kind: 'stream_state'; sinceCompleteWalkSeconds: number; everComplete: boolean })
  /** The event was enqueued; `ageMs` is from the record's `timelogged`. */
  | (OfStream & {
      kind: 'enqueued'
      event: string
      type: string
      endpoints: readonly string[]
      ageMs: number
    })
  | (OfStream & { kind: 'quarantined'; hash: string; reason: string })
  /** An attempt ended: one wide line an attempt. */
  | (OfDelivery & {
      kind: 'attempt'
      type: string
      lane: string
      status: number | null
      reason: string | null
      tookMs: number
      /** From the record's `timelogged` to the end of the attempt. */
      ageMs: number
      queuedMs: number
    })
  | (OfDelivery & { kind: 'delivered'; status: number | null; reason: null; ageMs: number })
  | (OfDelivery & { kind: 'waiting'; status: number | null; reason: string; retryAtMs: number })
  | (OfDelivery & { kind: 'held' | 'dead' | 'cancelled'; status: number | null; reason: string })
  /** A message or an event that was handled before: dropped, and counted by cause. */
  | {
      kind: 'duplicate'
      event: string
      endpoint: string | null
      attempt: number | null
      reason: string
    }
  /** A message was put off because of a fault of ours. */
  | {
      kind: 'fault'
      event: string | null
      endpoint: string | null
      reason: string
      hint: string
      delayMs: number
    }
  | { kind: 'unreadable_message'; reason: string }
  | { kind: 'endpoint_disabled'; endpoint: string; reason: string }
  /** The operator's own systems were told that an endpoint was disabled. */
  | { kind: 'operator_told'; endpoint: string; reason: string }
  | { kind: 'endpoint_lane'; endpoint: string; lane: string }
  /** A heartbeat was attempted, or left out; then it has no time, and the reason says why. */
  | {
      kind: 'heartbeat'
      event: string
      endpoint: string
      status: number | null
      reason: string | null
      tookMs: number | null
    }
  /** An endpoint's breaker opened, so that nothing is attempted but probes, or closed again. */
  | {
      kind: 'breaker'
      endpoint: string
      state: 'open' | 'closed'
      reason: string | null
      openMs: number | null
    }
  | { kind: 'released'; endpoint: string; state: string; count: number }
  | (OfStream & { kind: 'reconciled'; event: string; endpoint: string })
  /** What stands in the index for one endpoint; not told where there is nothing. */
  | (Backlog & { kind: 'endpoint_backlog'; endpoint: string })
  /** The same of all endpoints together. */
  | (Backlog & { kind: 'backlog'; endpoints: number })

/** Where happenings go. Never throws, never waits. */
export interface Reporter {
  report(happening: Happening): void
}
