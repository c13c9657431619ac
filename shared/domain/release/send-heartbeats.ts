import { BridgeError, faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import { encodeHeartbeat } from '../delivery/delivery-message.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import { sendOne } from '../delivery/own-fault.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import { isPaused } from '../endpoint/endpoint-health.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import { dueHeartbeat } from '../endpoint/heartbeat-interval.ts'
import type { HeartbeatState, HeartbeatStore } from '../endpoint/heartbeat-store.ts'
import { heartbeatBody, type SourceWalks } from '../event/heartbeat-event.ts'
import { heartbeatId } from '../feedback/event-id.ts'
import type { Reporter } from '../happenings.ts'
import type { CursorStore } from '../polling/cursor.ts'
import { streamNames } from '../source.ts'
import type { SourceStore } from '../source-store.ts'
import { releaseEveryMsDefault } from './release.ts'

/** Endpoints whose heartbeats are looked at at the same time. */
const endpointsAtOnce = 4
/** Sources that one heartbeat tells of: at some 200 bytes each, they fit a message. */
const sourcesToldMax = 1_000

export type HeartbeatDeps = {
  endpoints: Pick<EndpointStore, 'list'>
  sources: Pick<SourceStore, 'list'>
  cursors: Pick<CursorStore, 'read'>
  heartbeats: HeartbeatStore
  queue: DeliveryQueue
  reporter: Reporter
  clock: Clock
  /** Between the begins of two runs; default: a minute. */
  releaseEveryMs?: number
}

/** The queue did not take a heartbeat. */
export class HeartbeatError extends BridgeError {}

/**
 * Sends the heartbeats that are due, through the queue, so that they prove the whole way of an event. An interval is
 * taken in the table before its heartbeat is sent: two runs at once send one. What a run can't send is not sent late.
 * None goes to an endpoint that can't be asked: then the silence is what its owner is to notice. Throws where the
 * endpoints can't be read.
 */
export const sendHeartbeats = async (
  { endsAtMs }: { endsAtMs: number },
  deps: HeartbeatDeps,
): Promise<void> => {
  const wanting = (await deps.endpoints.list()).filter(endpoint => isWanted(endpoint, deps))
  let walks: Promise<SourceWalks[]> | null = null
  const walksOnce = (): Promise<SourceWalks[]> => {
    walks ??= readWalks(deps)
    return walks
  }
  const work = async (): Promise<void> => {
    for (let endpoint = wanting.shift(); endpoint !== undefined; endpoint = wanting.shift()) {
      if (deps.clock.now() >= endsAtMs) return
      try {
        await beat(endpoint, walksOnce, deps)
      } catch (error) {
        const fault = { event: null, endpoint: endpoint.id, ...faultOf(error), delayMs: 0 }
        deps.reporter.report({ kind: 'fault', ...fault })
      }
    }
  }
  await Promise.all(Array.from({ length: endpointsAtOnce }, work))
}

const everyMsOf = (deps: HeartbeatDeps): number => deps.releaseEveryMs ?? releaseEveryMsDefault

/**
 * Whether an endpoint asks for heartbeats and can be asked. While its breaker is open, one goes as the probe that is due:
 * an endpoint that gets no events would stay closed for ever.
 */
const isWanted = ({ heartbeatEverySeconds, state, health }: Endpoint, deps: HeartbeatDeps): boolean => {
  const nowMs = deps.clock.now()
  if (heartbeatEverySeconds === null || state !== 'active') return false
  if (isPaused(health, nowMs)) return false
  return health.open === null || health.open.nextProbeAtMs <= nowMs
}

const readWalks = async ({ sources, cursors }: HeartbeatDeps): Promise<SourceWalks[]> => {
  // The poller tells of one that can't be read.
  const told = (await sources.list(() => undefined)).slice(0, sourcesToldMax)
  return Promise.all(
    told.map(async ({ id: sourceId }) => {
      const streams = streamNames.map(async stream => {
        const found = await cursors.read({ sourceId, stream, name: 'main' })
        return { stream, lastCompleteWalkAtMs: found?.cursor.lastCompleteWalkAtMs ?? null }
      })
      return { sourceId, streams: await Promise.all(streams) }
    }),
  )
}

const beat = async (
  endpoint: Endpoint,
  walks: () => Promise<SourceWalks[]>,
  deps: HeartbeatDeps,
): Promise<void> => {
  const { id: endpointId, heartbeatEverySeconds: everySeconds } = endpoint
  if (everySeconds === null) return
  const nowMs = deps.clock.now()
  const state = await deps.heartbeats.read(endpointId)
  const lastStartMs = state.last?.startMs ?? null
  const startMs = dueHeartbeat({ everySeconds, lastStartMs, nowMs, runEveryMs: everyMsOf(deps) })
  if (startMs === null) return
  const id = heartbeatId({ endpointId, second: startMs / 1_000 })
  const sources = sourcesOf(endpoint, await walks())
  const sinceMs = state.last?.sentAtMs ?? null
  const counts = countsSince(state)
  const body = heartbeatBody({ id, sentAtMs: nowMs, everySeconds, sources, sinceMs, counts })
  const last = { startMs, sentAtMs: nowMs, totals: state.totals }
  if (!(await deps.heartbeats.claim(endpointId, last, lastStartMs))) return
  const notAfterMs = startMs + everySeconds * 1_000 + everyMsOf(deps)
  await send(endpoint, encodeHeartbeat({ eventId: id, endpointId, notAfterMs, body }), deps)
}

/** No endpoint hears of sources whose events it does not get. */
const sourcesOf = ({ filters }: Endpoint, walks: readonly SourceWalks[]): SourceWalks[] =>
  walks.filter(({ sourceId }) => filters.sources === null || filters.sources.includes(sourceId))

const countsSince = ({ totals, last }: HeartbeatState) => ({
  delivered: totals.delivered - (last?.totals.delivered ?? 0),
  failed: totals.failed - (last?.totals.failed ?? 0),
})

const send = async (endpoint: Endpoint, body: string, deps: HeartbeatDeps): Promise<void> => {
  const lane = endpoint.slow ? 'slow' : 'fast'
  const entry = { lane, group: endpoint.id, body, delayMs: 0, faults: null } as const
  const result = await sendOne(() => deps.queue.send([entry]))
  if (result.kind === 'sent') return
  throw new HeartbeatError({
    code: 'queue_failed',
    message: `the queue did not take a heartbeat: ${result.reason}`,
    hint: 'The next one comes at its time. If it lasts, check the queue, the network and the role.',
  })
}
