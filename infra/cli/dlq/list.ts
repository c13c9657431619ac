import * as z from 'zod'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { defineCommand } from '../command.ts'
import { deliveryJson } from '../deliveries/delivery-json.ts'
import { endpointsOf } from '../deliveries/find-deliveries.ts'
import { reasonWidth } from '../deliveries/render.ts'
import { eventIdWidth } from '../events/event-rows.ts'
import { limitFlags, limitOf, orderFlag, rangeOf } from '../events/inputs.ts'
import { UsageError } from '../failures.ts'
import { toggle } from '../input.ts'
import type { Look } from '../output/look.ts'
import { listedMoments } from '../output/moments.ts'
import { createSearching } from '../output/searching.ts'
import { type Listing, writeList } from '../output/streamed-list.ts'
import { none } from '../output/texts.ts'
import { findDead } from './find-dead.ts'
import { choosesAny, deadLetterFlags, selectionOf } from './inputs.ts'
import { listUnreadable } from './unreadable.ts'

export const listDeadLetters = defineCommand({
  name: 'list',
  summary: 'Deliveries given up, by endpoint, type, time, reason or recipient domain',
  details: `In the order in which they were given up, by the table, which is the truth; --since and --until are about their events'
times. ATTEMPT is round and attempt. With --unreadable, the messages of the dead-letter queue that no code can read.`,
  examples: [
    { line: 'bridge dlq list' },
    { line: 'bridge dlq list --endpoint crm --since 1d --reason timeout,http_5*' },
    { line: 'bridge dlq list --unreadable' },
  ],
  input: z.object({
    ...deadLetterFlags,
    unreadable: toggle('messages that no code can read, in place of deliveries'),
    order: orderFlag,
    ...limitFlags,
  }),
  run: async (input, session) => {
    if (input.unreadable) {
      if (choosesAny(input)) throw new UsageError(['--unreadable: of such messages nothing else is known'])
      return listUnreadable(await session.open(), session)
    }
    const range = rangeOf(input, session.clock.now())
    const limit = limitOf(input)
    const bridge = await session.open()
    const endpointIds = await endpointsOf(bridge, input)
    const searching = createSearching(session, 'dead letters')
    const pages = findDead(
      {
        ...{ endpointIds, range, selection: selectionOf(input) },
        eventIds: input.ids ?? null,
        diedBeforeMs: null,
        order: input.order ?? 'newest',
      },
      { bridge, signal: session.signal, looked: searching.looked },
    )
    const { io, clock } = session
    const listing = listingOf(endpointIds, { look: io.look, nowMs: clock.now() })
    return writeList(each(pages), { listing, limit, searching }, session)
  },
})

async function* each(pages: AsyncIterable<readonly Delivery[]>): AsyncGenerator<Delivery> {
  for await (const page of pages) yield* page
}

const listingOf = (
  endpointIds: readonly string[],
  { look, nowMs }: { look: Look; nowMs: number },
): Listing<Delivery> => {
  const moments = listedMoments(look, nowMs)
  return {
    name: 'deadLetters',
    json: deliveryJson,
    columns: [
      { title: 'EVENT', width: eventIdWidth },
      { title: 'ENDPOINT', width: Math.max(1, ...endpointIds.map(id => id.length)), shrinks: true },
      { title: 'REASON', width: reasonWidth, shrinks: true },
      { title: 'ATTEMPT', width: 1 },
      { title: 'GIVEN UP', width: moments.width },
    ],
    row: delivery => [
      delivery.eventId,
      delivery.endpointId,
      delivery.reason ?? none,
      `${delivery.position.round}.${delivery.position.attempt}`,
      moments.show(delivery.updatedAtMs),
    ],
    nothing: 'There are no such dead letters.',
  }
}
