import { describe, expect, it } from 'vitest'
import {
  bounceRecordSchema,
  complaintRecordSchema,
  typedPage,
} from '../../../shared/adapters/feedback-api/records.ts'

const page = (values: unknown[]) => ({
  records: values.map(value => ({ text: JSON.stringify(value), value })),
  next: null,
  count: null,
  bytes: 0,
  serverDateMs: null,
  rateLimit: null,
})

describe('a record by its type', () => {
  it('keeps unknown fields and unknown values', () => {
    const row = { uuid: 'a', timelogged: '1763631000', bounce_type: 'o', extra_fields: { x: 1 }, rcpt: null }
    expect(typedPage(page([row]), bounceRecordSchema).records[0]?.record).toEqual(row)
    const complaint = { uuid: 'b', timelogged: 1763631000.5, header_subject: 'Hi', sync_type: 2 }
    expect(typedPage(page([complaint]), complaintRecordSchema).records[0]?.record).toEqual(complaint)
  })

  it('is null where it does not have the specified shape, and stays on the page', () => {
    const rows = [{ uuid: 1, timelogged: 1 }, 7, null, { uuid: 'a', timelogged: 1, rcpt: {} }]
    const typed = typedPage(page(rows), bounceRecordSchema)
    expect(typed.records.map(({ record, value }) => ({ record, value }))).toEqual(
      rows.map(value => ({ record: null, value })),
    )
  })
})
