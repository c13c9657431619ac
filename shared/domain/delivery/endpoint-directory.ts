import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { EndpointHealth } from '../endpoint/endpoint-health.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Reporter } from '../happenings.ts'
import { type Pace, paceAfter } from './lane-policy.ts'
import type { SendResult } from './webhook-sender.ts'

/** How old the endpoints that a dispatcher goes by may be. */
export const endpointsCachedMsDefault = 5_000

/** The endpoints as one dispatcher process sees them. */
export interface EndpointDirectory {
  /**
   * The endpoint, at most seconds old where it is active. One that seems gone, disabled or removed is read
   * consistently first; null where there is none even then.
   */
  current(id: string): Promise<Endpoint | null>
  /** Reads it consistently, and goes by that from now on; null where there is none. */
  refresh(id: string): Promise<Endpoint | null>
  /** Goes by this health from now on: this process wrote it just now. */
  noteHealth(id: string, health: EndpointHealth): Promise<void>
  /** Disables an active endpoint and tells it; says whether this call did. */
  disable(id: string, reason: string): Promise<boolean>
  /** Takes note of an attempt's speed and writes the endpoint's lane where it changed. Never throws. */
  noteSpeed(endpoint: Endpoint, result: SendResult): Promise<void>
}

export const createEndpointDirectory = (deps: {
  endpoints: EndpointStore
  clock: Clock
  reporter: Reporter
  cachedMs?: number
}): EndpointDirectory => {
  const { endpoints, clock, reporter } = deps
  const cachedMs = deps.cachedMs ?? endpointsCachedMsDefault
  let cache: { byId: Promise<Map<string, Endpoint>>; untilMs: number } | null = null
  const paces = new Map<string, Pace>()

  const cached = (): Promise<Map<string, Endpoint>> => {
    if (cache !== null && clock.now() < cache.untilMs) return cache.byId
    const byId = endpoints.list().then(list => new Map(list.map(endpoint => [endpoint.id, endpoint])))
    const mine = { byId, untilMs: clock.now() + cachedMs }
    cache = mine
    // A failed list is nobody's answer but that of those who wait for it now.
    byId.catch(() => {
      if (cache === mine) cache = null
    })
    return byId
  }

  const fresh = async (id: string): Promise<Endpoint | null> => {
    const endpoint = await endpoints.read(id)
    const byId = await cache?.byId
    if (endpoint === null) byId?.delete(id)
    else byId?.set(id, endpoint)
    return endpoint
  }

  return {
    current: async id => {
      const known = (await cached()).get(id)
      return known?.state === 'active' ? known : fresh(id)
    },

    refresh: fresh,

    noteHealth: async (id, health) => {
      const byId = await cache?.byId.catch(() => undefined)
      const known = byId?.get(id)
      if (known !== undefined) byId?.set(id, { ...known, health })
    },

    disable: async (id, reason) => {
      // Read first: a state written over `removed` would bring back what an operator took away.
      const endpoint = await fresh(id)
      if (endpoint?.state !== 'active') return false
      const atMs = clock.now()
      const changed = await endpoints.setState({ id, state: 'disabled', reason, atMs, isToBeTold: true })
      if (changed) reporter.report({ kind: 'endpoint_disabled', endpoint: id, reason })
      await fresh(id)
      return changed
    },

    noteSpeed: async (endpoint, result) => {
      const byId = await cache?.byId.catch(() => undefined)
      const known = byId?.get(endpoint.id) ?? endpoint
      const before = paces.get(known.id)
      // Where another process changed the mark since, the count of this one means nothing.
      const pace = before?.slow === known.slow ? before : { slow: known.slow, quickAnswers: 0 }
      const after = paceAfter(pace, result)
      paces.set(known.id, after)
      if (after.slow === known.slow) return
      // In the cache at once, so that the other attempts in flight see no change of their own to write.
      byId?.set(known.id, { ...known, slow: after.slow })
      try {
        await endpoints.setSlow(known.id, after.slow)
        reporter.report({ kind: 'endpoint_lane', endpoint: known.id, lane: after.slow ? 'slow' : 'fast' })
      } catch (error) {
        // Nothing depends on the mark: once the list is read again, the next slow attempt writes it.
        reporter.report({ kind: 'fault', event: null, endpoint: known.id, ...faultOf(error), delayMs: 0 })
      }
    },
  }
}
