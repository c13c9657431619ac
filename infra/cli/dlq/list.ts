import * as z from 'zod'
import type { Delivery } from '../../../shared/domain/delivery/delivery.ts'
import { eventTypes } from '../../../shared/domain/event/event-types.ts'
import { defineCommand } from '../command.ts'
import { deliveryJson } from '../deliveries/delivery-json.ts'
import { endpointsOf } from '../deliveries/find-deliveries.ts'
import { reasonWidth } from '../deliveries/render.ts'
import { eventIdWidth } from '../events/event-rows.ts'
import { limitFlags, limitOf, orderFlag, rangeOf } from '../events/inputs.ts'
import { UsageError } from '../failures.ts'
import { toggle } from '../input.ts'
import type { Look } from '../output/look.ts'
import { isNarrow, listedMoments } from '../output/moments.ts'
import { createSearching } from '../output/searching.ts'
import { type Listing, writeList } from '../output/streamed-list.ts'
import { none } from '../output/texts.ts'
import type { OperatorBridge } from '../target/operator-bridge.ts'
import { findDead, typesOf } from './find-dead.ts'
import { choosesAny, deadLetterFlags, selectionOf } from './inputs.ts'
import { listUnreadable } from './unreadable.ts'

export const listDeadLetters = defineCommand({
  name: 'list',
  summary: 'Deliveries given up, by endpoint, type, time, reason or recipient domain',
  details: `In the order in which they were given up, by the table, which is the truth; --since and --until are about their events'
times. ATTEMPT, where there is room for it, is round and attempt. With --unreadable, the messages of the dead-letter queue that no code can read.`,
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
    const listing = deadLetterListing(endpointIds, { look: io.look, nowMs: clock.now() })
    return writeList(each(pages, bridge), { listing, limit, searching }, session)
  },
})

type DeadLetter = { delivery: Delivery; type: string | null }

async function* each(
  pages: AsyncIterable<readonly Delivery[]>,
  bridge: OperatorBridge,
): AsyncGenerator<DeadLetter> {
  for await (const page of pages) {
    const types = await typesOf(page, bridge)
    yield* page.map((delivery, at) => ({ delivery, type: types[at] ?? null }))
  }
}

export const deadLetterListing = (
  endpointIds: readonly string[],
  { look, nowMs }: { look: Look; nowMs: number },
): Listing<DeadLetter> => {
  const moments = listedMoments(look, nowMs)
  const narrow = isNarrow(look)
  const typeOf = (type: string): string => (narrow ? type.replace(/^.*\./, '') : type)
  // On a narrow terminal the attempt gives its place to the type; dlq show has both.
  const attempt = narrow ? [] : [{ title: 'ATTEMPT', width: 1 }]
  return {
    name: 'deadLetters',
    json: ({ delivery, type }) => ({ ...deliveryJson(delivery), type }),
    columns: [
      { title: 'EVENT', width: eventIdWidth },
      { title: 'ENDPOINT', width: Math.max(1, ...endpointIds.map(id => id.length)), shrinks: true },
      { title: 'TYPE', width: Math.max(...eventTypes.map(type => typeOf(type).length)) },
      { title: 'REASON', width: reasonWidth, shrinks: true },
      ...attempt,
      { title: 'GIVEN UP', width: moments.width },
    ],
    row: ({ delivery, type }) => [
      delivery.eventId,
      delivery.endpointId,
      type === null ? none : typeOf(type),
      delivery.reason ?? none,
      ...(narrow ? [] : [`${delivery.position.round}.${delivery.position.attempt}`]),
      moments.show(delivery.updatedAtMs),
    ],
    nothing: 'There are no such dead letters.',
  }
}
