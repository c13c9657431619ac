import * as z from 'zod'
import { type SuggestedAction, suggestedActions } from '../../../shared/domain/event/suggested-action.ts'
import type { KeptEvent } from '../../../shared/domain/polling/event-log.ts'
import { isoOf } from '../output/moments.ts'
import { parsedBody } from './parsed-body.ts'

const text = z.string().nullable()

const bodySchema = z.object({
  data: z.object({
    recipient: z.object({ address: text, normalized: text }),
    bounce: z.object({ category: text, smtp_code: z.number().nullable(), enhanced_code: text }).optional(),
    suggested_action: z.enum(suggestedActions),
  }),
})

/** What an export tells of an address; its names are the columns of the CSV, and only ever added to. */
export type AddressRow = {
  /** As it is compared: in lower case, the domain in its ASCII form. */
  address: string
  action: SuggestedAction
  type: string
  category: string | null
  smtpCode: number | null
  enhancedCode: string | null
  timestamp: string
  source: string
  event: string
}

export const addressColumns = [
  'address',
  'action',
  'type',
  'category',
  'smtpCode',
  'enhancedCode',
  'timestamp',
  'source',
  'event',
] as const satisfies readonly (keyof AddressRow)[]

/** Null where the event names no address: none was given, or it was forgotten. */
export const addressRow = (event: KeptEvent): AddressRow | null => {
  if (event.body === null) return null
  const read = bodySchema.safeParse(parsedBody(event.body))
  if (!read.success) return null
  const { recipient, bounce, suggested_action: action } = read.data.data
  const address = recipient.normalized ?? recipient.address
  if (address === null) return null
  return {
    address,
    action,
    type: event.type,
    category: bounce?.category ?? null,
    smtpCode: bounce?.smtp_code ?? null,
    enhancedCode: bounce?.enhanced_code ?? null,
    timestamp: isoOf(event.second * 1_000),
    source: event.sourceId,
    event: event.id,
  }
}

/** A line of CSV (RFC 4180), as it is: what a spreadsheet would take for a formula may be somebody's address. */
export const csvLine = (values: readonly (string | number | null)[]): string =>
  values.map(value => csvField(value === null ? '' : String(value))).join(',')

const csvField = (value: string): string =>
  /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
