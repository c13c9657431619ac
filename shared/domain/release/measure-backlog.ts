import { faultOf } from '../bridge-error.ts'
import type { Clock } from '../clock.ts'
import type { IndexedState } from '../delivery/delivery.ts'
import type { DeliveryStore } from '../delivery/delivery-store.ts'
import type { EndpointStore } from '../endpoint/endpoint-store.ts'
import type { Backlog, Reporter } from '../happenings.ts'
import { minuteMs } from '../time-units.ts'
import { countStanding, type Standing } from './count-standing.ts'
import { inTurns } from './in-turns.ts'

/**
 * Entries counted of one endpoint and state in each shard of the index. Reading a key costs little, but a million of
 * them every few minutes would cost more than delivering them.
 */
export const countedPerShardMax = 1_250
/** Endpoints that are asked for at the same time. */
const endpointsAtOnce = 4

export type BacklogDeps = {
  endpoints: EndpointStore
  store: DeliveryStore
  reporter: Reporter
  clock: Clock
}

/**
 * Counts what waits, is held or is dead, and tells it of each endpoint that has any and of all together. Endpoints that
 * there was no time for by `endsAtMs`, or that could not be read, make the whole "at least". Throws where the endpoints
 * can't be listed.
 */
export const measureBacklog = async (
  { endsAtMs }: { endsAtMs: number },
  deps: BacklogDeps,
): Promise<void> => {
  const endpoints = await deps.endpoints.list()
  const runNumber = Math.floor(deps.clock.now() / minuteMs)
  const waiting = inTurns(endpoints, runNumber).map(({ id }) => id)
  let total = nothing
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const inTime = deps.clock.now() < endsAtMs
      const backlog = inTime ? await backlogOf(id, deps) : unknown
      if (backlog.waiting + backlog.held + backlog.dead > 0) {
        deps.reporter.report({ kind: 'endpoint_backlog', endpoint: id, ...backlog })
      }
      total = sum(total, backlog)
    }
  }
  await Promise.all(Array.from({ length: endpointsAtOnce }, work))
  deps.reporter.report({ kind: 'backlog', endpoints: endpoints.length, ...total })
}

const nothing: Backlog = {
  waiting: 0,
  held: 0,
  dead: 0,
  oldestHeldSeconds: null,
  oldestWaitingSeconds: null,
  atLeast: false,
}
const unknown: Backlog = { ...nothing, atLeast: true }

const backlogOf = async (endpointId: string, deps: BacklogDeps): Promise<Backlog> => {
  const nowMs = deps.clock.now()
  const standingIn = (state: IndexedState): Promise<Standing> =>
    countStanding(deps.store, { endpointId, state, nowMs, perShardMax: countedPerShardMax })
  try {
    const waiting = await standingIn('waiting')
    const held = await standingIn('held')
    const dead = await standingIn('dead')
    return {
      waiting: waiting.count,
      held: held.count,
      dead: dead.count,
      oldestHeldSeconds: ageSeconds(held, nowMs),
      oldestWaitingSeconds: ageSeconds(waiting, nowMs),
      atLeast: waiting.atLeast || held.atLeast || dead.atLeast,
    }
  } catch (error) {
    const fault = { event: null, endpoint: endpointId, ...faultOf(error), delayMs: 0 }
    deps.reporter.report({ kind: 'fault', ...fault })
    return unknown
  }
}

const ageSeconds = ({ oldestEventMs }: Standing, nowMs: number): number | null =>
  oldestEventMs === null ? null : Math.max(0, (nowMs - oldestEventMs) / 1_000)

const sum = (one: Backlog, other: Backlog): Backlog => ({
  waiting: one.waiting + other.waiting,
  held: one.held + other.held,
  dead: one.dead + other.dead,
  oldestHeldSeconds: older(one.oldestHeldSeconds, other.oldestHeldSeconds),
  oldestWaitingSeconds: older(one.oldestWaitingSeconds, other.oldestWaitingSeconds),
  atLeast: one.atLeast || other.atLeast,
})

const older = (one: number | null, other: number | null): number | null => {
  const known = [one, other].filter(seconds => seconds !== null)
  return known.length === 0 ? null : Math.max(...known)
}
