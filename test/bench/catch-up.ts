import type { Bench, Figures } from './bench.ts'
import { budgetShare, wholeMinutesShare } from './catch-up/budget-share.ts'
import { type CatchUpCase, type CatchUpResult, runCatchUp } from './catch-up/catch-up-run.ts'
import { worstMinute } from './freshness/worst-minute.ts'

const megabyte = 1024 * 1024
/** As the service's limit is specified; the bridge spends 48 of it. */
const rateLimit = 60

/** In 21 windows and a part of one. In pages of 1,000 the budget allows 787 a second, and the machine is the limit. */
const limited: readonly CatchUpCase[] = [
  { backlog: 100_000, pageSize: 100, rateLimit, emulatorsApart: false },
]
const unlimited = (emulatorsApart: boolean, backlogs: readonly number[]): CatchUpCase[] =>
  backlogs.map(backlog => ({ backlog, pageSize: 1_000, rateLimit: 0, emulatorsApart }))

/** A backlog from the simulator to a receiver that verifies each signature: how fast, with how much memory. */
export const catchUpBench: Bench = {
  name: 'catch-up',
  about: 'backlogs, under a limit of 60 requests a minute and without: records a second, CPU, memory',
  run: async () => ({
    'within 48 requests a minute': await table(limited, ofBudget),
    'no limit, as a user starts it': await table(unlimited(false, [10_000, 100_000]), ofMachine),
    'no limit, emulators in another process': await table(unlimited(true, [10_000, 100_000]), ofMachine),
  }),
}

/** One run after the other. */
const table = async (
  cases: readonly CatchUpCase[],
  rowOf: (result: CatchUpResult, of: CatchUpCase) => Figures,
): Promise<Figures> => {
  const rows: [string, Figures][] = []
  for (const one of cases) {
    const name = `${one.backlog.toLocaleString('en')} in pages of ${one.pageSize.toLocaleString('en')}`
    rows.push([name, rowOf(await runCatchUp(one), one)])
  }
  return Object.fromEntries(rows)
}

/**
 * `a minute`: of what the whole minutes allow. `read`: of the least time until the last record was enqueued; `arrived`:
 * until its event was there. All from the first request on.
 */
export const ofBudget = (
  { records, seconds, enqueuedAtMs, report }: CatchUpResult,
  { pageSize }: Pick<CatchUpCase, 'pageSize'>,
): Figures => {
  const [firstAtMs = 0] = report.requestedAtMs
  const readAtMs = enqueuedAtMs.at(-1)
  const shareUntil = (atMs: number): number =>
    budgetShare({ pages: records / pageSize, tookMs: atMs - firstAtMs })
  return {
    seconds,
    'records a second': records / seconds,
    'of the budget, a minute': wholeMinutesShare(enqueuedAtMs, { firstAtMs, pageSize }),
    'of the budget, read': readAtMs === undefined ? Number.NaN : shareUntil(readAtMs),
    'of the budget, arrived': shareUntil(report.lastAtMs),
    'worst minute': worstMinute(report.requestedAtMs),
    refused: report.refused,
    'sent twice': report.posts - report.arrived,
  }
}

export const ofMachine = (of: CatchUpResult): Figures => {
  const { records, seconds, report, emulators } = of
  return {
    seconds,
    'records a second': records / seconds,
    'CPU ms a record': (of.cpuSeconds * 1_000) / records,
    'peak MB': of.peakBytes / megabyte,
    ...(emulators !== null && {
      "emulators' CPU ms": (emulators.cpuSeconds * 1_000) / records,
      "emulators' peak MB": emulators.peakBytes / megabyte,
    }),
    'sent twice': report.posts - report.arrived,
  }
}
