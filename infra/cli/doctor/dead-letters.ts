import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import { countStanding } from '../../../shared/domain/release/count-standing.ts'
import { showCount } from '../endpoint/render.ts'
import { showAge } from '../output/moments.ts'
import { type Check, type CheckContext, type Found, failed, ok } from './check.ts'

const endpointsAtOnce = 4
/** Entries counted in each shard of the index: beyond that the count is "at least". */
const perShardMax = 250

/** Nothing was given up: nobody but an operator delivers a dead letter. */
export const deadLettersCheck: Check = {
  name: 'dead letters',
  run: async context => {
    const found = await mapBounded(context.endpoints, endpointsAtOnce, endpoint =>
      checkOne(endpoint, context),
    )
    const dead = found.flat()
    return dead.length === 0 ? [ok('', 'there are none')] : dead
  },
}

const checkOne = async ({ id }: Endpoint, { bridge, clock }: CheckContext): Promise<Found[]> => {
  const nowMs = clock.now()
  const standing = await countStanding(bridge.store, { endpointId: id, state: 'dead', nowMs, perShardMax })
  const { count, oldestEventMs } = standing
  if (count === 0) return []
  const oldest = oldestEventMs === null ? '' : `, the oldest of an event of ${showAge(oldestEventMs, nowMs)}`
  const mend = `bridge dlq list --endpoint ${id} shows them, replay in place of list tries them again, purge gives them up.`
  return [failed(id, `${showCount(standing)} given up${oldest}`, mend)]
}
