import { BridgeError } from '../../shared/domain/bridge-error.ts'
import { transportFaults } from './faults.ts'
import { flagOfOption, flags, optionsFromFlags } from './flags.ts'
import { parseOptions, type SimulatorOptions, SimulatorOptionsError } from './options.ts'

/**
 * Where the records begin unless told otherwise: the same at every deployment, since all ids and times follow from it.
 */
const firstStartMs = Date.UTC(2026, 0, 1)
/** As long as the service keeps records: the list stays bounded, however long ago it began. */
const retentionSeconds = 30 * 86_400
/** A record every ten seconds: soon enough to watch, and under 300,000 events a month to pay for. */
const rateDefault = 0.1
/** At this rate, indexes from `firstStartMs` on fit in the 32 bits that ids give them for 13 years. */
const rateMax = 10
/** A request looks at every record that may still be late: under a million, with `rateMax`. */
const lateSecondsMax = 86_400

const variablePrefix = 'SIMULATOR_'

/** The name of the secret that holds the token. */
export const tokenSecretVariable = 'TOKEN_SECRET'

/** Flags that mean nothing here: the token is a secret, and there is no file of records and no command line. */
const withoutVariable: readonly string[] = ['token', 'contactsToken', 'keepTimes', 'profile']

const variableOf = (option: string): string =>
  variablePrefix + flagOfOption(option).replace(/^--/, '').replaceAll('-', '_').toUpperCase()

/** The variable of each flag, by its option; the README's tables say what each takes. */
export const variables: ReadonlyMap<string, string> = new Map(
  flags
    .filter(({ option }) => !withoutVariable.includes(option))
    .map(({ option }) => [option, variableOf(option)]),
)

/** As commander would name the flag's value: `lateShare` of `SIMULATOR_LATE_SHARE`. */
const attributeOf = (variable: string): string =>
  variable
    .slice(variablePrefix.length)
    .toLowerCase()
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A variable that makes no sense, or several. */
export class SimulatorSettingsError extends BridgeError {
  constructor(problems: readonly string[]) {
    super({
      code: 'simulator_settings',
      message: `The simulator's environment is not right: ${problems.join('; ')}.`,
      hint: 'See infra/simulator/README.md, "As a Lambda function", for what each variable takes.',
    })
  }
}

export type LambdaSettings = {
  tokenSecret: string
  /** All but the token. */
  options: Omit<SimulatorOptions, 'token'>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the function's environment. Throws a `SimulatorSettingsError` that names all that is wrong. */
export const readLambdaSettings = (environment: Environment): LambdaSettings => {
  const given = Object.entries(environment).filter(([name]) => name.startsWith(variablePrefix))
  const known = [...variables.values()]
  const problems = given
    .filter(([name]) => !known.includes(name))
    .map(([name]) => `${name} is no variable of the simulator`)
  const tokenSecret = environment[tokenSecretVariable] ?? ''
  if (tokenSecret === '') problems.push(`${tokenSecretVariable} must name the secret with the token`)

  const values = Object.fromEntries(
    given.filter(([name]) => known.includes(name)).map(([name, text]) => [attributeOf(name), text]),
  )
  const { options, wrong } = parse({
    rate: rateDefault,
    startMs: firstStartMs,
    retentionSeconds,
    ...optionsFromFlags(values),
  })
  problems.push(...wrong, ...(options === null ? [] : beyondFunctions(options)))
  if (options === null || problems.length > 0) throw new SimulatorSettingsError(problems)
  return { tokenSecret, options }
}

const parse = (given: Readonly<Record<string, unknown>>) => {
  try {
    return { options: parseOptions(given), wrong: [] }
  } catch (error) {
    if (!(error instanceof SimulatorOptionsError)) throw error
    const wrong = error.problems.map(({ option, message }) => `${variableOf(option)} ${message}`)
    return { options: null, wrong }
  }
}

/** What the server can do and a function behind a URL can't: it hands over whole answers, and has seconds for each. */
const beyondFunctions = ({ fault, rate, startMs, lateSeconds }: SimulatorOptions): string[] => {
  const problems: string[] = []
  const refuse = (option: string, message: string): void => {
    problems.push(`${variableOf(option)} ${message}`)
  }
  const impossible = transportFaults.filter(name => fault.some(drawn => drawn.fault === name))
  if (impossible.length > 0) {
    const names = impossible.join(', ')
    refuse('fault', `can't have ${names}: a function URL sends whole answers; use the simulator's server`)
  }
  if (rate > rateMax) refuse('rate', `must be ${rateMax} records a second at most`)
  if (startMs !== null && startMs < firstStartMs) refuse('startMs', 'must be 2026-01-01T00:00:00Z or later')
  if (lateSeconds > lateSecondsMax) refuse('lateSeconds', `must be ${lateSecondsMax} s at most`)
  return problems
}
