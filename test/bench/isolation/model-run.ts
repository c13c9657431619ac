import type { Clock, Random } from '../../../shared/domain/clock.ts'
import type { WebhookSender } from '../../../shared/domain/delivery/webhook-sender.ts'
import { endpointDefaults } from '../../../shared/domain/endpoint/endpoint.ts'
import type { Reporter } from '../../../shared/domain/happenings.ts'
import { minuteMs } from '../../../shared/domain/time-units.ts'
import { lambdaModel } from '../price/lambda-model.ts'
import { type ModelSettings, startModelBridge } from './model-bridge.ts'
import { startLoad } from './model-load.ts'
import { createRandom } from './seeded-random.ts'
import { createTwinTables } from './tables.ts'
import { createVirtualClock } from './virtual-clock.ts'

/** All is well for a minute; then two endpoints begin to misbehave, for ten. */
const onsetAfterMs = minuteMs
const measuredMs = 10 * minuteMs
/** At the end nothing new comes, so that what is late is seen. */
const settleMs = minuteMs
/** Events a second: to all good endpoints together, and to each that misbehaves. */
const goodPerSecond = 40
const badPerSecond = 5

const startMs = Date.UTC(2026, 10, 20, 9, 30)
const neverAnswers = 'never-answers'
const answersLate = 'answers-in-10-s'
const lateMs = 10_000
export const misbehaving: readonly string[] = [neverAnswers, answersLate]

export type RunSettings = Pick<
  ModelSettings,
  'concurrency' | 'batchingWindowMs' | 'deadlineMs' | 'without'
> & {
  /** Those that misbehave among them, whether they are there or not. */
  endpoints: number
  isWithMisbehaving: boolean
  pollEveryMs: number
  seed: number
}

/** A delivery to a good endpoint, from the onset on. */
export type Delivered = { enqueuedSinceOnsetMs: number; eventAgeMs: number; sinceEnqueuedMs: number }
export type RunResult = {
  delivered: readonly Delivered[]
  /** Of the good endpoints' events, at the end. */
  undelivered: number
  /** Messages that a batch left to the queue: none, where nothing fails. */
  failed: number
  /** Events that the endpoint which takes 10 s has had from the onset on, and what the slow lane had at the end. */
  lateDelivered: number
  slowLaneDepth: number
}

/** Minutes of the model: what became of the events for the good endpoints. */
export const runModel = async (of: RunSettings): Promise<RunResult> => {
  const clock = createVirtualClock(startMs)
  const random = createRandom(of.seed)
  const good = Array.from({ length: of.endpoints - misbehaving.length }, (_, at) => `good-${at}`)
  const bad = of.isWithMisbehaving ? misbehaving : []
  const notes = createNotes(clock)
  const sender = createModelSender({ clock, random })
  const tables = createTwinTables(clock)
  const surroundings = { clock, random, sender, reporter: notes.reporter, tablesOf: () => tables }
  const bridge = startModelBridge({ ...of, ...surroundings, releaseEveryMs: minuteMs })
  const putting = [...good, ...bad].map(id => tables.endpoints.put(endpointOf(id)))
  await clock.runUntil(startMs + 1_000)
  await Promise.all(putting)
  const untilMs = startMs + onsetAfterMs + measuredMs
  void startLoad({
    ...{ clock, random, untilMs, pollEveryMs: of.pollEveryMs, queue: bridge.queue, log: bridge.log },
    flows: [
      { endpoints: good, perSecond: goodPerSecond, isKept: false },
      { endpoints: bad, perSecond: badPerSecond * bad.length, isKept: true },
    ],
    onEnqueued: notes.enqueued,
  })
  await clock.runUntil(untilMs + settleMs)
  return { ...notes.result(), failed: bridge.failed(), slowLaneDepth: bridge.lanes.slow.depth() }
}

const endpointOf = (id: string) => ({
  ...endpointDefaults,
  ...{ id, url: `https://${id}.example/`, types: ['*'] },
  keys: [{ version: 1, secret: null, signsUntilMs: null }],
})

/** A good endpoint's answer takes up to half as long again, or half as long; from the onset on two are different. */
const createModelSender = ({ clock, random }: { clock: Clock; random: Random }): WebhookSender => {
  const answerMsOf = (endpoint: string): number => {
    const isOnset = clock.now() >= startMs + onsetAfterMs
    if (isOnset && endpoint === neverAnswers) return Number.POSITIVE_INFINITY
    if (isOnset && endpoint === answersLate) return lateMs
    return lambdaModel.endpointAnswerMs * (0.5 + random())
  }
  return {
    send: async ({ endpoint, deadlineMs }) => {
      const answerMs = answerMsOf(endpoint.id)
      const tookMs = Math.min(answerMs, deadlineMs)
      await clock.sleep(tookMs)
      return answerMs > deadlineMs
        ? { kind: 'failed', reason: 'timeout', tookMs }
        : { kind: 'answered', status: 204, retryAtMs: null, answer: '', tookMs }
    },
  }
}

const createNotes = (clock: Clock) => {
  const enqueuedAtMs = new Map<string, number>()
  const delivered: Delivered[] = []
  const onsetMs = startMs + onsetAfterMs
  let lateDelivered = 0
  const reporter: Reporter = {
    report: happening => {
      if (happening.kind !== 'attempt') return
      const fromMs = enqueuedAtMs.get(happening.event)
      if (misbehaving.includes(happening.endpoint)) {
        if (happening.endpoint === answersLate && clock.now() >= onsetMs) lateDelivered += 1
      } else if (fromMs !== undefined) {
        enqueuedAtMs.delete(happening.event)
        if (fromMs < onsetMs) return
        const [eventAgeMs, sinceEnqueuedMs] = [happening.ageMs, clock.now() - fromMs]
        delivered.push({ enqueuedSinceOnsetMs: fromMs - onsetMs, eventAgeMs, sinceEnqueuedMs })
      }
    },
  }
  return {
    reporter,
    enqueued: (event: string, endpoint: string): void => {
      if (!misbehaving.includes(endpoint)) enqueuedAtMs.set(event, clock.now())
    },
    result: () => ({ delivered, lateDelivered, undelivered: enqueuedAtMs.size }),
  }
}
