import type { Endpoint } from './endpoint.ts'

/** Endpoints as the table holds them. Every change says on its own what it changes, so that two don't undo each other. */
export interface EndpointStore {
  /** All of them, removed ones included; may be stale by a moment. */
  list(): Promise<Endpoint[]>
  /** Consistent. */
  read(id: string): Promise<Endpoint | null>
  /** Creates it, or replaces its settings; its `slow` mark stays. */
  put(endpoint: Endpoint): Promise<void>
  /** Says whether this call changed it: so that it is told once. */
  setState(change: { id: string; state: Endpoint['state']; reason: string | null }): Promise<boolean>
  setSlow(id: string, slow: boolean): Promise<void>
}
