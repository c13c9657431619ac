import type { Clock } from '../../../shared/domain/clock.ts'
import type { FeedbackRecord } from '../../../shared/domain/feedback/record.ts'
import type { FeedbackApi } from '../../../shared/domain/polling/feedback-api.ts'
import { type StreamName, streamNames } from '../../../shared/domain/source.ts'

const pageSize = 1_000

/** The email service's lists, as far as a poll asks: what comes after a record. */
export const createServiceTwin = (
  of: { records: (stream: StreamName) => FeedbackRecord[] },
  clock: Clock,
) => {
  const lists = new Map(streamNames.map(stream => [stream, of.records(stream)]))
  const api: FeedbackApi = {
    listPage: async ({ stream, lastId }) => {
      const list = lists.get(stream) ?? []
      const from = lastId === null ? 0 : list.findIndex(({ uuid }) => uuid === lastId) + 1
      const records = list.slice(from, from + pageSize).map(({ raw }) => raw)
      return { records, next: null, bytes: 0, serverDateMs: clock.now(), rateLimit: null }
    },
  }
  return {
    api,
    add: (stream: StreamName, records: readonly FeedbackRecord[]): void => {
      lists.get(stream)?.push(...records)
    },
  }
}
