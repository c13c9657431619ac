import type { StreamName } from '../../shared/domain/source.ts'
import { type Answer, jsonAnswer, rejectedAnswer } from './answer.ts'
import { readListQuery } from './list-query.ts'
import type { ListView } from './list-view.ts'
import type { ServiceOptions } from './options.ts'
import { cutPage, type PageLink } from './paging.ts'
import type { StreamRecords } from './stream-records.ts'

export type ListRequest = {
  stream: StreamName
  parameters: URLSearchParams
  nowMs: number
  urlOf: (link: PageLink) => string
}

/** Seconds before this one have expired; null where records are kept for ever. */
export const oldestSecond = (nowMs: number, options: ServiceOptions): number | null =>
  options.retentionSeconds === null ? null : Math.floor(nowMs / 1000) - options.retentionSeconds

const honoursOrder = (stream: StreamName, options: ServiceOptions): boolean =>
  options.order === 'honoured' || (options.order === 'ignored-on-complaints' && stream === 'bounces')

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A page of bounces or complaints (feedback-api.md, 4.1 and 4.2), or a 422 that says all that is wrong. */
export const answerList = (records: StreamRecords, request: ListRequest, options: ServiceOptions): Answer => {
  const { stream, parameters, nowMs, urlOf } = request
  const read = readListQuery(parameters, options, honoursOrder(stream, options))
  if (!read.ok) return rejectedAnswer(options.errorBody, read.errors)
  const { lastId, order, includeSoft, pageSize, at } = read.query

  const moment = { nowMs, includeSoft, oldestSecond: oldestSecond(nowMs, options) }
  const view = records.view(moment)
  const fromRank = lastId === null ? 0 : rankAfter(lastId, { view, records, moment, options })
  if (fromRank === null) {
    return rejectedAnswer(options.errorBody, { last_id: ['Is not the uuid of a record of this list.'] })
  }

  const page = cutPage(view, { order, fromRank, pageSize, at, style: options.next })
  const next = JSON.stringify(page.next && urlOf(page.next))
  const previous = JSON.stringify(page.previous && urlOf(page.previous))
  const results = page.places.map(place => records.toJson(place, options.timelogged)).join(',')
  return jsonAnswer(
    200,
    `{"count":${page.count},"next":${next},"previous":${previous},"results":[${results}]}`,
  )
}

/** The rank that the list after `last_id` begins with, in the reading in force; null is a 422. */
const rankAfter = (
  lastId: string,
  {
    view,
    records,
    moment,
    options,
  }: {
    view: ListView
    records: StreamRecords
    moment: { nowMs: number; oldestSecond: number | null }
    options: ServiceOptions
  },
): number | null => {
  const place = records.placeOf(lastId, moment)
  if (place !== null) {
    return options.lastId === 'position' ? view.countThrough(place) : view.countThroughSecond(place.second)
  }
  // What is no UUID fails validation whatever the service does about ids that it does not know.
  if (options.unknownLastId === '422' || !uuidForm.test(lastId)) return null
  return options.unknownLastId === 'all' ? 0 : view.count
}
