import * as z from 'zod'
import { createQuarantinePages } from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import { defineCommand } from '../command.ts'
import { limitFlags, limitOf } from '../events/inputs.ts'
import { createSearching } from '../output/searching.ts'
import { writeList } from '../output/streamed-list.ts'
import { findRecords, newestRecords } from './find-records.ts'
import { selectionFlags, selectionOf } from './inputs.ts'
import { recordListing } from './render.ts'

export const listQuarantine = defineCommand({
  name: 'list',
  summary: 'Records that could not become events, and why',
  details:
    'The newest first; with --all, by source, stream and hash, as they are found. Of a source that was removed they are\n' +
    'found by --source.',
  examples: [
    { line: 'bridge quarantine list' },
    { line: 'bridge quarantine list --reason no_usable_time --since 7d --all --json' },
  ],
  input: z.object({ ...selectionFlags, ...limitFlags }),
  run: async (input, session) => {
    const limit = limitOf(input)
    const selection = selectionOf(input, session.clock.now())
    const bridge = await session.open()
    const searching = createSearching(session, 'records')
    const pages = createQuarantinePages(bridge.table)
    const found = findRecords(selection, { bridge, pages, onLooked: searching.looked })
    // One more than is shown, to say whether there are more.
    const items = limit === null ? found : inTurn(newestRecords(found, limit + 1))
    return writeList(items, { listing: recordListing, limit, searching }, session)
  },
})

async function* inTurn<T>(items: Promise<readonly T[]>): AsyncGenerator<T> {
  yield* await items
}
