import * as z from 'zod'
import { suggestedActions } from '../../../shared/domain/event/suggested-action.ts'
import type { KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import { defineCommand } from '../command.ts'
import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import { UsageError } from '../failures.ts'
import { optional } from '../input.ts'
import { createSearching, type Searching } from '../output/searching.ts'
import { writeList } from '../output/streamed-list.ts'
import { counted } from '../output/texts.ts'
import type { Session } from '../session.ts'
import { type AddressRow, addressColumns, addressRow, csvLine } from './address-row.ts'
import { findEvents } from './find-events.ts'
import { orderFlag, rangeOf, timeFlags } from './inputs.ts'
import { selectionFlags } from './list.ts'
import { createSeenAddresses } from './seen-addresses.ts'

const formats = ['csv', 'ndjson'] as const
type Format = (typeof formats)[number]

export const exportEvents = defineCommand({
  name: 'export',
  summary: 'The addresses to suppress, each once',
  details: `The recipients of events whose suggested action is --action, with the newest such event of each (with --order oldest, the
first). Addresses are those to compare by: in lower case, the domain in its ASCII form. An event whose record names no
address is left out. The event log remembers about five weeks: export regularly, or take the webhooks.`,
  examples: [
    { line: 'bridge events export --format csv --action suppress' },
    { line: 'bridge events export --format ndjson --action suppress_temporarily --since 1d' },
  ],
  input: z.object({
    format: optional(z.enum(formats, { error: `must be ${formats.join(' or ')}` }), {
      value: 'FORMAT',
      text: 'csv (with a head), or ndjson: a JSON object a line (default csv)',
    }),
    action: optional(z.enum(suggestedActions, { error: `must be one of ${suggestedActions.join(', ')}` }), {
      value: 'ACTION',
      text: `${suggestedActions.join(', ')} (default suppress)`,
    }),
    ...timeFlags,
    ...selectionFlags,
    order: orderFlag,
  }),
  run: async (input, session) => {
    if (session.json && input.format !== undefined) {
      throw new UsageError(['--json and --format: give one of them'])
    }
    const range = rangeOf(input, session.clock.now())
    const bridge = await session.open()
    const searching = createSearching(session, 'events')
    const events = findEvents(
      { selection: input, range, order: input.order ?? 'newest' },
      { bridge, session, searching },
    )
    const addresses = distinctAddresses(events, input.action ?? 'suppress')
    if (session.json) return writeList(addresses, { listing: jsonListing, limit: null, searching }, session)
    return writeLines(addresses, { format: input.format ?? 'csv', searching }, session)
  },
})

async function* distinctAddresses(
  events: AsyncIterable<KeptEvent>,
  action: AddressRow['action'],
): AsyncGenerator<AddressRow> {
  const seen = createSeenAddresses()
  for await (const event of events) {
    const row = addressRow(event)
    if (row?.action === action && seen.isNew(row.address)) yield row
  }
}

const jsonListing = {
  name: 'addresses',
  json: (row: AddressRow) => row,
  columns: [],
  row: () => [],
  nothing: '',
}

const writeLines = async (
  rows: AsyncIterable<AddressRow>,
  { format, searching }: { format: Format; searching: Searching },
  session: Session,
): Promise<ExitCode> => {
  let written = 0
  if (format === 'csv') searching.out(csvLine(addressColumns))
  for await (const row of rows) {
    if (session.signal.aborted) break
    searching.out(format === 'csv' ? csvLine(addressColumns.map(name => row[name])) : JSON.stringify(row))
    written += 1
  }
  searching.end()
  // Half a list must not be taken for the whole.
  if (session.signal.aborted) {
    session.io.note(`Interrupted after ${counted(written, 'address', 'addresses')}: there may be more.`)
    return exitInterrupted
  }
  session.io.note(`${counted(written, 'address', 'addresses')}.`)
  return exitDone
}
