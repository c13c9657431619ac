import type { ServiceOptions } from './options.ts'

/** A whole answer; names of headers are in lower case. */
export type Answer = { status: number; headers: Readonly<Record<string, string>>; body: string }

/** Messages by the name of the field they reject; `non_field_errors` holds the rest (feedback-api.md, 7.1). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

const json = { 'content-type': 'application/json' } as const

export const jsonAnswer = (status: number, body: string): Answer => ({ status, headers: json, body })

const messages: Record<number, string> = {
  401: 'The token is missing or not valid.',
  403: 'The token is not linked to a customer profile.',
  404: 'There is nothing at this path.',
  405: 'This path takes GET only.',
  // The one message that the specification states (section 7.1).
  429: 'Too many requests.',
}

const otherMessage = 'The request failed.'

const inStyle = (
  style: ServiceOptions['errorBody'],
  status: number,
  specified: unknown,
  message: string,
): Answer => {
  if (style === 'specified') return jsonAnswer(status, JSON.stringify(specified))
  if (style === 'detail') return jsonAnswer(status, JSON.stringify({ detail: message }))
  if (style === 'empty') return { status, headers: {}, body: '' }
  const html = `<!doctype html><title>${status}</title><h1>${message}</h1>`
  return { status, headers: { 'content-type': 'text/html' }, body: html }
}

/** A 422 (section 7.1), or what the field notes know in its place ("error body"). */
export const rejectedAnswer = (style: ServiceOptions['errorBody'], errors: FieldErrors): Answer =>
  inStyle(style, 422, errors, Object.values(errors).flat().join(' '))

/** Any other error, by its status. */
export const errorAnswer = (style: ServiceOptions['errorBody'], status: number): Answer => {
  const message = messages[status] ?? otherMessage
  if (status === 422) return rejectedAnswer(style, { non_field_errors: [message] })
  return inStyle(style, status, { errors: [message] }, message)
}
