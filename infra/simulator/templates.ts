import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { type StreamName, streamNames } from '../../shared/domain/source.ts'

/** A record's content, apart from its id and its time. */
export type Template = {
  /** Everything but `uuid` and `timelogged`. */
  fields: Readonly<Record<string, unknown>>
  /** The same as JSON without the opening brace, so that a page is put together without serialising it again. */
  rest: string
  /** Listed without `include_soft` too (feedback-api.md, 4.1, rule 1). */
  hard: boolean
  /** The id of the record in the file it came from, or null where that is no text. */
  uuid: string | null
  timelogged: unknown
}

const rowSchema = z.record(z.string(), z.unknown())
export type Row = z.infer<typeof rowSchema>

/** Fields that begin with `_` are notes on the corpus and no part of the API (data/README.md). */
const isPartOfApi = ([name]: readonly [string, unknown]): boolean => !name.startsWith('_')

export const toTemplate = (row: Row): Template => {
  const { uuid, timelogged, ...rest } = row
  const fields = Object.fromEntries(Object.entries(rest).filter(isPartOfApi))
  const { bounce_type: bounceType } = fields
  return {
    fields,
    rest: JSON.stringify(fields).slice(1),
    hard: !('bounce_type' in fields) || bounceType === 'h',
    uuid: typeof uuid === 'string' && uuid !== '' ? uuid : null,
    timelogged,
  }
}

/** Only bounces have a `bounce_type` (feedback-api.md, 2.1 and 2.2). */
export const streamOfRow = (row: Row): StreamName => ('bounce_type' in row ? 'bounces' : 'complaints')

/** Reads ndjson; says of every line that is no JSON object that it is none. */
export const parseNdjson = (text: string): { rows: Row[]; problems: string[] } => {
  const rows: Row[] = []
  const problems: string[] = []
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const row = rowSchema.safeParse(parseJson(line))
    if (row.success) rows.push(row.data)
    else problems.push(`line ${at + 1} is not a JSON object`)
  }
  return { rows, problems }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The real records in data/, by stream. */
export const readRealRecords = (): Record<StreamName, Template[]> => {
  const read = (stream: StreamName): Template[] =>
    parseNdjson(readFileSync(new URL(`data/${stream}.ndjson`, import.meta.url), 'utf8')).rows.map(toTemplate)
  return { bounces: read(streamNames[0]), complaints: read(streamNames[1]) }
}
