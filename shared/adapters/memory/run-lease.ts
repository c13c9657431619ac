import type { RunLease } from '../../domain/polling/run-lease.ts'

/** Leases in memory. */
export const createMemoryRunLease = (): RunLease => {
  const leases = new Map<string, { runId: string; spending: unknown; firstTakenAtMs: number }>()
  return {
    take: async ({ sourceId, runId, atMs }) => {
      const { spending, firstTakenAtMs = atMs } = leases.get(sourceId) ?? {}
      leases.set(sourceId, { runId, spending, firstTakenAtMs })
      return structuredClone({ spending, firstTakenAtMs })
    },
    holds: async ({ sourceId, runId }) => leases.get(sourceId)?.runId === runId,
    renew: async ({ sourceId, runId, spending }) => {
      const lease = leases.get(sourceId)
      if (lease?.runId !== runId) return false
      leases.set(sourceId, structuredClone({ ...lease, spending: spending ?? null }))
      return true
    },
  }
}
