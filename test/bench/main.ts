import { cpus, totalmem } from 'node:os'
import { Argument } from 'commander'
import { commandLine, wholeNumber } from '../command-line.ts'
import type { Bench } from './bench.ts'
import { catchUpBench } from './catch-up.ts'
import { coldStartBench } from './cold-start.ts'
import { concurrencyBench } from './concurrency.ts'
import { dispatchBench } from './dispatch.ts'
import { freshnessBench } from './freshness.ts'
import { growthBench } from './growth.ts'
import { idleBench } from './idle.ts'
import { isolationBench } from './isolation.ts'
import { pacingBench } from './pacing.ts'
import { priceBench } from './price.ts'
import { renderFigures } from './render-figures.ts'
import { soakBench } from './soak.ts'

const benches: readonly Bench[] = [
  freshnessBench,
  catchUpBench,
  dispatchBench,
  concurrencyBench,
  growthBench,
  priceBench,
  coldStartBench,
  idleBench,
  isolationBench,
  pacingBench,
  soakBench,
]

const program = commandLine(
  'npm run bench --',
  'Measures; never gates. Prints a table for people, or one object a line.',
)
  .addArgument(new Argument('[names...]', 'all unless given').choices(benches.map(({ name }) => name)))
  .option('--json', 'one object on one line for each', false)
  .option('--minutes <n>', 'how long it measures, where a bench leaves that open', wholeNumber)
  .addHelpText('after', `\n${benches.map(({ name, about }) => `${name}: ${about}`).join('\n')}`)
  .parse()

/** As commander hands them out. */
type Flags = { json: boolean; minutes?: number }
const { json, minutes } = program.opts<Flags>()

const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
}
const chosen = benches.filter(({ name }) => program.args.length === 0 || program.args.includes(name))
for (const bench of chosen) {
  const figures = await bench.run(minutes === undefined ? {} : { minutes })
  const command = `npm run bench -- ${bench.name}`
  if (json) {
    console.log(
      JSON.stringify({ bench: bench.name, command, at: new Date().toISOString(), machine, figures }),
    )
    continue
  }
  console.log(`\n${bench.name}: ${bench.about}`)
  console.log(`  ${command} · ${machine.cores} × ${machine.cpu} · Node ${machine.node}`)
  for (const line of renderFigures(figures)) console.log(`  ${line}`)
}
