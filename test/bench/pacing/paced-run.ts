import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../../shared/domain/clock.ts'
import type { WebhookSender } from '../../../shared/domain/delivery/webhook-sender.ts'
import {
  type Endpoint,
  type EndpointLimits,
  endpointDefaults,
} from '../../../shared/domain/endpoint/endpoint.ts'
import type { Reporter } from '../../../shared/domain/happenings.ts'
import { startModelBridge } from '../isolation/model-bridge.ts'
import { startLoad } from '../isolation/model-load.ts'
import { createRandom } from '../isolation/seeded-random.ts'
import { countedTables, type TableCalls, type Tables } from '../isolation/tables.ts'
import { lambdaModel } from '../price/lambda-model.ts'

/** The poller brings what came in so long. */
const pollEveryMs = 5_000
/** What comes first finds all of the limit unused, and the releaser has not yet run. */
const settleMs = 15_000

export type PacedSettings = {
  limits: EndpointLimits
  dispatchers: number
  /** Events a second: more than the limit takes. */
  offeredPerSecond: number
  measuredMs: number
  releaseEveryMs: number
}

export type PacedResult = {
  /** The most attempts begun within any second, and on average. */
  worstSecond: number
  meanPerSecond: number
  /** Attempts under way: the most at once, and on average. */
  mostUnderWay: number
  meanUnderWay: number
  delivered: number
  setAside: number
  calls: TableCalls
}

/** Dispatchers that share a table, with one endpoint that has limits; from the settling on everything is counted. */
export const runPaced = async (
  of: PacedSettings & { clock: Clock; tablesOf: () => Tables; runUntil: (untilMs: number) => Promise<void> },
): Promise<PacedResult> => {
  const { clock } = of
  const startMs = clock.now()
  const fromMs = startMs + settleMs
  const untilMs = fromMs + of.measuredMs
  const random = createRandom(7)
  const calls: TableCalls = { all: 0, pace: 0 }
  const attempts = createAttempts(clock)
  const counts = { delivered: 0, setAside: 0 }
  const reporter: Reporter = {
    report: ({ kind }) => {
      if (clock.now() < fromMs) return
      if (kind === 'delivered') counts.delivered += 1
      if (kind === 'held') counts.setAside += 1
    },
  }
  const putting = of.tablesOf().endpoints.put(endpointOf(of.limits))
  await of.runUntil(startMs + 1_000)
  await putting
  const bridge = startModelBridge({
    ...{ clock, random, reporter, sender: attempts.sender, releaseEveryMs: of.releaseEveryMs },
    tablesOf: () => countedTables(of.tablesOf(), calls),
    concurrency: { fast: of.dispatchers, slow: 1 },
    ...{ batchingWindowMs: 1_000, deadlineMs: 15_000, without: new Set() },
  })
  const flows = [{ endpoints: [endpointId], perSecond: of.offeredPerSecond, isKept: true }]
  const { queue, log } = bridge
  void startLoad({ flows, pollEveryMs, untilMs, clock, random, queue, log, onEnqueued: () => {} })
  await of.runUntil(fromMs)
  const before = { ...calls }
  await of.runUntil(untilMs)
  const used = { all: calls.all - before.all, pace: calls.pace - before.pace }
  return { ...attempts.between(fromMs, untilMs), ...counts, calls: used }
}

const endpointId = 'limited'

const endpointOf = (limits: EndpointLimits): Endpoint => ({
  ...endpointDefaults,
  ...{ id: endpointId, url: 'https://limited.example/', types: ['*'], limits },
  keys: [{ version: 1, secret: null, signsUntilMs: null }],
})

/** An endpoint that answers as the model's do, and remembers when it was asked. */
const createAttempts = (clock: Clock) => {
  const made: { beganMs: number; endedMs: number }[] = []
  const sender: WebhookSender = {
    send: async () => {
      const attempt = { beganMs: clock.now(), endedMs: Number.POSITIVE_INFINITY }
      made.push(attempt)
      await clock.sleep(lambdaModel.endpointAnswerMs)
      attempt.endedMs = clock.now()
      return {
        kind: 'answered',
        status: 204,
        retryAtMs: null,
        answer: '',
        tookMs: attempt.endedMs - attempt.beganMs,
      }
    },
  }
  const between = (fromMs: number, untilMs: number) => {
    const began = made.map(({ beganMs }) => beganMs).filter(at => at >= fromMs && at < untilMs)
    const inSeconds = (untilMs - fromMs) / 1_000
    const busyMs = made.reduce(
      (sum, { beganMs, endedMs }) =>
        sum + Math.max(0, Math.min(endedMs, untilMs) - Math.max(beganMs, fromMs)),
      0,
    )
    return {
      worstSecond: mostOf(began.map(at => ({ fromMs: at, untilMs: at + 1_000 }))),
      meanPerSecond: began.length / inSeconds,
      mostUnderWay: mostOf(made.map(({ beganMs, endedMs }) => ({ fromMs: beganMs, untilMs: endedMs }))),
      meanUnderWay: busyMs / (untilMs - fromMs),
    }
  }
  return { sender, between }
}

/** The most spans that overlap at any time; one that ends when another begins does not overlap it. */
const mostOf = (spans: readonly { fromMs: number; untilMs: number }[]): number => {
  const changes = spans.flatMap(({ fromMs, untilMs }) => [
    { atMs: fromMs, by: 1 },
    { atMs: untilMs, by: -1 },
  ])
  changes.sort((one, other) => one.atMs - other.atMs || one.by - other.by)
  let now = 0
  let most = 0
  for (const { by } of changes) {
    now += by
    most = Math.max(most, now)
  }
  return most
}

/** For a clock that runs by itself. */
export const waitUntil =
  (clock: Clock) =>
  async (untilMs: number): Promise<void> => {
    await wait(Math.max(0, untilMs - clock.now()))
  }
