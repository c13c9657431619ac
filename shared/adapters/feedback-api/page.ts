import * as z from 'zod'
import type { Page } from '../../domain/polling/feedback-api.ts'
import { type AnswerHeaders, answerFacts, first } from './answer-facts.ts'
import { UnreadablePage } from './errors.ts'
import type { Answer } from './exchange.ts'
import { type Mask, shown } from './mask.ts'
import { recordTexts } from './page-records.ts'

/** A page with what else its envelope says (feedback-api.md, section 2.3). */
export type ListPage = Page & {
  /** The total as the service counts it; null where it says none. Nothing relies on it. */
  count: number | null
}

const envelopeSchema = z.looseObject({
  // Not needed to read a page: whatever it is, it stops no stream.
  count: z.number().nullable().catch(null),
  next: z
    .string()
    .nullish()
    .transform(next => (next === undefined || next === '' ? null : next)),
  results: z.array(z.unknown()),
})

/** The page that an answer of 2xx holds. Throws `UnreadablePage`, which says where and what would be right. */
export function readPage(answer: Answer, where: string, mask: Mask): ListPage {
  const json = readJson(answer, where, mask)
  const envelope = envelopeSchema.safeParse(json.value)
  if (!envelope.success) throw unreadable(answer, where, problemsOf(envelope.error))
  const texts = recordTexts(json.text)
  const records = envelope.data.results.map((value, index) => {
    const text = texts[index]
    if (text === undefined) throw unreadable(answer, where, `results[${index}]: its text was not found`)
    return { text, value }
  })
  return {
    ...answerFacts(answer.headers, answer.atMs),
    records,
    next: envelope.data.next,
    count: envelope.data.count,
    bytes: answer.bytes,
  }
}

/** The JSON that an answer of 2xx holds, and its text. Throws `UnreadablePage`. */
export function readJson(answer: Answer, where: string, mask: Mask): { value: unknown; text: string } {
  const encoding = encodingOf(answer.headers)
  if (encoding !== null)
    throw unreadable(answer, where, `content-encoding is ${shown(encoding, mask)}; none was asked for`)
  const text = answer.text()
  try {
    return { value: JSON.parse(text), text }
  } catch (error) {
    throw unreadable(answer, where, notJson(text, error, mask))
  }
}

export function unreadable(answer: Answer, where: string, problem: string): UnreadablePage {
  const facts = answerFacts(answer.headers, answer.atMs)
  return new UnreadablePage({ where, problem, status: answer.status, facts })
}

/** Path and expectation of each thing that is wrong; never a value, for a page is full of addresses. */
export function problemsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => `${path.length === 0 ? 'the page' : path.join('.')}: ${message}`)
    .join('; ')
}

function encodingOf(headers: AnswerHeaders): string | null {
  const encoding = first(headers, 'content-encoding')
  return encoding === null || encoding === '' || encoding === 'identity' ? null : encoding
}

/** The engine's message is not shown: it quotes the text around the fault. */
function notJson(text: string, error: unknown, mask: Mask): string {
  if (text.trim() === '') return 'the body is empty; a JSON object was expected'
  if (text.trimStart().startsWith('<')) return `not JSON, but HTML or XML: ${shown(text, mask)}`
  const said = error instanceof Error ? error.message : ''
  const position = /at position (\d+)/.exec(said)?.[1]
  if (position !== undefined) return `not JSON, from character ${position} of ${text.length} on`
  if (said.includes('end of JSON')) return `not JSON: it breaks off after ${text.length} characters`
  return `not JSON: ${text.length} characters`
}
