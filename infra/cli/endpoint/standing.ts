import { type IndexedState, indexedStates } from '../../../shared/domain/delivery/delivery.ts'
import { eventSecond } from '../../../shared/domain/feedback/event-id.ts'
import { hourMs } from '../../../shared/domain/time-units.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Entries counted of one state in each shard of the index: beyond that the count is "at least". */
const countedPerShardMax = 250
/** Every due time lies before this: nothing is put off for longer than an event is kept. */
const horizonMs = 365 * 24 * hourMs

export type Standing = { count: number; atLeast: boolean; oldestEventMs: number | null }
export type StandingByState = Readonly<Record<IndexedState, Standing>>

/** What stands of an endpoint's deliveries: waiting, held and dead ones. */
export const readStanding = async (
  bridge: OperatorBridge,
  endpointId: string,
  nowMs: number,
): Promise<StandingByState> => {
  const [waiting, held, dead] = await Promise.all(
    indexedStates.map(state => standingIn(bridge, endpointId, state, nowMs)),
  )
  return { waiting: waiting ?? nothing, held: held ?? nothing, dead: dead ?? nothing }
}

const nothing: Standing = { count: 0, atLeast: false, oldestEventMs: null }

const standingIn = async (
  { store }: OperatorBridge,
  endpointId: string,
  state: IndexedState,
  nowMs: number,
): Promise<Standing> => {
  const query = { endpointId, state, untilMs: nowMs + horizonMs, limit: countedPerShardMax }
  const ids = (await store.due(query)).map(({ eventId }) => eventId)
  // Ids begin with their records' time: the lowest is the oldest.
  const [oldest] = ids.toSorted()
  return {
    count: ids.length,
    // A shard that was read to its limit has at least as many.
    atLeast: ids.length >= countedPerShardMax,
    oldestEventMs: oldest === undefined ? null : eventSecond(oldest) * 1_000,
  }
}
