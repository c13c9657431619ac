import { mapBounded } from '../../../shared/adapters/bounded.ts'
import type { OfStream } from '../../../shared/adapters/dynamodb/event-pages.ts'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import type { Endpoint } from '../../../shared/domain/endpoint/endpoint.ts'
import type { KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import { streamNames } from '../../../shared/domain/source.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'

const readsAtOnce = 8

/** What became of an event for one endpoint. */
export type DeliveryStory = {
  endpointId: string
  /** Null where the endpoint is none any more, not even a removed one. */
  endpoint: Endpoint | null
  /** It matched when the event was enqueued; else somebody recovered it since. */
  matched: boolean
  /** Null where no attempt was settled yet. */
  delivery: Delivery | null
}

export type EventStory = { event: KeptEvent; deliveries: readonly DeliveryStory[] }

/**
 * An event with everything that became of it; null where the log has none of that id. An id does not tell its source: the
 * deliveries do, also where the source was removed; else every source is asked.
 */
export const readStory = async (bridge: OperatorBridge, eventId: string): Promise<EventStory | null> => {
  const [sources, endpoints] = await Promise.all([bridge.sources.list(), bridge.endpoints.list()])
  const deliveries = await bridge.store.readMany(endpoints.map(({ id }) => ({ endpointId: id, eventId })))
  const streams = [
    ...deliveries.map(({ sourceId, stream }) => ({ sourceId, stream })),
    ...sources.flatMap(({ id }) => streamNames.map(stream => ({ sourceId: id, stream }))),
  ]
  const event = await readEvent(bridge, streams, eventId)
  if (event === null) return null
  const known = new Map(endpoints.map(endpoint => [endpoint.id, endpoint]))
  const found = new Map(deliveries.map(delivery => [delivery.endpointId, delivery]))
  const ids = [...new Set([...event.endpointIds, ...found.keys()])].sort()
  return {
    event,
    deliveries: ids.map(endpointId => ({
      endpointId,
      endpoint: known.get(endpointId) ?? null,
      matched: event.endpointIds.includes(endpointId),
      delivery: found.get(endpointId) ?? null,
    })),
  }
}

const readEvent = async (
  { log }: OperatorBridge,
  streams: readonly OfStream[],
  eventId: string,
): Promise<KeptEvent | null> => {
  const distinct = new Map(streams.map(stream => [`${stream.sourceId} ${stream.stream}`, stream]))
  const found = await mapBounded([...distinct.values()], readsAtOnce, stream =>
    log.read({ ...stream, eventId }),
  )
  return found.find(event => event !== null) ?? null
}
