import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
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

/** `npm run bench [-- NAME …] [--json] [--minutes N]`: a table for people, or one object a line. Measures; never gates. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, minutes: { type: 'string' } },
})
const unknown = positionals.filter(name => !benches.some(bench => bench.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no bench ${unknown.join(', ')}; there are ${benches.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
if (minutes !== undefined && !(minutes >= 1)) {
  console.error(`--minutes ${values.minutes}: must be a number of at least 1.`)
  process.exit(2)
}
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
}
const chosen = benches.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
for (const bench of chosen) {
  const figures = await bench.run(minutes === undefined ? {} : { minutes })
  const command = `npm run bench -- ${bench.name}`
  if (values.json === true) {
    console.log(
      JSON.stringify({ bench: bench.name, command, at: new Date().toISOString(), machine, figures }),
    )
    continue
  }
  console.log(`\n${bench.name}: ${bench.about}`)
  console.log(`  ${command} · ${machine.cores} × ${machine.cpu} · Node ${machine.node}`)
  for (const line of renderFigures(figures)) console.log(`  ${line}`)
}
