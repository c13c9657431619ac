import { parseArgs } from 'node:util'
import { runMany } from './run-many.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: '1500' },
    trace: { type: 'boolean', default: false },
  },
})

/** Whole and at least 1, or the command says what is wrong and ends. */
const count = (name: keyof typeof values): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= 1) return number
  process.stderr.write(`--${name} must be a whole number of at least 1\n`)
  return process.exit(2)
}

process.exitCode = await runMany({
  seeds: count('seeds'),
  firstSeed: count('seed'),
  steps: count('steps'),
  shows: values.trace,
  print: line => process.stdout.write(`${line}\n`),
})
