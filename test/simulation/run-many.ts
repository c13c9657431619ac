import type { Mistake } from './functions/mistake.ts'
import { type RunEnd, simulate } from './simulate.ts'

const failuresShownMax = 3

export type Summary = {
  seeds: number
  steps: number
  tookMs: number
  events: number
  accepted: number
  lines: number
  faults: Map<string, number>
  doubles: Map<string, number>
  failures: RunEnd[]
}

/** Runs seed after seed, and adds up what happened. */
export const runSeeds = async (of: {
  seeds: number
  firstSeed: number
  steps: number
  mistake?: Mistake
  /** Failures after which to stop. */
  failuresMax?: number
}): Promise<Summary> => {
  const startedMs = performance.now()
  const summary: Summary = {
    seeds: 0,
    steps: 0,
    tookMs: 0,
    events: 0,
    accepted: 0,
    lines: 0,
    faults: new Map(),
    doubles: new Map(),
    failures: [],
  }
  for (let seed = of.firstSeed; seed < of.firstSeed + of.seeds; seed += 1) {
    const end = await simulate({ seed, steps: of.steps, ...(of.mistake && { mistake: of.mistake }) })
    summary.seeds += 1
    summary.steps += end.steps
    summary.events += end.events
    summary.accepted += end.accepted
    summary.lines += end.lines
    for (const [kind, count] of Object.entries(end.faults)) add(summary.faults, kind, count)
    for (const [cause, count] of end.doubles) add(summary.doubles, cause, count)
    if (end.violations.length > 0) summary.failures.push(end)
    if (summary.failures.length >= (of.failuresMax ?? failuresShownMax)) break
  }
  summary.tookMs = performance.now() - startedMs
  return summary
}

const add = (counts: Map<string, number>, of: string, count: number): void => {
  if (count > 0) counts.set(of, (counts.get(of) ?? 0) + count)
}

const total = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0)
const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([of, count]) => `${of} ${count}`).join(', ') || 'none'

/** What of many runs is to be told in a line. */
export const summaryLine = (summary: Summary): string => {
  const { seeds, steps, tookMs, events, accepted, lines, faults, doubles } = summary
  const share = accepted === 0 ? 0 : (100 * total(doubles)) / accepted
  return [
    `${seeds} seeds, ${steps} steps, ${Math.round((steps / tookMs) * 1_000)} steps/s`,
    `${events} events, ${accepted} POSTs accepted`,
    `${total(doubles)} of them again (${share.toFixed(2)} %): ${listed(doubles)}`,
    `${lines} lines searched for secrets and addresses`,
    `${total(faults)} faults: ${listed(faults)}`,
    `${summary.failures.length} failures`,
  ].join('; ')
}

/** A failure, with all that is needed to see it again. */
export const failureText = ({ seed, violations, lastLines }: RunEnd, steps: number): string =>
  [
    `seed ${seed} failed: ${violations[0]}`,
    ...lastLines,
    `again: node test/simulation/main.ts --seeds 1 --seed ${seed} --steps ${steps}`,
  ].join('\n')

export const runMany = async (of: {
  seeds: number
  firstSeed: number
  steps: number
  shows: boolean
  print: (line: string) => void
}): Promise<number> => {
  if (of.shows) {
    const end = await simulate({ seed: of.firstSeed, steps: of.steps, keepsTrace: true })
    for (const line of end.allLines) of.print(line)
  }
  const summary = await runSeeds(of)
  for (const failure of summary.failures) of.print(failureText(failure, of.steps))
  of.print(summaryLine(summary))
  return summary.failures.length === 0 ? 0 : 1
}
