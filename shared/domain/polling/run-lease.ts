export type TakenLease = {
  /** What the last holder left, if any. */
  spending: unknown
  /** When the source was first polled: our clock, Unix milliseconds. */
  firstTakenAtMs: number
}

/**
 * Which run polls a source. It saves requests and keeps the budget; correctness rests on the cursor alone.
 * `spending` is the budget's snapshot, carried to the run that takes over, so that two runs together keep the limit.
 */
export interface RunLease {
  /** Takes the lease from whoever has it. */
  take(lease: { sourceId: string; runId: string; atMs: number }): Promise<TakenLease>
  /** Whether this run still has it. */
  holds(lease: { sourceId: string; runId: string }): Promise<boolean>
  /** Leaves the spending, if the run still has the lease; says whether it does. */
  renew(lease: { sourceId: string; runId: string; spending: unknown }): Promise<boolean>
}
