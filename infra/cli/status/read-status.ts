import { mapBounded } from '../../../shared/adapters/bounded.ts'
import { createDeliveryPages, type DeliveryPages } from '../../../shared/adapters/dynamodb/delivery-pages.ts'
import { createLastRuns, type LastRuns } from '../../../shared/adapters/dynamodb/last-runs.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Cursor } from '../../../shared/domain/polling/cursor.ts'
import { type Source, type StreamName, streamNames } from '../../../shared/domain/source.ts'
import { readStanding, type StandingByState } from '../endpoint/standing.ts'
import type { OperatorBridge, Target } from '../target/operator-bridge.ts'
import { type QueueStatus, readQueueDepths } from './queue-depths.ts'
import { type RecentEvents, recentEvents } from './recent-events.ts'
import {
  type BudgetStanding,
  budgetStanding,
  type StreamStanding,
  streamStanding,
} from './stream-standing.ts'
import { type SuccessShare, successShare } from './success-share.ts'
import { type Tried, tried } from './tried.ts'

const sourcesAtOnce = 4
const endpointsAtOnce = 4

export type StreamStatus = {
  stream: StreamName
  standing: StreamStanding
  cursor: Cursor | null
  events: RecentEvents
}

export type SourceStatus = {
  source: Source
  found: Tried<{
    lastRunAtMs: number | null
    budget: BudgetStanding | null
    streams: readonly StreamStatus[]
  }>
}

export type EndpointStatus = {
  endpoint: Endpoint
  found: Tried<{ deliveries: StandingByState; success: SuccessShare }>
}

export type Status = {
  target: Target
  nowMs: number
  sources: readonly SourceStatus[]
  endpoints: readonly EndpointStatus[]
  /** Null where the queues died with a local bridge. */
  queues: readonly QueueStatus[] | null
}

/** Looks at everything; what can't be read of one source, endpoint or queue hides none of the others. */
export const readStatus = async (
  bridge: OperatorBridge,
  of: { nowMs: number; onLooked: (endpoints: number) => void },
): Promise<Status> => {
  const { nowMs } = of
  const runs = createLastRuns(bridge.table)
  const pages = createDeliveryPages(bridge.table)
  const [sources, endpoints, queues] = await Promise.all([
    bridge.sources.list(),
    bridge.endpoints.list(),
    readQueueDepths(bridge),
  ])
  const present = endpoints.filter(({ state }) => state !== 'removed')
  return {
    target: bridge.target,
    nowMs,
    sources: await mapBounded(sources, sourcesAtOnce, async source => ({
      source,
      found: await tried(() => readSource({ bridge, runs, source, nowMs })),
    })),
    endpoints: await mapBounded(present, endpointsAtOnce, async endpoint => {
      const found = await tried(() => readEndpoint({ bridge, pages, endpoint, nowMs }))
      of.onLooked(1)
      return { endpoint, found }
    }),
    queues,
  }
}

const readSource = async (of: { bridge: OperatorBridge; runs: LastRuns; source: Source; nowMs: number }) => {
  const { bridge, source, nowMs } = of
  const run = await of.runs.read(source.id)
  const streams = await Promise.all(
    streamNames.map(async (stream): Promise<StreamStatus> => {
      const key = { sourceId: source.id, stream }
      const [found, events] = await Promise.all([
        bridge.cursors.read({ ...key, name: 'main' }),
        recentEvents(bridge.log, { ...key, nowMs }),
      ])
      const cursor = found?.cursor ?? null
      return { stream, cursor, events, standing: streamStanding({ source, cursor, run, nowMs }) }
    }),
  )
  return { lastRunAtMs: run?.takenAtMs ?? null, budget: budgetStanding(source, run, nowMs), streams }
}

const readEndpoint = async (of: {
  bridge: OperatorBridge
  pages: DeliveryPages
  endpoint: Endpoint
  nowMs: number
}) => {
  const { bridge, pages, endpoint, nowMs } = of
  const [deliveries, success] = await Promise.all([
    readStanding(bridge, endpoint.id, nowMs),
    successShare(pages, { endpointId: endpoint.id, nowMs }),
  ])
  return { deliveries, success }
}
