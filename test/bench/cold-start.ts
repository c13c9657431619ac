import { execFileSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import * as z from 'zod'
import type { dispatcherEnvironment } from '../../functions/dispatcher/config.ts'
import type { pollerEnvironment } from '../../functions/poller/config.ts'
import { functionNames } from '../../infra/stack/names.ts'
import type { EnvironmentOf } from '../../shared/adapters/environment.ts'
import type { Bench } from './bench.ts'
import { synthesizeBundles, writeModule } from './bundles.ts'

/** Fresh processes for each module; of their figures, the median. */
const processes = 21
const megabyte = 1024 * 1024

const emptyFunction = 'export const handler = async () => {}\n'
/** What an HTTPS client on Node can't do without: the floor for any function that calls an API. */
const nodeModules = [
  'http',
  'https',
  'tls',
  'crypto',
  'stream',
  'zlib',
  'dns/promises',
  'async_hooks',
  'util',
]

/** Not a file of TypeScript: stripping its types would load a compiler into the process that is measured. */
const importer = `
  const before = performance.now()
  await import(process.argv[1])
  const importMs = performance.now() - before
  console.log(JSON.stringify({ importMs, rss: process.memoryUsage().rss }))
`
const importedSchema = z.object({ importMs: z.number(), rss: z.number() })

/** All that any function reads at its start, each value of a form that it takes. */
const environment: EnvironmentOf<typeof pollerEnvironment> & EnvironmentOf<typeof dispatcherEnvironment> = {
  TABLE_NAME: 'bench',
  FAST_QUEUE_URL: 'https://queues.invalid/fast',
  SLOW_QUEUE_URL: 'https://queues.invalid/slow',
  DEAD_LETTERS_QUEUE_URL: 'https://queues.invalid/dead',
  FAST_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:fast',
  SLOW_QUEUE_ARN: 'arn:aws:sqs:us-east-1:000000000000:slow',
  SECRET_PREFIX: 'bench/',
  SERVICE_NAME: 'bench',
  LOG_LEVEL: 'INFO',
  POLL_EVERY_SECONDS: '5',
  DISABLE_AFTER_MS: '432000000',
  DEADLINE_MS: '15000',
}
const credentials = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
}

/** Size of each bundle, and how long a fresh process takes to import it, beside an empty function. */
export const coldStartBench: Bench = {
  name: 'cold-start',
  about: 'bytes, import time and memory of each bundle beside an empty function; times nodeOnly is the ratio',
  run: async () => {
    const { fileOf, folder } = synthesizeBundles()
    try {
      const nodeOnly = nodeModules.map(name => `import 'node:${name}'\n`).join('')
      const modules = [
        { name: 'empty', file: writeModule(folder, 'empty', emptyFunction) },
        { name: 'nodeOnly', file: writeModule(folder, 'node-only', nodeOnly) },
        ...functionNames.map(name => ({ name, file: fileOf[name] })),
      ].map(module => ({ ...module, imported: [] as Imported[] }))
      // Every module in each round: what else the machine does meets all alike.
      for (let round = 0; round < processes; round += 1) {
        for (const { file, imported } of modules) imported.push(importOnce(file))
      }
      const importMsOf = (imported: readonly Imported[]) => median(imported.map(({ importMs }) => importMs))
      const baselineMs = importMsOf(modules.find(({ name }) => name === 'nodeOnly')?.imported ?? [])
      const figuresOf = ({ file, imported }: (typeof modules)[number]) => ({
        bytes: statSync(file).size,
        importMs: importMsOf(imported),
        timesNodeOnly: importMsOf(imported) / baselineMs,
        memoryMb: median(imported.map(({ rss }) => rss)) / megabyte,
      })
      return Object.fromEntries(modules.map(module => [module.name, figuresOf(module)]))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

type Imported = z.infer<typeof importedSchema>

const importOnce = (file: string): Imported => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', importer, file], {
    env: { ...environment, ...credentials },
    encoding: 'utf8',
  })
  return importedSchema.parse(JSON.parse(printed))
}

const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
