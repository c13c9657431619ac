import { type ExitCode, exitDone, exitInterrupted } from '../exit-codes.ts'
import type { Session } from '../session.ts'
import { createRowWriter, type RowColumn } from './row-writer.ts'
import type { Searching } from './searching.ts'

export type Listing<T> = {
  /** The list's name in JSON. */
  name: string
  json: (item: T) => unknown
  columns: readonly RowColumn[]
  row: (item: T) => readonly string[]
  /** What people read where there is nothing. */
  nothing: string
}

/** What a list is written with: each item as it comes, so that nobody waits for the last, and none is kept. */
type Writer<T> = { item: (item: T) => void; end: (more: boolean) => void }

/**
 * Writes items as they come, at most `limit` (null: all), as rows or as one JSON document, and says whether there are
 * more. What an interruption cuts off is no whole JSON document.
 */
export const writeList = async <T>(
  items: AsyncIterable<T>,
  of: { listing: Listing<T>; limit: number | null; searching: Searching },
  session: Session,
): Promise<ExitCode> => {
  const { limit, searching } = of
  const writer = session.json ? jsonWriter(of.listing, searching) : rowWriter(of.listing, searching, session)
  let written = 0
  let more = false
  for await (const item of items) {
    if (session.signal.aborted) break
    more = written === limit
    if (more) break
    writer.item(item)
    written += 1
  }
  searching.end()
  if (session.signal.aborted) return exitInterrupted
  writer.end(more)
  return exitDone
}

const rowWriter = <T>(listing: Listing<T>, { out }: Searching, { io }: Session): Writer<T> => {
  const table = createRowWriter(io.look, listing.columns)
  let hasHead = false
  return {
    item: item => {
      if (!hasHead) out(table.head)
      hasHead = true
      out(table.row(listing.row(item)))
    },
    end: more => {
      if (!hasHead) out(listing.nothing)
      if (more) io.note('There are more: --limit N shows N of them, --all shows all.')
    },
  }
}

/** As `JSON.stringify` with an indent of two writes it. */
const jsonWriter = <T>(listing: Listing<T>, { out }: Searching): Writer<T> => {
  const head = `{\n  "${listing.name}": [`
  // Held back: a comma follows it only where another one comes.
  let last: string | null = null
  return {
    item: item => {
      out(last === null ? head : `${last},`)
      last = JSON.stringify(listing.json(item), null, 2).replaceAll(/^/gm, '    ')
    },
    end: more => {
      out(last === null ? `${head}],` : `${last}\n  ],`)
      out(`  "more": ${more}\n}`)
    },
  }
}
