import { writeCosts } from './costs-file.ts'
import { writeTable } from './document.ts'
import type { Crash, CrashPoint } from './run.ts'
import { runScenario } from './run.ts'
import { type Crashed, crashesOf, runCrash } from './run-all.ts'
import { costText, renderTable } from './table.ts'

const failuresShownMax = 5
/** A whole run takes minutes. */
const toldEvery = 200

type Print = (line: string) => void

const nameOf = ({ at, process, call }: CrashPoint, { death }: Crash): string =>
  `crash point ${at}, ${process} ${call}, ${death} it`

/** A failure, with all that is needed to see it again. */
export const crashFailureText = ({ crash, point, failure }: Crashed): string =>
  [
    `${nameOf(point, crash)}: ${failure?.violation}`,
    ...(failure?.lastLines ?? []),
    `again: node test/simulation/main.ts --crash-at ${crash.at}${crash.death === 'after' ? ' --after' : ''} --trace`,
  ].join('\n')

/** Every crash of the scenario, one after the other; the table of what they cost. Says the exit code. */
export const runCrashPoints = async (of: { writes: boolean; print: Print }): Promise<number> => {
  const usual = await runScenario({ crash: null })
  const all: Crashed[] = []
  const crashes = crashesOf(usual.points)
  for (const crash of crashes) {
    all.push(await runCrash(crash, usual))
    if (all.length % toldEvery === 0) of.print(`${all.length} of ${crashes.length} crashes`)
  }
  const failed = all.filter(({ failure }) => failure !== null)
  for (const one of failed.slice(0, failuresShownMax)) of.print(crashFailureText(one))
  const table = renderTable(all)
  of.print(table)
  if (!of.writes || failed.length > 0) return failed.length === 0 ? 0 : 1
  await writeCosts(all)
  await writeTable(table)
  return 0
}

/** One crash alone. */
export const runOneCrash = async (crash: Crash, of: { shows: boolean; print: Print }): Promise<number> => {
  const usual = await runScenario({ crash: null })
  if (of.shows) {
    const { allLines } = await runScenario({ crash, keepsTrace: true })
    for (const line of allLines) of.print(line)
  }
  const crashed = await runCrash(crash, usual)
  of.print(`${nameOf(crashed.point, crash)}: ${costText(crashed.cost)}`)
  if (crashed.failure !== null) of.print(crashFailureText(crashed))
  return crashed.failure === null ? 0 : 1
}
