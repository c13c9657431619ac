import {
  createEventPages,
  type OfStream,
  type Order,
  type Page,
  type PageQuery,
} from '../../../shared/adapters/dynamodb/event-pages.ts'
import { matchesType } from '../../../shared/domain/event/subscriptions.ts'
import type { EventSummary, KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'
import type { Searching } from '../output/searching.ts'
import type { Session } from '../session.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { inOrder, type SecondRange } from './in-order.ts'

/** Which events are asked for; undefined: any. */
export type EventSelection = {
  source?: string | undefined
  stream?: StreamName | undefined
  types?: readonly string[] | undefined
  endpoint?: string | undefined
}

export type ToFind = { selection: EventSelection; range: SecondRange; order: Order }

type With = { bridge: OperatorBridge; session: Session; searching: Searching }

/** Events of the log as they are found, in order, without their bodies. */
export const findSummaries = (of: ToFind, deps: With): AsyncGenerator<EventSummary> => {
  const pages = createEventPages(deps.bridge.table)
  return found(of, pages.summaries, deps)
}

/** The same with their bodies. */
export const findEvents = (of: ToFind, deps: With): AsyncGenerator<KeptEvent> => {
  const pages = createEventPages(deps.bridge.table)
  return found(of, pages.events, deps)
}

async function* found<T extends EventSummary>(
  { selection, range, order }: ToFind,
  pageOf: (query: OfStream & PageQuery) => Promise<Page<T>>,
  { bridge, session, searching }: With,
): AsyncGenerator<T> {
  const page = async (part: OfStream, query: PageQuery): Promise<Page<T>> => {
    session.signal.throwIfAborted()
    const answer = await pageOf({ ...part, ...query })
    searching.looked(answer.items.length)
    return answer
  }
  const parts = await streamsOf(bridge, selection)
  for await (const event of inOrder({ parts, range, order, idOf: ({ id }: T) => id, page })) {
    if (isSelected(event, selection)) yield event
  }
}

/** The streams that are asked for: of a source that is named even where it was removed, for its events are still there. */
export const streamsOf = async (
  { sources }: Pick<OperatorBridge, 'sources'>,
  { source, stream }: Pick<EventSelection, 'source' | 'stream'>,
): Promise<OfStream[]> => {
  const ids = source === undefined ? (await sources.list()).map(({ id }) => id) : [source]
  const streams = stream === undefined ? streamNames : [stream]
  return ids.flatMap(sourceId => streams.map(name => ({ sourceId, stream: name })))
}

export const isSelected = (event: EventSummary, { types, endpoint }: EventSelection): boolean =>
  (types === undefined || types.some(pattern => matchesType(event.type, pattern))) &&
  (endpoint === undefined || event.endpointIds.includes(endpoint))
