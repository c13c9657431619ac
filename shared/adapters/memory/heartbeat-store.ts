import {
  type HeartbeatState,
  type HeartbeatStore,
  noHeartbeatYet,
} from '../../domain/endpoint/heartbeat-store.ts'

/** What is known for heartbeats, in memory. */
export const createMemoryHeartbeatStore = (): HeartbeatStore => {
  const states = new Map<string, HeartbeatState>()
  const stateOf = (endpointId: string): HeartbeatState => states.get(endpointId) ?? noHeartbeatYet
  return {
    read: async endpointId => structuredClone(stateOf(endpointId)),
    count: async (endpointId, counts) => {
      const { totals, last } = stateOf(endpointId)
      const delivered = totals.delivered + counts.delivered
      const failed = totals.failed + counts.failed
      states.set(endpointId, { totals: { delivered, failed }, last })
    },
    claim: async (endpointId, last, beforeMs) => {
      const state = stateOf(endpointId)
      if ((state.last?.startMs ?? null) !== beforeMs) return false
      states.set(endpointId, { ...state, last: structuredClone(last) })
      return true
    },
  }
}
