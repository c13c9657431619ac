import type { AuthScheme, StreamName } from '../../shared/domain/source.ts'
import type { RecordToAdd } from './added-records.ts'
import { type Answer, errorAnswer } from './answer.ts'
import { buildStreams } from './build-streams.ts'
import { applyFault, drawFault, type Fault, type Outcome } from './faults.ts'
import { oldestSecond } from './list-answer.ts'
import { parseOptions, type ServiceOptions, type SimulatorOptions } from './options.ts'
import { createRateLimiter } from './rate-limit.ts'
import { answerRequest, credentialOf, findRoute, type SimulatorRequest } from './request-handler.ts'
import type { VisibleRecord } from './stream-records.ts'

/** A request as it was served. */
export type LoggedRequest = {
  atMs: number
  method: string
  path: string
  /** Without the question mark. */
  query: string
  /** How it was authorized, never with what; null where it brought nothing. */
  scheme: AuthScheme | 'other' | null
  /** Null until it is answered, and where the connection fails in place of an answer. */
  status: number | null
  fault: Fault | null
}

/** The newest requests that are remembered. */
export const requestsKeptMax = 10_000

/**
 * Sees each request with the answer that the service would give, and may put another answer, or a fault, in its
 * place; undefined leaves it as it is. The request waits for a promise.
 */
export type Intercept = (
  request: SimulatorRequest,
  answer: Answer,
) => Interception | undefined | Promise<Interception | undefined>

/** Headers that are not given stay those of the answer. */
export type Interception =
  | { fault: Fault }
  | { status?: number; headers?: Record<string, string>; body?: string }

export type SimulatorSetup = Partial<SimulatorOptions> & {
  /** Unix milliseconds; the system's clock unless given. */
  now?: () => number
  intercept?: Intercept
}

export type Simulator = {
  /** What is in force now. */
  readonly options: SimulatorOptions
  /** Where the live records begin: Unix milliseconds. */
  readonly startMs: number
  handle(request: SimulatorRequest): Promise<Outcome>
  /** Puts records into a list. Throws where a uuid is there already. */
  add(stream: StreamName, records: readonly RecordToAdd[]): void
  /** The record stays in its list, but the service knows it no more as a `last_id`. */
  forgetId(uuid: string): void
  /** The record is gone, from its list and as a `last_id`. Throws where there is none. */
  expire(stream: StreamName, uuid: string): void
  /** Changes a reading from the next request on. Throws a `SimulatorOptionsError`. */
  setOption<Name extends keyof ServiceOptions>(name: Name, value: ServiceOptions[Name]): void
  setIntercept(intercept: Intercept | null): void
  /** Exactly what a list holds now, in list order; soft and expired bounces too, unless told otherwise. */
  records(stream: StreamName, filter?: { includeSoft: boolean }): VisibleRecord[]
  /** The newest requests, oldest first; at most `requestsKeptMax`. */
  readonly requests: readonly LoggedRequest[]
  /** All requests since the start. */
  readonly requestCount: number
}

/** The email service without its server (DESIGN.md, section 8). Throws a `SimulatorOptionsError`. */
export const createSimulator = (setup: SimulatorSetup = {}): Simulator => {
  const { now = Date.now, intercept: firstIntercept, ...given } = setup
  let options = parseOptions(given)
  // A whole second, so that the first second is no shorter than the others.
  const startMs = options.startMs ?? Math.floor(now() / 1000) * 1000
  const service = { streams: buildStreams(options, startMs), limiter: createRateLimiter() }
  const requests: LoggedRequest[] = []
  let requestCount = 0
  let intercept = firstIntercept ?? null

  const log = (request: SimulatorRequest, atMs: number): LoggedRequest => {
    const { method, path, query } = request
    const scheme = credentialOf(findRoute(path, options), request.headers)?.scheme ?? null
    const entry: LoggedRequest = { atMs, method, path, query, scheme, status: null, fault: null }
    requests.push(entry)
    if (requests.length > requestsKeptMax) requests.shift()
    return entry
  }

  const handle = async (request: SimulatorRequest): Promise<Outcome> => {
    const nowMs = now()
    const entry = log(request, nowMs)
    const drawn = drawFault(options.fault, options.seed, requestCount)
    requestCount += 1
    const answer = answerRequest(request, nowMs, options, service)
    const interception = await intercept?.(request, answer)
    const fault = interception === undefined ? faultFor(answer, drawn) : faultOf(interception)
    const { errorBody } = options
    const outcome =
      fault === null
        ? { answer: { ...answer, ...withoutFault(answer, interception) }, transport: null }
        : applyFault(fault, answer, status => errorAnswer(errorBody, status))
    entry.fault = fault
    entry.status =
      outcome.transport === 'timeout' || outcome.transport === 'reset' ? null : outcome.answer.status
    return outcome
  }

  return {
    get options() {
      return options
    },
    startMs,
    handle,
    add: (stream, records) => service.streams[stream].add(records, now()),
    forgetId: uuid => {
      for (const stream of Object.values(service.streams)) stream.forgetId(uuid)
    },
    expire: (stream, uuid) => service.streams[stream].expire(uuid),
    setOption: (name, value) => {
      options = parseOptions({ ...options, [name]: value })
    },
    setIntercept: next => {
      intercept = next
    },
    records: (stream, { includeSoft } = { includeSoft: true }) => {
      const nowMs = now()
      const records = service.streams[stream]
      const view = records.view({ nowMs, includeSoft, oldestSecond: oldestSecond(nowMs, options) })
      return view.places(0, view.count).map(records.describe)
    },
    requests,
    get requestCount() {
      return requestCount
    },
  }
}

/** A drawn fault hits no request that the limit turns away already. */
const faultFor = (answer: Answer, drawn: Fault | null): Fault | null => (answer.status === 429 ? null : drawn)

const faultOf = (interception: Interception): Fault | null =>
  'fault' in interception ? interception.fault : null

const withoutFault = (answer: Answer, interception: Interception | undefined): Partial<Answer> => {
  if (interception === undefined || 'fault' in interception) return {}
  return { ...interception, headers: { ...answer.headers, ...interception.headers } }
}
