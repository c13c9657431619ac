import type { StreamName } from '../source.ts'
import type { Position } from './position.ts'

/** One event to one endpoint. The day of its partition is that of the event id's time. */
export type DeliveryKey = { endpointId: string; eventId: string }

export const deliveryStates = ['waiting', 'held', 'delivered', 'dead', 'cancelled'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** The states with an entry in the sparse index: what is unsettled, and what an operator may replay. */
export const indexedStates = ['waiting', 'held', 'dead'] as const
export type IndexedState = (typeof indexedStates)[number]

/** What one attempt met, as kept on the delivery's item. */
export type AttemptRecord = {
  position: Position
  atMs: number
  tookMs: number
  /** The HTTP status, or null where there was no answer. */
  status: number | null
  /** Why it failed or was given up; null where it was delivered. */
  reason: string | null
  /** The first bytes of the answer; empty where it was delivered. */
  answer: string
}

/** The last attempts that an item keeps. */
export const attemptsKeptMax = 5

/** A delivery as the table holds it. */
export type Delivery = DeliveryKey & {
  sourceId: string
  stream: StreamName
  state: DeliveryState
  /** Of the last attempt that was settled (see position.ts). */
  position: Position
  /** When the next attempt is to be made; null where none is. */
  retryAtMs: number | null
  /** When the releaser looks after it; null exactly where the state has no entry in the index. */
  dueMs: number | null
  /** From here the schedule's time is counted; null before the first failure of this round. */
  firstFailureAtMs: number | null
  reason: string | null
  attempts: readonly AttemptRecord[]
  /** Names the write that made the item what it is: tells our own write, whose reply was lost, from another's. */
  writeId: string
  updatedAtMs: number
  /** When the TTL removes it, with its event: Unix seconds. */
  expiresAtSeconds: number
}
