import type { Endpoint } from '../../domain/endpoint/endpoint.ts'
import { healthOnEnabling } from '../../domain/endpoint/endpoint-health.ts'
import type { EndpointStore } from '../../domain/endpoint/endpoint-store.ts'
import { byText } from './order.ts'

/** Endpoints in memory. */
export const createMemoryEndpointStore = (): EndpointStore => {
  const endpoints = new Map<string, Endpoint>()
  const untold = new Set<string>()
  const all = () => structuredClone([...endpoints.values()].sort(byText(endpoint => endpoint.id)))
  return {
    list: async () => all(),
    read: async id => structuredClone(endpoints.get(id) ?? null),
    put: async endpoint => {
      const { slow, health } = endpoints.get(endpoint.id) ?? endpoint
      endpoints.set(endpoint.id, structuredClone({ ...endpoint, slow, health }))
    },
    setState: async ({ id, state, reason, atMs, isToBeTold }) => {
      const endpoint = endpoints.get(id)
      if (!endpoint || endpoint.state === state) return false
      const health = state === 'active' ? healthOnEnabling(endpoint.health, atMs) : endpoint.health
      endpoints.set(id, { ...endpoint, state, stateReason: reason, stateSinceMs: atMs, health })
      if (isToBeTold === true) untold.add(id)
      else untold.delete(id)
      return true
    },
    setSlow: async (id, slow) => {
      const endpoint = endpoints.get(id)
      if (endpoint) endpoints.set(id, { ...endpoint, slow })
    },
    writeHealth: async (id, health) => {
      const endpoint = endpoints.get(id)
      if (endpoint?.health.version !== health.version - 1) return false
      endpoints.set(id, { ...endpoint, health: structuredClone(health) })
      return true
    },
    untold: async () => all().filter(({ id }) => untold.has(id)),
    setTold: async ({ id, stateSinceMs }) => {
      if (endpoints.get(id)?.stateSinceMs === stateSinceMs) untold.delete(id)
    },
  }
}
