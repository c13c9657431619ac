import type { PaceStore } from '../../domain/delivery/pace-gate.ts'
import { freshPace, type PaceState } from '../../domain/endpoint/pace-policy.ts'

/** What is taken of limits, in memory. */
export const createMemoryPaceStore = (): PaceStore => {
  const states = new Map<string, PaceState>()
  return {
    read: async endpointId => structuredClone(states.get(endpointId) ?? freshPace),
    write: async (endpointId, state) => {
      const before = states.get(endpointId) ?? freshPace
      if (before.version !== state.version - 1) return false
      states.set(endpointId, structuredClone(state))
      return true
    },
  }
}
