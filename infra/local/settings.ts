import type { Source } from '../../shared/domain/source.ts'

/** How a source is polled; its id and the names of its secrets follow from it. */
export type SourceSettings = Omit<Source, 'id' | 'tokenSecret' | 'state'>

export type EndpointSettings = {
  url: string
  /** A `whsec_…` of its own; null: the bridge makes one and keeps it in the data folder. */
  secret: string | null
  /** Exact types or a trailing wildcard. */
  types: readonly string[]
}

/** Everything that one bridge in one process is started with. */
export type BridgeSettings = {
  /** Null: the sources and endpoints that the operator's command added to the data folder, and they alone. */
  source: SourceSettings | null
  /** Null with the source: the folder keeps the tokens. */
  token: string | null
  endpoints: readonly EndpointSettings[]
  /** Milliseconds to wait after each failed attempt; after the last one's failure, dead letter. */
  retrySchedule: readonly number[]
  deadlineMs: number
  dataDir: string
  allowPrivate: boolean
  /** End once caught up and settled. */
  once: boolean
}
