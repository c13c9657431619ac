import { parseSettings } from '../../../infra/stack/settings.ts'
import type { Figures } from '../bench.ts'
import { type Mechanism, mechanisms } from './model-bridge.ts'
import { type Delivered, type RunResult, type RunSettings, runModel } from './model-run.ts'
import { percentile } from './percentiles.ts'

/** Within it after the onset nobody knows yet that they are slow. */
const onsetMs = 60_000

/** Which endpoints share a batch when it begins is chance: so each row is of some runs. */
const seeds = [1, 2, 3] as const

/** The stack's defaults. */
const { pollEverySeconds, batchingWindowSeconds, slowConcurrency, deadlineSeconds } = parseSettings({})

type Surroundings = { endpoints: number; fastConcurrency: number }

const settingsOf = ({
  endpoints,
  fastConcurrency,
}: Surroundings): Omit<RunSettings, 'isWithMisbehaving' | 'without' | 'seed'> => ({
  endpoints,
  concurrency: { fast: fastConcurrency, slow: slowConcurrency },
  pollEveryMs: pollEverySeconds * 1_000,
  batchingWindowMs: batchingWindowSeconds * 1_000,
  deadlineMs: deadlineSeconds * 1_000,
})

/** One table: without the two that misbehave, with them, and with them but without each of what keeps them apart. */
export const modelTable = async (
  of: Surroundings,
  leftOut: readonly Mechanism[] = mechanisms,
): Promise<Figures> => {
  const run = async (isWithMisbehaving: boolean, without: readonly Mechanism[] = []): Promise<RunResult> => {
    const results: RunResult[] = []
    for (const seed of seeds) {
      results.push(await runModel({ ...settingsOf(of), isWithMisbehaving, without: new Set(without), seed }))
    }
    return together(results)
  }
  const base = summaryOf(await run(false))
  const rows: [string, Figures][] = [
    ['without the two', rowOf(base, base)],
    ['with them', rowOf(summaryOf(await run(true)), base)],
  ]
  for (const mechanism of leftOut) {
    rows.push([`… no ${mechanism}`, rowOf(summaryOf(await run(true, [mechanism])), base)])
  }
  return Object.fromEntries(rows)
}

const together = (results: readonly RunResult[]): RunResult => {
  const sum = (of: (result: RunResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0)
  return {
    delivered: results.flatMap(({ delivered }) => delivered),
    undelivered: sum(({ undelivered }) => undelivered),
    failed: sum(({ failed }) => failed),
    lateDelivered: sum(({ lateDelivered }) => lateDelivered),
    slowLaneDepth: sum(({ slowLaneDepth }) => slowLaneDepth),
  }
}

type Summary = ReturnType<typeof summaryOf>

const summaryOf = ({ delivered, undelivered, lateDelivered, slowLaneDepth, failed }: RunResult) => {
  if (failed > 0) throw new Error(`${failed} messages failed in a model in which nothing fails`)
  const agesOf = (those: readonly Delivered[]) => those.map(({ eventAgeMs }) => eventAgeMs)
  const all = agesOf(delivered)
  const early = agesOf(delivered.filter(({ enqueuedSinceOnsetMs }) => enqueuedSinceOnsetMs < onsetMs))
  const late = agesOf(delivered.filter(({ enqueuedSinceOnsetMs }) => enqueuedSinceOnsetMs >= onsetMs))
  return {
    p50: percentile(all, 0.5),
    p99: percentile(all, 0.99),
    max: percentile(all, 1),
    firstMinute: percentile(early, 0.99),
    later: percentile(late, 0.99),
    queue: percentile(
      delivered.map(({ sinceEnqueuedMs }) => sinceEnqueuedMs),
      0.99,
    ),
    ...{ undelivered, lateDelivered, slowLaneDepth },
  }
}

const seconds = (ms: number): number => ms / 1_000

/** `×`: the p99 beside that of the run without the two. */
const rowOf = (of: Summary, base: Summary): Figures => ({
  p50: seconds(of.p50),
  p99: seconds(of.p99),
  max: seconds(of.max),
  '×': of.p99 / base.p99,
  '1st min': seconds(of.firstMinute),
  '× 1st': of.firstMinute / base.firstMinute,
  later: seconds(of.later),
  '× later': of.later / base.later,
  queue: seconds(of.queue),
  left: of.undelivered,
  'late one': of.lateDelivered / seeds.length,
  'slow lane': of.slowLaneDepth / seeds.length,
})
