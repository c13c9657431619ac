import type { Clock } from '../clock.ts'
import type { RunLease } from './run-lease.ts'

/** The spending is left for the next run at least this often. */
const renewEveryMs = 15_000
/** And at least each time that this share of the limit was spent: a run that dies, or is overtaken, hides no more. */
const unsavedShareMax = 0.1

/** What a run knows of its lease. */
export type LeaseWatch = {
  /** A request was spent. */
  spent(): void
  /** Leaves the spending where it is time to; ends the run when its lease is gone. */
  look(isLast: boolean): Promise<void>
  /** Looks now; says whether the lease was still there. */
  isOurs(): Promise<boolean>
}

/** A table that can't be asked ends nothing: the lease only saves requests. */
export const createLeaseWatch = (
  { lease, clock }: { lease: RunLease; clock: Clock },
  of: { sourceId: string; runId: string },
  run: { requestsPerMinute: number; spending: () => unknown; onTaken: () => void },
): LeaseWatch => {
  const unsavedMax = Math.max(1, Math.floor(run.requestsPerMinute * unsavedShareMax))
  let unsaved = 0
  let renewedMs = clock.now()
  let looked = Promise.resolve()
  let isTaken = false

  const look = (renews: boolean): Promise<void> => {
    if (renews) {
      unsaved = 0
      renewedMs = clock.now()
    }
    // One after the other: what is written last must be what was spent last.
    looked = looked.then(() => ask(renews))
    return looked
  }

  const ask = async (renews: boolean): Promise<void> => {
    try {
      const ours = renews ? await lease.renew({ ...of, spending: run.spending() }) : await lease.holds(of)
      if (ours) return
      isTaken = true
      run.onTaken()
    } catch {
      // The next look tells; the poll itself reports a table that is away.
    }
  }

  const lookNow = (isLast: boolean): Promise<void> => look(isLast || clock.now() - renewedMs >= renewEveryMs)

  return {
    spent: () => {
      unsaved += 1
      if (unsaved >= unsavedMax) void look(true)
    },
    look: lookNow,
    isOurs: async () => {
      await lookNow(false)
      return !isTaken
    },
  }
}

/** Looks at a run's pace until it is over, and once more then. */
export const keepWatch = async (
  clock: Clock,
  watch: LeaseWatch,
  run: { isOver: () => boolean; signal: AbortSignal; everyMs: number },
): Promise<void> => {
  while (!run.isOver()) {
    await clock.sleep(run.everyMs, run.signal)
    await watch.look(run.isOver())
  }
}
