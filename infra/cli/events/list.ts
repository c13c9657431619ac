import * as z from 'zod'
import { defineCommand } from '../command.ts'
import { optional } from '../input.ts'
import { createSearching } from '../output/searching.ts'
import { writeList } from '../output/streamed-list.ts'
import { sharedValues } from '../values.ts'
import { eventRows, summaryJson } from './event-rows.ts'
import { findSummaries } from './find-events.ts'
import {
  endpointFlag,
  limitFlags,
  limitOf,
  orderFlag,
  rangeOf,
  sourceFlag,
  streamFlag,
  timeFlags,
} from './inputs.ts'

/** Which events; the same for all commands on events. */
export const selectionFlags = {
  source: sourceFlag,
  stream: streamFlag,
  types: optional(sharedValues.types, {
    value: 'LIST',
    text: 'of these types alone, as email.bounce.hard,email.complaint or email.bounce.*',
  }),
  endpoint: endpointFlag,
}

export const listEvents = defineCommand({
  name: 'list',
  summary: 'Events of the log, by time, source, stream, type or endpoint',
  details: `The time of an event is that at which the service logged its record. --endpoint finds the events that matched it when
they were enqueued. Events of a source that was removed are found with --source alone. No addresses are shown;
bridge events show tells all of an event.`,
  examples: [
    { line: 'bridge events list' },
    { line: 'bridge events list --since 2h --types email.complaint --endpoint crm' },
    { line: 'bridge events list --since 2026-01-31 --until 2026-02-01 --order oldest --all --json' },
  ],
  input: z.object({ ...timeFlags, ...selectionFlags, order: orderFlag, ...limitFlags }),
  run: async (input, session) => {
    const range = rangeOf(input, session.clock.now())
    const limit = limitOf(input)
    const bridge = await session.open()
    const searching = createSearching(session, 'events')
    const rows = await eventRows(bridge, { look: session.io.look, source: input.source })
    const events = findSummaries(
      { selection: input, range, order: input.order ?? 'newest' },
      { bridge, session, searching },
    )
    const listing = { name: 'events', json: summaryJson, ...rows, nothing: 'There are no such events.' }
    return writeList(events, { listing, limit, searching }, session)
  },
})
