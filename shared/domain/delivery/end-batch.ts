import { faultOf } from '../bridge-error.ts'
import type { HeartbeatCounts, HeartbeatStore } from '../endpoint/heartbeat-store.ts'
import type { Reporter } from '../happenings.ts'
import type { OfBatch } from './deliver.ts'
import type { HealthKeeper } from './health-keeper.ts'

export type EndBatchDeps = {
  health: HealthKeeper
  heartbeats: Pick<HeartbeatStore, 'count'>
  reporter: Reporter
}

/** Writes what is written once for the whole batch. Never throws. */
export const endBatch = async (
  { pace, outcomes, heartbeatCounts }: OfBatch,
  deps: EndBatchDeps,
): Promise<void> => {
  const noting = [...outcomes.byEndpoint()].map(([endpointId, of]) => deps.health.note(endpointId, of))
  const counting = [...heartbeatCounts.byEndpoint()].map(([endpointId, counts]) =>
    countForHeartbeat(endpointId, counts, deps),
  )
  await Promise.all([pace.close(), ...noting, ...counting])
}

/** A count that can't be written is lost: it is told to people, and nothing depends on it. */
const countForHeartbeat = async (
  endpoint: string,
  counts: HeartbeatCounts,
  { heartbeats, reporter }: EndBatchDeps,
): Promise<void> => {
  try {
    await heartbeats.count(endpoint, counts)
  } catch (error) {
    reporter.report({ kind: 'fault', event: null, endpoint, ...faultOf(error), delayMs: 0 })
  }
}
