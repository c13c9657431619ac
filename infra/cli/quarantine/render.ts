import type { QuarantineHead } from '../../../shared/adapters/dynamodb/quarantine-pages.ts'
import type { QuarantinedRecord } from '../../../shared/domain/polling/quarantine.ts'
import { readQuarantined } from '../../../shared/domain/polling/retry-quarantined.ts'
import type { Look } from '../output/look.ts'
import { isoOf, showMoment, showMomentAndAge } from '../output/moments.ts'
import { printable } from '../output/printable.ts'
import type { Listing } from '../output/streamed-list.ts'
import { renderFields } from '../output/table.ts'

/** Digits of a hash that people are shown: enough to tell a billion records apart. */
const hashDigitsShown = 16
/** Of a record's text on a screen. */
const textCharsShown = 4_000

export const shortHash = (hash: string): string => hash.slice(0, hashDigitsShown)

export const headJson = ({ sourceId, stream, hash, reason, atMs }: Omit<QuarantineHead, 'parts'>) => ({
  hash,
  source: sourceId,
  stream,
  reason,
  keptAt: isoOf(atMs),
})

/** Reasons quote what a queue said. */
export const recordListing: Listing<QuarantineHead> = {
  name: 'records',
  json: headJson,
  columns: [
    { title: 'HASH', width: hashDigitsShown },
    { title: 'SOURCE', width: 10, shrinks: true },
    { title: 'STREAM', width: 10 },
    { title: 'KEPT AT', width: 20 },
    { title: 'REASON', width: 20, shrinks: true },
  ],
  row: ({ hash, sourceId, stream, atMs, reason }) => [
    shortHash(hash),
    sourceId,
    stream,
    showMoment(atMs),
    printable(reason),
  ],
  nothing: 'There is nothing in quarantine that this asks for.',
}

export const recordJson = (record: QuarantinedRecord) => {
  const read = readQuarantined(record)
  return {
    ...headJson(record),
    bytes: Buffer.byteLength(record.text),
    /** What today's code makes of it: null where it can be read. */
    problemToday: read.kind === 'unreadable' ? read.reason : null,
    text: record.text,
  }
}

export const renderRecord = (look: Look, record: QuarantinedRecord, nowMs: number): string => {
  const { problemToday, bytes } = recordJson(record)
  const { hash, sourceId, stream, reason, atMs, text } = record
  const today =
    problemToday === null
      ? look.colors.green(`it can be read: bridge quarantine retry ${shortHash(hash)} sends it`)
      : look.colors.yellow(`still not: ${problemToday}`)
  const fields = renderFields(look, [
    ['Hash', look.colors.bold(hash)],
    ['Source', sourceId],
    ['Stream', stream],
    ['Kept', showMomentAndAge(atMs, nowMs)],
    ['Reason', printable(reason)],
    ['Read today', today],
    ['Bytes', bytes.toLocaleString('en-US')],
  ])
  const cut = text.length > textCharsShown
  const more = cut ? [look.colors.dim('… and more: --raw prints the whole of it.')] : []
  return [fields, '', printable(text.slice(0, textCharsShown)), ...more].join('\n')
}
