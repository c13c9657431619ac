import type { RunLease } from '../../domain/polling/run-lease.ts'

/** Leases in memory. */
export const createMemoryRunLease = (): RunLease => {
  const leases = new Map<string, { runId: string; spending: unknown }>()
  return {
    take: async ({ sourceId, runId }) => {
      const spending = leases.get(sourceId)?.spending
      leases.set(sourceId, { runId, spending })
      return structuredClone(spending)
    },
    holds: async ({ sourceId, runId }) => leases.get(sourceId)?.runId === runId,
    renew: async ({ sourceId, runId, spending }) => {
      if (leases.get(sourceId)?.runId !== runId) return false
      leases.set(sourceId, structuredClone({ runId, spending: spending ?? null }))
      return true
    },
  }
}
