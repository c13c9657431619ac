import { readFileSync } from 'node:fs'
import { readRecord } from '../../../shared/domain/feedback/read-record.ts'
import type { FeedbackRecord, RawRecord } from '../../../shared/domain/feedback/record.ts'
import type { StreamName } from '../../../shared/domain/source.ts'

/** The project's own copy of the real records of a stream, as the service would send them. */
export const realRecords = (stream: StreamName): RawRecord[] =>
  readFileSync(new URL(`../../../infra/simulator/data/${stream}.ndjson`, import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(text => ({ text, value: JSON.parse(text) }))

/** A record from its JSON text; throws where it can't be understood. */
export const recordFrom = (text: string): FeedbackRecord => {
  const read = readRecord({ text, value: JSON.parse(text) })
  if (read.kind === 'unreadable') throw new Error(`unreadable: ${read.reason}`)
  return read.record
}

/** A readable record with these fields. */
export const recordWith = (fields: Record<string, unknown>): FeedbackRecord =>
  recordFrom(JSON.stringify({ uuid: 'f0e1', timelogged: 1_763_631_000, ...fields }))
