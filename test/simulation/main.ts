import { commandLine, wholeNumber } from '../command-line.ts'
import { runCrashPoints, runOneCrash } from './crash-points/command.ts'
import { runMany } from './run-many.ts'

const program = commandLine(
  'npm run test:simulation --',
  'Runs the whole bridge on a virtual clock, with faults drawn from a seed, and checks every invariant at each step.',
)
  .option('--seeds <n>', 'how many runs', wholeNumber, 500)
  .option('--seed <n>', 'the seed of the first', wholeNumber, 1)
  .option('--steps <n>', 'steps of each before the faults stop', wholeNumber, 1_500)
  .option('--trace', 'print every step', false)
  .option(
    '--crash-points',
    'instead, every crash point of one scenario, and the table of what each costs',
    false,
  )
  .option('--write', 'put that table into ARCHITECTURE.md', false)
  .option('--crash-at <n>', 'one of them alone: before the call of this number', wholeNumber)
  .option('--after', 'after that call, not before it', false)
  .parse()

/** As commander hands them out: each has a default but for `crashAt`. */
type Flags = {
  seeds: number
  seed: number
  steps: number
  trace: boolean
  crashPoints: boolean
  write: boolean
  crashAt?: number
  after: boolean
}
const { seeds, seed, steps, trace, crashPoints, write, crashAt, after } = program.opts<Flags>()

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const run = (): Promise<number> => {
  if (crashPoints) return runCrashPoints({ writes: write, print })
  if (crashAt !== undefined) {
    return runOneCrash({ at: crashAt, death: after ? 'after' : 'before' }, { shows: trace, print })
  }
  return runMany({ seeds, firstSeed: seed, steps, shows: trace, print })
}

process.exitCode = await run()
