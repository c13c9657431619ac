import { standingJson } from '../endpoint/endpoint-view.ts'
import { healthJson } from '../endpoint/health.ts'
import { isoOf, isoOfSecond, isoOrNull } from '../output/moments.ts'
import type { EndpointStatus, SourceStatus, Status, StreamStatus } from './read-status.ts'

const secondsOf = (ms: number | null): number | null => (ms === null ? null : Math.round(ms / 1_000))

/** What `--json` shows; only ever added to. What can't be read is null, with the reason in `problem`. */
export const statusJson = ({ target, nowMs, sources, endpoints, queues }: Status) => ({
  at: isoOf(nowMs),
  bridge:
    target.kind === 'local'
      ? { kind: target.kind, data: target.dataDir, running: target.isRunning }
      : { kind: target.kind, stack: target.name },
  sources: sources.map(sourceJson),
  endpoints: endpoints.map(endpointJson),
  /** Null where no local bridge runs: its queues died with it. */
  queues:
    queues?.map(({ name, depth }) => ({ name, ...(depth.value ?? noDepth), problem: depth.problem })) ?? null,
})

const noDepth = { ready: null, inFlight: null, delayed: null }

const sourceJson = ({ source, found }: SourceStatus) => {
  const budget = found.value?.budget ?? null
  return {
    id: source.id,
    state: source.state,
    lastRun: isoOrNull(found.value?.lastRunAtMs ?? null),
    budget:
      budget === null ? null : { left: budget.left, of: budget.of, notBefore: isoOrNull(budget.notBeforeMs) },
    streams: found.value?.streams.map(streamJson) ?? null,
    problem: found.problem,
  }
}

const streamJson = ({ stream, standing, cursor, events }: StreamStatus) => ({
  stream,
  state: standing.state,
  lastCompleteWalk: isoOrNull(standing.lastCompleteWalkAtMs),
  lagSeconds: secondsOf(standing.lagMs),
  failingSince: isoOrNull(standing.failingSinceMs),
  newestRecord: isoOfSecond(cursor?.newest?.second ?? null),
  walkUnderWay: (cursor?.place ?? null) !== null,
  /** By the records' time, the oldest hour first; null where there are more events than were looked at. */
  lastDay: { events: events.count, atLeast: events.atLeast, byHour: events.byHour },
})

const endpointJson = ({ endpoint, found }: EndpointStatus) => ({
  id: endpoint.id,
  state: endpoint.state,
  stateReason: endpoint.stateReason,
  lane: endpoint.slow ? 'slow' : 'fast',
  health: healthJson(endpoint),
  /** Of the newest deliveries of the last day's events. */
  recent:
    found.value === null
      ? null
      : { deliveries: found.value.success.deliveries, delivered: found.value.success.delivered },
  deliveries: found.value === null ? null : standingJson(found.value.deliveries),
  problem: found.problem,
})
