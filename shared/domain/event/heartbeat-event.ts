import type { HeartbeatCounts } from '../endpoint/heartbeat-store.ts'
import type { StreamName } from '../source.ts'

export type SourceWalks = {
  sourceId: string
  streams: readonly {
    stream: StreamName
    /** Unix milliseconds; null where none was ever complete. */
    lastCompleteWalkAtMs: number | null
  }[]
}

/** The JSON text of a heartbeat, as it is signed and sent. Times are Unix milliseconds. Pure. */
export const heartbeatBody = (of: {
  id: string
  sentAtMs: number
  everySeconds: number
  sources: readonly SourceWalks[]
  /** The last heartbeat's time; null with the first. */
  sinceMs: number | null
  counts: HeartbeatCounts
}): string =>
  JSON.stringify({
    id: of.id,
    type: 'webhook.heartbeat',
    timestamp: isoOf(of.sentAtMs),
    data: {
      interval_seconds: of.everySeconds,
      sources: of.sources.map(({ sourceId, streams }) => ({
        id: sourceId,
        streams: streams.map(({ stream, lastCompleteWalkAtMs }) => ({
          stream,
          last_complete_walk: isoOrNull(lastCompleteWalkAtMs),
        })),
      })),
      since: isoOrNull(of.sinceMs),
      delivered: of.counts.delivered,
      failed: of.counts.failed,
    },
  })

const isoOf = (atMs: number): string => new Date(atMs).toISOString()
const isoOrNull = (atMs: number | null): string | null => (atMs === null ? null : isoOf(atMs))
