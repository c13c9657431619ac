import * as z from 'zod'
import type { AnswerFacts } from '../../domain/polling/feedback-api.ts'
import { answerFacts } from './answer-facts.ts'
import type { Answer } from './exchange.ts'
import type { Mask } from './mask.ts'
import { problemsOf, readJson, unreadable } from './page.ts'

/** The contacts lists as they came: the fields of one are not specified (feedback-api.md, section 2.4). */
export type ContactLists = AnswerFacts & {
  /** Each list whole, whatever it is. */
  lists: readonly unknown[]
  /** The envelope around `lists` with all that it says, or null where a bare array came. */
  envelope: Readonly<Record<string, unknown>> | null
}

const answerSchema = z.union([z.array(z.unknown()), z.looseObject({ results: z.array(z.unknown()) })], {
  error: 'expected an array, or an object with an array "results"',
})

/** Reads `GET /contacts-lists/` (feedback-api.md, section 4.3). Throws `UnreadablePage`. */
export function readContactLists(answer: Answer, where: string, mask: Mask): ContactLists {
  const parsed = answerSchema.safeParse(readJson(answer, where, mask).value)
  if (!parsed.success) throw unreadable(answer, where, problemsOf(parsed.error))
  const facts = answerFacts(answer.headers, answer.atMs)
  const { data } = parsed
  return Array.isArray(data)
    ? { ...facts, lists: data, envelope: null }
    : { ...facts, lists: data.results, envelope: data }
}
