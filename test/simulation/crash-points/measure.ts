import type { World } from '../functions/world.ts'
import { nameOfDelivery } from '../twins/table.ts'

/** What a run took, to be set against another one. */
export type Measured = {
  /** Of the service. */
  requests: number
  /** Messages that were handed out, each time. */
  messages: number
  attempts: number
  /** POSTs that were accepted of what had been accepted in its round. */
  duplicates: number
  /** POSTs that were accepted, in all: also those of a new round. */
  accepted: number
  /** Endpoints of whose disabling the operator was told, each time. */
  told: readonly string[]
  heartbeats: number
  /** When each delivery was accepted first. */
  acceptedAtMs: ReadonlyMap<string, number>
}

export const measure = ({ ledger, queues, services, told }: World): Measured => {
  const acceptedAtMs = new Map<string, number>()
  let attempts = 0
  for (const story of ledger.stories.values()) {
    attempts += story.posts.length
    const first = story.posts.find(({ isAccepted }) => isAccepted)
    if (first !== undefined) acceptedAtMs.set(nameOfDelivery(story), first.atMs)
  }
  return {
    requests: [...services.values()].reduce((sum, { requests }) => sum + requests.length, 0),
    messages: queues.handedOut(),
    attempts,
    duplicates: [...ledger.doubles.values()].reduce((sum, count) => sum + count, 0),
    accepted: ledger.accepted,
    told,
    heartbeats: ledger.heartbeats,
    acceptedAtMs,
  }
}
