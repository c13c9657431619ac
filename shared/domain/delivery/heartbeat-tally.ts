import type { Endpoint } from '../endpoint/endpoint.ts'
import type { HeartbeatCounts } from '../endpoint/heartbeat-store.ts'
import type { Attempt } from './attempt.ts'
import { isSuccess } from './retry-policy.ts'

/** What the attempts of one batch came to, for the endpoints that ask for a heartbeat. */
export type HeartbeatTally = {
  add(endpoint: Pick<Endpoint, 'id' | 'heartbeatEverySeconds'>, attempt: Attempt): void
  byEndpoint(): ReadonlyMap<string, HeartbeatCounts>
}

const none: HeartbeatCounts = { delivered: 0, failed: 0 }

/** Counts as attempts end, so that what came of a batch is written once for each endpoint that wants to know. */
export const createHeartbeatTally = (): HeartbeatTally => {
  const tally = new Map<string, HeartbeatCounts>()
  return {
    add: ({ id, heartbeatEverySeconds }, { result }) => {
      if (heartbeatEverySeconds === null) return
      const { delivered, failed } = tally.get(id) ?? none
      tally.set(
        id,
        isSuccess(result) ? { delivered: delivered + 1, failed } : { delivered, failed: failed + 1 },
      )
    },
    byEndpoint: () => tally,
  }
}
