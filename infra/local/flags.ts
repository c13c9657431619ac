import { CommanderError } from 'commander'
import type * as z from 'zod'
import { deadlineMsDefault } from '../../shared/domain/delivery/deliver.ts'
import { defaultRetrySchedule } from '../../shared/domain/delivery/retry-policy.ts'
import { sourceDefaults } from '../../shared/domain/source.ts'
import {
  attributeOf,
  buildCommand,
  flagMeant,
  flagTable,
  namingFlags,
  spelled,
  unnamedFlag,
} from './flag-table.ts'
import { valueSchemas } from './flag-values.ts'
import type { BridgeSettings, SourceSettings } from './settings.ts'

export const dataDirDefault = '.bridge'
/** Where the token is looked for that no flag gives. */
export const tokenVariable = 'BRIDGE_API_TOKEN'

export type CommandLine =
  | { kind: 'demo'; json: boolean }
  | { kind: 'bridge'; json: boolean; settings: BridgeSettings }
  /** Help or version: to be printed, and that is all. */
  | { kind: 'shown'; text: string }
  /** All that is wrong, one line each, without any secret. */
  | { kind: 'wrong'; problems: readonly string[] }

type Raw = ReadonlyMap<string, true | readonly string[]>

/**
 * Reads the arguments after the script's name. No flags, or only `--json`, ask for the demo, unless the operator's command
 * gave the default folder a source. Flags that name neither source nor endpoint ask for what their folder has.
 */
export const readCommandLine = (
  args: readonly string[],
  env: Environment,
  keepsSources: (dataDir: string) => boolean = () => false,
): CommandLine => {
  let shown = ''
  const command = buildCommand(text => {
    shown += text
  })
  try {
    command.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Values are optional and unknown flags let through, so that only help and version end here.
    return error.exitCode === 0
      ? { kind: 'shown', text: shown }
      : { kind: 'wrong', problems: [error.message] }
  }
  const strays = strayProblems(command.args)
  const raw = rawValues(command.opts())
  const json = raw.has('json')
  const isBare = strays.length === 0 && [...raw.keys()].every(name => name === 'json')
  if (isBare && !keepsSources(dataDirDefault)) return { kind: 'demo', json }
  const { settings, problems } = readSettings(raw, env)
  const all = [...strays, ...problems]
  return settings === null || all.length > 0
    ? { kind: 'wrong', problems: all }
    : { kind: 'bridge', json, settings }
}

/** What belongs to no flag. Values are not repeated: one that follows a misspelled `--token` is a secret. */
const strayProblems = (args: readonly string[]): string[] => {
  const unknown = args.filter(arg => arg.startsWith('-')).map(flagMeant)
  const others = args.length - unknown.length
  const problems = unknown.map(name =>
    name === null ? unnamedFlag : `${name}: is no flag; --help lists them`,
  )
  if (others > 0 && unknown.length === 0) {
    problems.push(
      `${others} ${others === 1 ? 'argument belongs' : 'arguments belong'} to no flag; --help lists them`,
    )
  }
  return problems
}

const rawValues = (options: Readonly<Record<string, unknown>>): Raw => {
  const raw = new Map<string, true | readonly string[]>()
  for (const { name } of flagTable) {
    const value = options[attributeOf(name)]
    if (value === true) raw.set(name, true)
    else if (Array.isArray(value)) raw.set(name, value.map(String))
  }
  return raw
}

/** Reads values flag by flag and gathers all that is wrong with them. */
const createReader = (raw: Raw) => {
  const problems: string[] = []

  const read = <T>(schema: z.ZodType<T>, text: string, where: string): T | null => {
    const parsed = schema.safeParse(text)
    if (parsed.success) return parsed.data
    problems.push(`${where}: ${parsed.error.issues.map(issue => issue.message).join('; ')}`)
    return null
  }
  const textsOf = (name: string): readonly string[] => {
    const given = raw.get(name)
    if (given !== true) return given ?? []
    problems.push(
      `${spelled(name)}: needs a value (one that begins with a hyphen is written ${spelled(name)}=…)`,
    )
    return []
  }
  return {
    problems,
    read,
    one: <T>(name: string, schema: z.ZodType<T>): T | null => {
      const [text, ...more] = textsOf(name)
      if (more.length > 0) problems.push(`${spelled(name)}: is given ${more.length + 1} times; give it once`)
      return text === undefined ? null : read(schema, text, spelled(name))
    },
    many: <T>(name: string, schema: z.ZodType<T>): (T | null)[] => {
      const texts = textsOf(name)
      const place = (at: number) => (texts.length > 1 ? ` (no. ${at + 1})` : '')
      return texts.map((text, at) => read(schema, text, `${spelled(name)}${place(at)}`))
    },
    needed: (name: string, right: string): void => {
      if (!raw.has(name)) problems.push(`${spelled(name)}: is missing; ${right}`)
    },
  }
}

type Reader = ReturnType<typeof createReader>
type Environment = Readonly<Record<string, string | undefined>>

const readSettings = (raw: Raw, env: Environment): { settings: BridgeSettings; problems: string[] } => {
  const reader = createReader(raw)
  const allowPrivate = raw.has('allow-private-endpoints')
  const schemas = valueSchemas(allowPrivate)
  const isNamed = [...raw.keys()].some(name => namingFlags.has(name))
  const source = isNamed ? readSource(reader, schemas, raw) : null
  const token = isNamed ? readToken(reader, schemas, { raw, env }) : null
  if (isNamed) reader.needed('endpoint', 'give at least one, as --endpoint https://example.com/webhooks')
  const urls = reader.many('endpoint', schemas.endpoint)
  const secrets = reader.many('secret', schemas.secret)
  reader.problems.push(...endpointProblems(urls, secrets))
  const types = reader.one('types', schemas.types) ?? ['*']
  const deadlineSeconds = reader.one('deadline', schemas.deadline)
  const secretOf = (at: number) => secrets[secrets.length === 1 ? 0 : at] ?? null
  const settings: BridgeSettings = {
    source,
    token,
    endpoints: urls.map((url, at) => ({ url: url ?? '', secret: secretOf(at), types })),
    retrySchedule: reader.one('retry-schedule', schemas['retry-schedule']) ?? defaultRetrySchedule,
    deadlineMs: deadlineSeconds === null ? deadlineMsDefault : deadlineSeconds * 1_000,
    dataDir: reader.one('data', schemas.data) ?? dataDirDefault,
    allowPrivate,
    once: raw.has('once'),
  }
  return { settings, problems: reader.problems }
}

const readSource = (reader: Reader, schemas: ReturnType<typeof valueSchemas>, raw: Raw): SourceSettings => {
  const { one } = reader
  reader.needed('source-url', 'give the email service, as --source-url https://api.example.com')
  return {
    baseUrl: one('source-url', schemas['source-url']) ?? '',
    pathPrefix: one('path-prefix', schemas['path-prefix']) ?? sourceDefaults.pathPrefix,
    authScheme: one('auth-scheme', schemas['auth-scheme']) ?? sourceDefaults.authScheme,
    includeSoft: raw.has('include-soft'),
    pageSize: one('page-size', schemas['page-size']) ?? sourceDefaults.pageSize,
    startAt: one('start-at', schemas['start-at']) ?? sourceDefaults.startAt,
    pollEverySeconds: one('poll-every', schemas['poll-every']) ?? sourceDefaults.pollEverySeconds,
    overlapSeconds: one('overlap', schemas.overlap) ?? sourceDefaults.overlapSeconds,
    requestsPerMinute:
      one('requests-per-minute', schemas['requests-per-minute']) ?? sourceDefaults.requestsPerMinute,
  }
}

const readToken = (
  reader: Reader,
  schemas: ReturnType<typeof valueSchemas>,
  { raw, env }: { raw: Raw; env: Environment },
): string => {
  if (raw.has('token')) return reader.one('token', schemas.token) ?? ''
  const text = env[tokenVariable]?.trim() ?? ''
  if (text !== '') return reader.read(schemas.token, text, tokenVariable) ?? ''
  reader.problems.push(`--token: is missing; give it, or set ${tokenVariable} in the environment`)
  return ''
}

const endpointProblems = (urls: readonly (string | null)[], secrets: readonly unknown[]): string[] => {
  const problems: string[] = []
  const twice = urls.findIndex((url, at) => url !== null && urls.indexOf(url) < at)
  if (twice >= 0) problems.push(`--endpoint (no. ${twice + 1}): is given twice; give each endpoint once`)
  const fits = secrets.length <= 1 || secrets.length === urls.length
  if (!fits) {
    problems.push(
      `--secret: is given ${secrets.length} times for ${urls.length} endpoints; give it once for all, or once for each`,
    )
  }
  return problems
}
