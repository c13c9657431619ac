import type { Endpoint } from '../../domain/endpoint/endpoint.ts'
import type { EndpointStore } from '../../domain/endpoint/endpoint-store.ts'
import { byText } from './order.ts'

/** Endpoints in memory. */
export const createMemoryEndpointStore = (): EndpointStore => {
  const endpoints = new Map<string, Endpoint>()
  return {
    list: async () => structuredClone([...endpoints.values()].sort(byText(endpoint => endpoint.id))),
    read: async id => structuredClone(endpoints.get(id) ?? null),
    put: async endpoint => {
      const slow = endpoints.get(endpoint.id)?.slow ?? endpoint.slow
      endpoints.set(endpoint.id, structuredClone({ ...endpoint, slow }))
    },
    setState: async ({ id, state, reason }) => {
      const endpoint = endpoints.get(id)
      if (!endpoint || endpoint.state === state) return false
      endpoints.set(id, { ...endpoint, state, stateReason: reason })
      return true
    },
    setSlow: async (id, slow) => {
      const endpoint = endpoints.get(id)
      if (endpoint) endpoints.set(id, { ...endpoint, slow })
    },
  }
}
