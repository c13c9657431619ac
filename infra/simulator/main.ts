import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { flagOfOption, flags, optionsFromFlags } from './flags.ts'
import { parseOptions, SimulatorOptionsError } from './options.ts'
import { type RunningSimulator, startSimulator } from './server.ts'
import { parseNdjson, type Row } from './templates.ts'

const exitWrongFlags = 2
const portMax = 65_535
/** Of the command; in process a simulator has no records of its own. */
const rateDefault = 2

const buildCommand = (): Command => {
  const command = new Command('simulator')
    .description('The email service as a server: bounces, complaints and contact lists.')
    .option('--records <file>', 'own records, one JSON object a line, in place of the real ones')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on; 0 is any free one', '8025')
    .allowUnknownOption()
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeErr: text => console.error(`simulator: ${text.trim()}`) })
  for (const { flag, text } of flags) command.option(flag, text)
  return command
}

type Setup = Parameters<typeof startSimulator>[0]

/** The records of a file, and what is wrong with it. */
const readRecords = (file: string): { rows: Row[]; problems: string[] } => {
  try {
    const { rows, problems } = parseNdjson(readFileSync(file, 'utf8'))
    return { rows, problems: problems.map(problem => `--records ${file}: ${problem}`) }
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { rows: [], problems: [`--records ${file}: the file can't be read (${reason})`] }
  }
}

/** Everything that the command line asks for, and everything that is wrong with it. */
const readCommandLine = (command: Command): { setup: Setup; problems: string[] } => {
  const values = command.opts<{ records?: string; host: string; port: string }>()
  const problems = command.args.map(argument => `${argument}: is no flag; --help lists them`)
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : portMax + 1
  if (port > portMax) problems.push(`--port ${values.port}: must be a whole number from 0 to ${portMax}`)

  const given = optionsFromFlags(values)
  const file = values.records === undefined ? null : readRecords(values.records)
  if (file !== null) problems.push(...file.problems)
  else if ('keepTimes' in given) problems.push('--keep-times: needs --records FILE')

  const own = { rate: rateDefault, seed: randomInt(2 ** 32), records: file?.rows ?? null }
  try {
    return { setup: { ...parseOptions({ ...own, ...given }), host: values.host, port }, problems }
  } catch (error) {
    if (!(error instanceof SimulatorOptionsError)) throw error
    const wrong = error.problems.map(({ option, message }) => `${flagOfOption(option)}: ${message}`)
    return { setup: {}, problems: [...problems, ...wrong] }
  }
}

const announce = (simulator: RunningSimulator): void => {
  const { url, pathPrefix, token, startMs, options } = simulator
  const again = `--seed ${options.seed} --start ${new Date(startMs).toISOString()}`
  console.log(`simulator: ${url}${pathPrefix} token ${token} (the same again: ${again}); Ctrl-C stops it`)
}

const run = async (): Promise<void> => {
  const command = buildCommand()
  try {
    command.parse()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help is no error; of a flag without its value commander has told already.
    process.exitCode = error.exitCode === 0 ? 0 : exitWrongFlags
    return
  }
  const { setup, problems } = readCommandLine(command)
  if (problems.length > 0) {
    for (const problem of problems) console.error(`simulator: ${problem}`)
    process.exitCode = exitWrongFlags
    return
  }

  const simulator = await startSimulator(setup)
  announce(simulator)
  const stop = async (): Promise<void> => {
    await simulator.close()
    console.log(`simulator: stopped after ${simulator.requestCount} requests`)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}

run().catch((error: unknown) => {
  console.error(`simulator: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
