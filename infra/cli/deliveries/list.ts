import * as z from 'zod'
import { type Delivery, deliveryStates } from '../../../shared/domain/delivery/delivery.ts'
import { defineCommand } from '../command.ts'
import { eventIdWidth } from '../events/event-rows.ts'
import {
  endpointFlag,
  limitFlags,
  limitOf,
  orderFlag,
  rangeOf,
  sourceFlag,
  streamFlag,
  timeFlags,
} from '../events/inputs.ts'
import type { Look } from '../output/look.ts'
import { listedMoments } from '../output/moments.ts'
import { createSearching } from '../output/searching.ts'
import { type Listing, writeList } from '../output/streamed-list.ts'
import { none } from '../output/texts.ts'
import { deliveryJson } from './delivery-json.ts'
import { endpointsOf, findDeliveries } from './find-deliveries.ts'
import { statesFlag } from './inputs.ts'
import { coloredState, reasonWidth } from './render.ts'

export const listDeliveries = defineCommand({
  name: 'list',
  summary: 'Deliveries, by endpoint, state, time, source or stream',
  details: `In the order of their events' times; --since and --until are about these. A delivery is there once an attempt is
settled: what is still in a queue for its first attempt, bridge events show tells. ATTEMPT is round and attempt.`,
  examples: [
    { line: 'bridge deliveries list --endpoint crm --state waiting,held' },
    { line: 'bridge deliveries list --state dead --since 1d --all --json' },
  ],
  input: z.object({
    endpoint: endpointFlag,
    state: statesFlag(deliveryStates),
    ...timeFlags,
    source: sourceFlag,
    stream: streamFlag,
    order: orderFlag,
    ...limitFlags,
  }),
  run: async (input, session) => {
    const range = rangeOf(input, session.clock.now())
    const limit = limitOf(input)
    const bridge = await session.open()
    const endpointIds = await endpointsOf(bridge, input)
    const searching = createSearching(session, 'deliveries')
    const selection = { ...input, states: input.state ?? null }
    const deliveries = findDeliveries(
      { selection, range, order: input.order ?? 'newest' },
      { bridge, endpointIds, session, searching },
    )
    return writeList(
      deliveries,
      {
        listing: listingOf(endpointIds, { look: session.io.look, nowMs: session.clock.now() }),
        limit,
        searching,
      },
      session,
    )
  },
})

const stateWidth = Math.max(...deliveryStates.map(state => state.length))

const listingOf = (
  endpointIds: readonly string[],
  { look, nowMs }: { look: Look; nowMs: number },
): Listing<Delivery> => {
  const moments = listedMoments(look, nowMs)
  return {
    name: 'deliveries',
    json: deliveryJson,
    columns: [
      { title: 'EVENT', width: eventIdWidth },
      { title: 'ENDPOINT', width: Math.max(1, ...endpointIds.map(id => id.length)), shrinks: true },
      { title: 'STATE', width: stateWidth },
      { title: 'ATTEMPT', width: 1 },
      { title: 'REASON', width: reasonWidth, shrinks: true },
      { title: 'UPDATED', width: moments.width },
    ],
    row: delivery => [
      delivery.eventId,
      delivery.endpointId,
      coloredState(look, delivery.state),
      `${delivery.position.round}.${delivery.position.attempt}`,
      delivery.reason ?? none,
      moments.show(delivery.updatedAtMs),
    ],
    nothing: 'There are no such deliveries.',
  }
}
