import type { Endpoint } from './endpoint.ts'

/** Grows when a reader of the older version would misread; within a version keys are only added. */
export const detailVersion = 1

/** What the operator's own rules match: the bridge disabled an endpoint, and a person is to look. */
export const endpointDisabledType = 'endpoint.disabled'

/** The detail of `endpoint.disabled`, as it stands on the bus (operator-event-schemas.ts says what each key is). */
export type EndpointDisabledDetail = {
  version: typeof detailVersion
  prefix: string
  endpoint: string
  origin: string | null
  reason: string
  disabledAt: string
  failingSince: string | null
}

/** What the operator is told of an endpoint that the bridge disabled. Pure. */
export const endpointDisabledDetail = (
  endpoint: DisabledEndpoint,
  prefix: string,
): EndpointDisabledDetail => {
  const { failingSinceMs } = endpoint.health
  return {
    version: detailVersion,
    prefix,
    endpoint: endpoint.id,
    origin: URL.parse(endpoint.url)?.origin ?? null,
    reason: endpoint.stateReason ?? 'endpoint_disabled',
    disabledAt: isoOf(endpoint.stateSinceMs ?? 0),
    failingSince: failingSinceMs === null ? null : isoOf(failingSinceMs),
  }
}

const isoOf = (atMs: number): string => new Date(atMs).toISOString()

export type DisabledEndpoint = Pick<Endpoint, 'id' | 'url' | 'stateReason' | 'stateSinceMs' | 'health'>

export type TellResult =
  | { kind: 'told' }
  /** There is nobody to tell who does not know. */
  | { kind: 'known' }
  | { kind: 'failed'; reason: string }

/** Where the operator's own systems hear of what the bridge did by itself. */
export interface OperatorEvents {
  /**
   * Tells of them; one result each, in their order, and none for those at the end that it did not come to. Never throws
   * for what the other side answers.
   */
  tellDisabled(endpoints: readonly DisabledEndpoint[]): Promise<TellResult[]>
}
