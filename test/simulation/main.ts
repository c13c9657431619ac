import { parseArgs } from 'node:util'
import { runCrashPoints, runOneCrash } from './crash-points/command.ts'
import { runMany } from './run-many.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1500' },
    trace: { type: 'boolean', default: false },
    // Every crash point of one scenario instead, and the table of what each costs; `--write` puts it into ARCHITECTURE.md.
    'crash-points': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    // One of them alone: before the call of this number, or after it.
    'crash-at': { type: 'string' },
    after: { type: 'boolean', default: false },
  },
})

/** Whole and at least 1, or the command says what is wrong and ends. */
const count = (name: 'seeds' | 'seed' | 'steps' | 'crash-at'): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= 1) return number
  process.stderr.write(`--${name} must be a whole number of at least 1\n`)
  return process.exit(2)
}

const print = (line: string): void => void process.stdout.write(`${line}\n`)

const run = (): Promise<number> => {
  if (values['crash-points']) return runCrashPoints({ writes: values.write, print })
  if (values['crash-at'] !== undefined) {
    const death = values.after ? 'after' : 'before'
    return runOneCrash({ at: count('crash-at'), death }, { shows: values.trace, print })
  }
  return runMany({
    seeds: count('seeds'),
    firstSeed: count('seed'),
    steps: count('steps'),
    shows: values.trace,
    print,
  })
}

process.exitCode = await run()
