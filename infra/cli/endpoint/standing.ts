import type { IndexedState } from '../../../shared/domain/delivery/delivery.ts'
import { countStanding, type Standing } from '../../../shared/domain/release/count-standing.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Entries counted of one state in each shard of the index: beyond that the count is "at least". */
const perShardMax = 250

export type StandingByState = Readonly<Record<IndexedState, Standing>>

/** What stands of an endpoint's deliveries: waiting, held and dead ones. */
export const readStanding = async (
  { store }: OperatorBridge,
  endpointId: string,
  nowMs: number,
): Promise<StandingByState> => {
  const standingIn = (state: IndexedState): Promise<Standing> =>
    countStanding(store, { endpointId, state, nowMs, perShardMax })
  const [waiting, held, dead] = await Promise.all([
    standingIn('waiting'),
    standingIn('held'),
    standingIn('dead'),
  ])
  return { waiting, held, dead }
}
