import * as z from 'zod'
import { type Mask, shown } from './mask.ts'

/** Shown of a 422's body: more fields or messages than these help nobody. */
const fieldsMax = 20
const messagesMax = 10

const messages = z.union([z.array(z.string()), z.string().transform(message => [message])])
const errorList = z.object({ errors: messages })
const detailBody = z.object({ detail: messages })
const fieldMap = z.record(z.string(), messages)

export type ErrorBody = {
  /** What the body says, for a person: masked, at most 500 characters. */
  said: string
  fields: Readonly<Record<string, readonly string[]>>
  nonFieldErrors: readonly string[]
}

/**
 * Reads any body of an error (feedback-api.md, section 7.1; field notes, "error body"): an object of field → messages,
 * `{"errors": [..]}`, `{"detail": ".."}`, HTML, or nothing. What it returns holds neither token nor address.
 */
export function readErrorBody(text: string, mask: Mask): ErrorBody {
  const byField = fieldsOf(text)
  if (byField === null) return { said: shown(text, mask), fields: {}, nonFieldErrors: [] }
  const masked = Object.entries(byField)
    .slice(0, fieldsMax)
    .map(
      ([field, all]) => [shown(field, mask), all.slice(0, messagesMax).map(one => shown(one, mask))] as const,
    )
  const { non_field_errors: nonFieldErrors = [], ...fields } = Object.fromEntries(masked)
  const said = [
    ...nonFieldErrors,
    ...Object.entries(fields).map(([field, all]) => `${field}: ${all.join(' ')}`),
  ].join('; ')
  return { said: shown(said, mask), fields, nonFieldErrors }
}

function fieldsOf(text: string): Record<string, string[]> | null {
  const value = jsonOf(text)
  const list = errorList.safeParse(value)
  if (list.success) return { non_field_errors: list.data.errors }
  const detail = detailBody.safeParse(value)
  if (detail.success) return { non_field_errors: detail.data.detail }
  const map = fieldMap.safeParse(value)
  return map.success && Object.keys(map.data).length > 0 ? map.data : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // HTML, or nothing: shown as it is
  }
}
