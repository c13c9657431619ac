import { createDeliveryPages } from '../../../shared/adapters/dynamodb/delivery-pages.ts'
import type { Order } from '../../../shared/adapters/dynamodb/event-pages.ts'
import type { Delivery, DeliveryState } from '../../../shared/domain/delivery/delivery.ts'
import type { StreamName } from '../../../shared/domain/source.ts'
import { findEndpoint } from '../endpoint/find-endpoint.ts'
import { inOrder, type SecondRange } from '../events/in-order.ts'
import type { Searching } from '../output/searching.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

/** Which deliveries are asked for; undefined, or null for states: any. */
export type DeliverySelection = {
  endpoint?: string | undefined
  states: readonly DeliveryState[] | null
  source?: string | undefined
  stream?: StreamName | undefined
}

export type ToFind = { selection: DeliverySelection; range: SecondRange; order: Order }

/** The endpoints that are asked for, removed ones included; throws a `CommandError` for one that there is not. */
export const endpointsOf = async (
  bridge: OperatorBridge,
  { endpoint }: Pick<DeliverySelection, 'endpoint'>,
): Promise<string[]> => {
  if (endpoint !== undefined) return [(await findEndpoint(bridge, endpoint)).id]
  return (await bridge.endpoints.list()).map(({ id }) => id)
}

/** Deliveries as they are found, in the order of their events. */
export async function* findDeliveries(
  { selection, range, order }: ToFind,
  of: { bridge: OperatorBridge; endpointIds: readonly string[]; session: Session; searching: Searching },
): AsyncGenerator<Delivery> {
  const pages = createDeliveryPages(of.bridge.table)
  const { states, source, stream } = selection
  const deliveries = inOrder<string, Delivery>({
    parts: of.endpointIds,
    range,
    order,
    idOf: ({ eventId }) => eventId,
    page: async (endpointId, query) => {
      of.session.signal.throwIfAborted()
      const page = await pages.page({ endpointId, states, ...query })
      of.searching.looked(page.looked)
      return page
    },
  })
  for await (const delivery of deliveries) {
    if (source !== undefined && delivery.sourceId !== source) continue
    if (stream === undefined || delivery.stream === stream) yield delivery
  }
}
