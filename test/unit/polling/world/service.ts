import type { Clock } from '../../../../shared/domain/clock.ts'
import type { RawRecord } from '../../../../shared/domain/feedback/record.ts'
import {
  type AnswerFacts,
  type FeedbackApi,
  FeedbackApiError,
  type FeedbackFailure,
  type Page,
  type PageRequest,
} from '../../../../shared/domain/polling/feedback-api.ts'
import { type StreamName, streamNames } from '../../../../shared/domain/source.ts'
import type { Dice } from './dice.ts'

/** How the service reads what the specification leaves open (feedback-api-field-notes.md). */
export type Readings = {
  lastId: 'position' | 'timelogged'
  /** ignored: newest first, whatever is asked. */
  order: 'honoured' | 'ignored'
  next: 'cursor' | 'page'
  /** What it answers to a `last_id` that it does not know (any more). */
  unknownLastId: '422' | 'all' | 'empty' | '500'
  pageSize: number
  timelogged: 'seconds' | 'milliseconds' | 'digits' | 'rfc3339'
  /** Records of an earlier second are gone. */
  retentionSeconds: number | null
  date: 'present' | 'absent' | 'sometimes'
  /** Its clock less ours. */
  skewMs: number
  latencyMsMax: number
  rateLimitHeaders: boolean
  requestsPerMinute: number
}

export const plainReadings: Readings = {
  lastId: 'position',
  order: 'honoured',
  next: 'cursor',
  unknownLastId: '422',
  pageSize: 100,
  timelogged: 'seconds',
  retentionSeconds: null,
  date: 'present',
  skewMs: 0,
  latencyMsMax: 0,
  rateLimitHeaders: true,
  requestsPerMinute: 60,
}

/** Shares of the requests that fail so. */
export type ServiceFaults = { serverError: number; timeout: number; garbage: number; rateLimited: number }
export const noServiceFaults: ServiceFaults = { serverError: 0, timeout: 0, garbage: 0, rateLimited: 0 }

export type ServiceRecord = {
  uuid: string
  second: number
  /** The service's time from which on it is shown. */
  visibleAtMs: number
  raw: RawRecord
  /** False where the bridge can't understand it. */
  readable: boolean
}

export type AskedFor = PageRequest & { atMs: number; outcome: string; count: number }

export type Service = {
  api: FeedbackApi
  /** What was asked, in order. */
  requests: AskedFor[]
  readings: Readings
  faults: ServiceFaults
  /** Decides an answer before all else; null leaves it to the service. */
  intervene: (request: PageRequest) => Page | FeedbackApiError | null
  put(stream: StreamName, records: readonly ServiceRecord[]): void
  /** Takes records out of the list for good; some of them may be in the log. */
  forget(stream: StreamName, which: (record: ServiceRecord) => boolean): void
  forgotten(stream: StreamName): readonly ServiceRecord[]
  records(stream: StreamName): readonly ServiceRecord[]
  nowMs(): number
}

export const timeoutMs = 15_000

export const createService = (deps: { clock: Clock; dice: Dice; readings: Readings }): Service => {
  const { clock, dice } = deps
  const lists = new Map<StreamName, ServiceRecord[]>(streamNames.map(stream => [stream, []]))
  const forgotten = new Map<StreamName, ServiceRecord[]>()
  const windows: number[] = []

  const nowMs = (): number => clock.now() + service.readings.skewMs
  const wait = (signal?: AbortSignal) => {
    const ms = dice.int(0, service.readings.latencyMsMax)
    return ms === 0 ? Promise.resolve() : clock.sleep(ms, signal)
  }

  const facts = (): AnswerFacts => {
    const { date, rateLimitHeaders, requestsPerMinute } = service.readings
    const dated = date === 'present' || (date === 'sometimes' && dice.chance(0.5))
    const since = clock.now() - 60_000
    while ((windows[0] ?? Number.POSITIVE_INFINITY) <= since) windows.shift()
    return {
      serverDateMs: dated ? Math.floor(nowMs() / 1000) * 1000 : null,
      rateLimit: rateLimitHeaders
        ? {
            limit: requestsPerMinute,
            remaining: Math.max(0, requestsPerMinute - windows.length),
            resetAtMs: (windows[0] ?? clock.now()) + 60_000,
          }
        : null,
    }
  }

  const fault = (failure: FeedbackFailure, status: number | null, retryAtMs: number | null = null) =>
    new FeedbackApiError({
      code: `feedback_${failure}`,
      message: failure,
      hint: '',
      failure,
      status,
      facts: facts(),
      retryAtMs,
    })

  const visible = (stream: StreamName): ServiceRecord[] => {
    const { retentionSeconds } = service.readings
    const now = nowMs()
    const from = retentionSeconds === null ? 0 : Math.floor(now / 1000) - retentionSeconds
    return (lists.get(stream) ?? []).filter(record => record.visibleAtMs <= now && record.second >= from)
  }

  const answer = (request: PageRequest): Page | FeedbackApiError => {
    const query = request.nextQuery === null ? ownQuery(request) : readQuery(request.nextQuery)
    const { readings } = service
    const all = visible(request.stream)
    // A `next` that it gave holds as long as it answers nothing to what it does not know: no bridge could tell.
    const holds = request.nextQuery !== null && readings.unknownLastId === 'empty'
    const known = holds ? [...service.records(request.stream), ...service.forgotten(request.stream)] : all
    const after = known.find(({ uuid }) => uuid === query.lastId)
    let list = all
    if (query.lastId !== null && after === undefined) {
      if (readings.unknownLastId === '422') return fault('rejected', 422)
      if (readings.unknownLastId === '500') return fault('server_error', 500)
      if (readings.unknownLastId === 'empty') list = []
    }
    if (after !== undefined) {
      list =
        readings.lastId === 'position'
          ? all.filter(record => comesAfter(record, after))
          : all.filter(({ second }) => second > after.second)
    }
    const descending = readings.order === 'ignored' || query.order === 'desc'
    const shown = descending ? list.toReversed() : list
    const from =
      query.after === null ? query.page * readings.pageSize : placeAfter(shown, query.after, descending)
    const records = shown.slice(from, from + readings.pageSize)
    const last = records.at(-1)
    const more = from + readings.pageSize < shown.length && last !== undefined
    const link = readings.next === 'page' ? { page: String(query.page + 1) } : { after: placeOf(last) }
    const search = new URLSearchParams({ ...query.kept, ...link })
    return {
      ...facts(),
      records: records.map(({ raw }) => raw),
      next: more ? `https://elsewhere.example/api/v9/list?${search}` : null,
      bytes: 0,
    }
  }

  const failing = (): FeedbackFailure | null => {
    const { faults, readings } = service
    if (windows.length > readings.requestsPerMinute) return 'rate_limited'
    const thrown = dice.next()
    let below = faults.serverError
    if (thrown < below) return 'server_error'
    below += faults.timeout
    if (thrown < below) return 'unreachable'
    below += faults.garbage
    if (thrown < below) return 'unreadable'
    return thrown < below + faults.rateLimited ? 'rate_limited' : null
  }

  const answerOrFault = async (
    request: PageRequest,
    signal?: AbortSignal,
  ): Promise<Page | FeedbackApiError> => {
    windows.push(clock.now())
    facts()
    await wait(signal)
    if (signal?.aborted === true) return fault('unreachable', null)
    const intervened = service.intervene(request)
    if (intervened !== null) return intervened
    const failure = failing()
    if (failure === 'unreachable') await clock.sleep(timeoutMs, signal)
    if (failure === 'rate_limited') return fault(failure, 429, clock.now() + dice.int(1, 30) * 1000)
    if (failure !== null) return fault(failure, failure === 'server_error' ? 503 : null)
    const got = answer(request)
    // What was listed is older than the `Date` that is written over it.
    await wait(signal)
    return got instanceof FeedbackApiError ? got : { ...got, ...facts() }
  }

  const service: Service = {
    requests: [],
    readings: deps.readings,
    faults: noServiceFaults,
    intervene: () => null,
    nowMs,
    api: {
      listPage: async (request, signal) => {
        const asked: AskedFor = { ...request, atMs: clock.now(), outcome: 'in flight', count: 0 }
        service.requests.push(asked)
        const got = await answerOrFault(request, signal)
        if (got instanceof FeedbackApiError) {
          asked.outcome = got.code
          throw got
        }
        asked.outcome = 'page'
        asked.count = got.records.length
        return got
      },
    },
    put: (stream, records) => {
      const list = [...(lists.get(stream) ?? []), ...records]
      lists.set(
        stream,
        list.sort((a, b) => a.second - b.second || (a.uuid < b.uuid ? -1 : 1)),
      )
    },
    forget: (stream, which) => {
      const { out = [], left = [] } = Object.groupBy(lists.get(stream) ?? [], record =>
        which(record) ? 'out' : 'left',
      )
      forgotten.set(stream, [...(forgotten.get(stream) ?? []), ...out])
      lists.set(stream, left)
    },
    forgotten: stream => forgotten.get(stream) ?? [],
    records: stream => lists.get(stream) ?? [],
  }
  return service
}

type Place = { second: number; uuid: string }
type Query = {
  lastId: string | null
  order: string
  page: number
  after: Place | null
  /** What `next` repeats. */
  kept: Record<string, string>
}

const ownQuery = ({ lastId, order }: PageRequest): Query => ({
  lastId,
  order,
  page: 0,
  after: null,
  kept: lastId === null ? { order } : { order, last_id: lastId },
})

const readQuery = (text: string): Query => {
  const search = new URLSearchParams(text)
  const lastId = search.get('last_id')
  const order = search.get('order') ?? 'desc'
  const [second, uuid] = (search.get('after') ?? '').split('~')
  return {
    ...ownQuery({ stream: 'bounces', order: order === 'asc' ? 'asc' : 'desc', lastId, nextQuery: null }),
    page: Number(search.get('page') ?? 0),
    after: uuid === undefined ? null : { second: Number(second), uuid },
  }
}

const comesAfter = (record: Place, place: Place): boolean =>
  record.second > place.second || (record.second === place.second && record.uuid > place.uuid)

const placeOf = (record: ServiceRecord | undefined): string => `${record?.second}~${record?.uuid}`

/** The cursor names a place, not a record: it holds after the record has expired. */
const placeAfter = (shown: readonly ServiceRecord[], place: Place, descending: boolean): number => {
  const at = shown.findIndex(record => (descending ? comesAfter(place, record) : comesAfter(record, place)))
  return at < 0 ? shown.length : at
}
