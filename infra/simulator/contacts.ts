import { type Answer, jsonAnswer, rejectedAnswer } from './answer.ts'
import { type QueryErrors, readPaging } from './list-query.ts'
import type { ServiceOptions } from './options.ts'
import type { PageLink } from './paging.ts'

/** The values that a validation example of the specification names (section 7.1). */
const ranges = ['today', 'yesterday', 'three_days', 'last_week', 'two_weeks', 'last_month']

/** The resource is "not shown": `id` and `name` are what the field notes know of it. */
const contactLists = [
  { id: 1, name: 'Customers', contacts: 1204 },
  { id: 2, name: 'Newsletter', contacts: 8812 },
  { id: 3, name: 'Tëst – 列表', contacts: 0 },
]

/** `GET /contacts-lists/` (feedback-api.md, 4.3), in the envelope of the other lists. */
export const answerContacts = (
  parameters: URLSearchParams,
  options: ServiceOptions,
  urlOf: (link: PageLink) => string,
): Answer => {
  const errors: QueryErrors = {}
  const { pageSize, at } = readPaging(parameters, options, errors)
  const range = parameters.get('range')
  if (range !== null && !ranges.includes(range)) errors.range = [`Must be one of ${ranges.join(', ')}.`]
  if (Object.keys(errors).length > 0) return rejectedAnswer(options.errorBody, errors)
  const page = at.kind === 'page' ? at.page : 1
  const toPage = (number: number): string => urlOf({ name: 'page', value: String(number) })
  const envelope = {
    count: contactLists.length,
    next: page * pageSize < contactLists.length ? toPage(page + 1) : null,
    previous: page > 1 ? toPage(page - 1) : null,
    results: contactLists.slice((page - 1) * pageSize, page * pageSize),
  }
  return jsonAnswer(200, JSON.stringify(envelope))
}
