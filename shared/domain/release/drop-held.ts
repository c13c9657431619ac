import type { Clock } from '../clock.ts'
import type { Delivery } from '../delivery/delivery.ts'
import { type DeliveryStore, deliveriesReadMax, type IndexEntry } from '../delivery/delivery-store.ts'
import { hourMs } from '../time-units.ts'

/** Every due time lies before this: nothing is put off for longer than an event is kept. */
const horizonMs = 365 * 24 * hourMs
const entriesPerShardMax = 100

export type DropHeldDeps = {
  store: DeliveryStore
  clock: Clock
  /** A new id for each write. */
  newId: () => string
}

/**
 * Cancels what is held for an endpoint that is disabled: an operator says that it is not to be delivered any more. What
 * moves on meanwhile is left as it is. Says how many were dropped, and whether it came to the end before `signal` was
 * aborted; what was not dropped is still held, so that the same call goes on.
 */
export const dropHeld = async (
  of: { endpointId: string; signal: AbortSignal; onProgress: (dropped: number) => void },
  deps: DropHeldDeps,
): Promise<{ dropped: number; complete: boolean }> => {
  const { endpointId } = of
  const left = new Set<string>()
  let dropped = 0
  for (;;) {
    const untilMs = deps.clock.now() + horizonMs
    const limit = entriesPerShardMax + left.size
    const due = await deps.store.due({ endpointId, state: 'held', untilMs, limit })
    const entries = due.filter(entry => !left.has(nameOf(entry)))
    if (entries.length === 0) return { dropped, complete: true }
    for (let at = 0; at < entries.length; at += deliveriesReadMax) {
      if (of.signal.aborted) return { dropped, complete: false }
      const page = entries.slice(at, at + deliveriesReadMax)
      const cancelled = await cancelPage(page, deps)
      // An index may be stale: what it shows is not asked for again.
      for (const entry of page) left.add(nameOf(entry))
      dropped += cancelled
      of.onProgress(dropped)
    }
  }
}

const nameOf = ({ eventId, dueMs }: IndexEntry): string => `${eventId} ${dueMs}`

const cancelPage = async (page: readonly IndexEntry[], deps: DropHeldDeps): Promise<number> => {
  const deliveries = await deps.store.readMany(
    page.map(({ endpointId, eventId }) => ({ endpointId, eventId })),
  )
  const held = deliveries.filter(({ state }) => state === 'held')
  const results = await Promise.all(held.map(delivery => cancel(delivery, deps)))
  return results.filter(result => result === 'written').length
}

const cancel = (delivery: Delivery, { store, clock, newId }: DropHeldDeps) =>
  store.write(
    {
      ...delivery,
      state: 'cancelled',
      reason: 'dropped_by_operator',
      retryAtMs: null,
      dueMs: null,
      writeId: newId(),
      updatedAtMs: clock.now(),
    },
    { kind: 'unchanged', writeId: delivery.writeId },
  )
