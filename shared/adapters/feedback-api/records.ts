import * as z from 'zod'
import type { RawRecord } from '../../domain/feedback/record.ts'
import type { ListPage } from './page.ts'

const text = z.string().nullish()
/** Its unit is not specified (feedback-api.md, section 2.4); field notes: a number, or a string of digits. */
const timelogged = z.union([z.number(), z.string()])

/** A bounce record (feedback-api.md, section 2.1). Unknown fields are kept; all but uuid and timelogged may lack. */
export const bounceRecordSchema = z.looseObject({
  uuid: z.string(),
  timelogged,
  /** `s`, `h`, `e`, and others (field notes). */
  bounce_type: text,
  rcpt: text,
  orig: text,
  dsndiag: text,
  bouncecat: text,
  header_from: text,
})
export type BounceRecord = z.infer<typeof bounceRecordSchema>

/** A complaint record (feedback-api.md, section 2.2). Unknown fields are kept; all but uuid and timelogged may lack. */
export const complaintRecordSchema = z.looseObject({
  uuid: z.string(),
  timelogged,
  header_list_unsubscribe: text,
  orig: text,
  rcpt: text,
  header_subject: text,
  header_return_path: text,
  header_from: text,
})
export type ComplaintRecord = z.infer<typeof complaintRecordSchema>

/** `record` is null where a row does not have the specified shape; its text and value are there all the same. */
export type TypedPage<Row> = Omit<ListPage, 'records'> & {
  records: readonly (RawRecord & { record: Row | null })[]
}

/** The page with each record read by the schema of its list. */
export function typedPage<Row>(page: ListPage, schema: z.ZodType<Row>): TypedPage<Row> {
  const records = page.records.map(raw => ({ ...raw, record: schema.safeParse(raw.value).data ?? null }))
  return { ...page, records }
}
