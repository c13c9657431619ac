import type { EndpointStore } from '../../shared/domain/endpoint/endpoint-store.ts'

/**
 * How many endpoints share the fast lane now: the operator's command adds some, and disables some, while the bridge runs.
 * Where the table does not answer, as many as the start named.
 */
export const createEndpointCount =
  (store: Pick<EndpointStore, 'list'>, named: number): (() => Promise<number>) =>
  async () => {
    try {
      return (await store.list()).filter(({ state }) => state === 'active').length
    } catch {
      return named
    }
  }
