/**
 * Which run polls a source. It saves requests and keeps the budget; correctness rests on the cursor alone.
 * `spending` is the budget's snapshot, carried to the run that takes over, so that two runs together keep the limit.
 */
export interface RunLease {
  /** Takes the lease from whoever has it; returns the spending that the last holder left, if any. */
  take(lease: { sourceId: string; runId: string; atMs: number }): Promise<unknown>
  /** Whether this run still has it. */
  holds(lease: { sourceId: string; runId: string }): Promise<boolean>
  /** Leaves the spending, if the run still has the lease; says whether it does. */
  renew(lease: { sourceId: string; runId: string; spending: unknown }): Promise<boolean>
}
