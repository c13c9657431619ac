/** Attempts that succeeded, and that did not. */
export type HeartbeatCounts = { delivered: number; failed: number }

export type LastHeartbeat = {
  /** The begin of its interval, and of its id's second: Unix milliseconds. */
  startMs: number
  /** When it was handed to the queue. */
  sentAtMs: number
  /** What had been counted by then. */
  totals: HeartbeatCounts
}

export type HeartbeatState = {
  /** Of all time; they only grow. */
  totals: HeartbeatCounts
  last: LastHeartbeat | null
}

export const noHeartbeatYet: HeartbeatState = { totals: { delivered: 0, failed: 0 }, last: null }

/** What is known for the heartbeats of endpoints that ask for them. */
export interface HeartbeatStore {
  /** Consistent; `noHeartbeatYet` where nothing was ever written. */
  read(endpointId: string): Promise<HeartbeatState>
  /**
   * Adds to the totals. Approximate: what a process counted that died is lost, and an addition whose reply was lost may
   * be made twice.
   */
  count(endpointId: string, counts: HeartbeatCounts): Promise<void>
  /** Takes an interval; only over the one that was read (`beforeMs`: its begin). Says whether this call has it. */
  claim(endpointId: string, last: LastHeartbeat, beforeMs: number | null): Promise<boolean>
}
