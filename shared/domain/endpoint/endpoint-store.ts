import type { Endpoint } from './endpoint.ts'
import type { EndpointHealth } from './endpoint-health.ts'

export type StateChange = {
  id: string
  state: Endpoint['state']
  reason: string | null
  /** Unix milliseconds. */
  atMs: number
  /** The bridge did it, so the operator is to be told (`untold`). */
  isToBeTold?: boolean
}

/** Endpoints as the table holds them. Every change says on its own what it changes, so that two don't undo each other. */
export interface EndpointStore {
  /** All of them, removed ones included; may be stale by a moment. */
  list(): Promise<Endpoint[]>
  /** Consistent. */
  read(id: string): Promise<Endpoint | null>
  /** Creates it, or replaces its settings and state; its `slow` mark and its health stay. */
  put(endpoint: Endpoint): Promise<void>
  /**
   * Says whether this call changed it: so that it is told once. An endpoint that becomes active begins with good
   * health, and what it was held for is released by and by.
   */
  setState(change: StateChange): Promise<boolean>
  setSlow(id: string, slow: boolean): Promise<void>
  /** Written only over the version before its own; says whether it was. */
  writeHealth(id: string, health: EndpointHealth): Promise<boolean>
  /** Those that the bridge disabled and the operator was not told of yet (`isToBeTold`). */
  untold(): Promise<Endpoint[]>
  /** The operator was told of the state that was set at `stateSinceMs`. */
  setTold(endpoint: Pick<Endpoint, 'id' | 'stateSinceMs'>): Promise<void>
}
