import * as z from 'zod'
import { spelled } from '../local/flag-table.ts'

/** What help says of an argument or a flag. */
export type InputHelp = {
  kind: 'argument' | 'flag' | 'toggle'
  /** How help names the value: `URL`. */
  value: string
  /** The letter of `-f`, beside `--file`. */
  short: string | null
  text: string
  /** May be given more than once: its schema takes a list. */
  repeats: boolean
}

/** Beside the schemas, since zod's own registries tell schemas apart by type. */
const inputHelp = new WeakMap<z.ZodType, InputHelp>()

type HelpText = { value: string; short?: string; text: string; repeats?: boolean }
const withHelp = <S extends z.ZodType>(kind: InputHelp['kind'], schema: S, help: HelpText): S => {
  const { value, short = null, text, repeats = false } = help
  inputHelp.set(schema, { kind, value, short, text, repeats })
  return schema
}

/** A value by its place: `bridge source show ID`. */
export const argument = <S extends z.ZodType>(schema: S, help: HelpText) =>
  withHelp('argument', schema.clone(), help)

/** A flag that must be given. */
export const needed = <S extends z.ZodType>(schema: S, help: HelpText) =>
  withHelp('flag', schema.clone(), help)

/** A flag that may be left out. */
export const optional = <S extends z.ZodType>(schema: S, help: HelpText) =>
  withHelp('flag', schema.optional(), help)

/** A flag without a value. */
export const toggle = (text: string) => withHelp('toggle', z.literal(true).optional(), { value: '', text })

/** Named by what people write: a flag's name without its hyphens. */
export type InputSchema = z.ZodObject

export type InputPart = InputHelp & { name: string; isNeeded: boolean }

/** What a command takes, in the order of its help. Throws for a part without help: a fault of ours. */
export const partsOf = (schema: InputSchema): InputPart[] =>
  Object.entries(schema.shape).map(([name, part]) => {
    const help = part instanceof z.ZodType ? inputHelp.get(part) : undefined
    if (help === undefined) throw new Error(`the input ${name} has no help`)
    return { ...help, name, isNeeded: !(part instanceof z.ZodOptional) }
  })

/** As commander hands them out: texts by name; a flag that was given without its value is `true`. */
export type RawInput = ReadonlyMap<string, readonly (string | true)[]>

/** What is wrong with the part of that name; without a name, with several together. */
export type InputProblem = { name: string; text: string }

export type ReadInput<T> = { input: T; problems: [] } | { input: null; problems: InputProblem[] }

/** Checks what was given against what a command takes; all problems at once, and never a value. */
export const readInput = <S extends InputSchema>(schema: S, raw: RawInput): ReadInput<z.output<S>> => {
  const parts = new Map(partsOf(schema).map(part => [part.name, part]))
  const problems = [...parts.values()].flatMap(part => shapeProblems(part, raw.get(part.name) ?? []))
  const broken = new Set(problems.map(({ name }) => name))
  const values = Object.fromEntries(
    [...parts.values()].flatMap(part => {
      const given = raw.get(part.name) ?? []
      if (given.length === 0) return []
      return [[part.name, part.repeats ? given : given[0]]]
    }),
  )
  const read = schema.safeParse(values)
  if (read.success && problems.length === 0) return { input: read.data, problems: [] }
  const others = (read.error?.issues ?? []).flatMap(issue => {
    const name = String(issue.path[0] ?? '')
    const part = parts.get(name)
    if (part === undefined) return [{ name: '', text: issue.message }]
    if (broken.has(name)) return []
    const isMissing = !raw.has(name)
    return [{ name, text: `${shownName(part)}: ${isMissing ? `is missing; ${part.text}` : issue.message}` }]
  })
  return { input: null, problems: [...problems, ...others] }
}

const shownName = (part: InputPart): string => (part.kind === 'argument' ? part.value : spelled(part.name))

const shapeProblems = (part: InputPart, given: readonly (string | true)[]): InputProblem[] => {
  const { name } = part
  const about = shownName(part)
  if (part.kind !== 'toggle' && given.includes(true)) {
    return [{ name, text: `${about}: needs a value (one that begins with a hyphen is written ${about}=…)` }]
  }
  if (part.kind === 'flag' && !part.repeats && given.length > 1) {
    return [{ name, text: `${about}: is given ${given.length} times; give it once` }]
  }
  return []
}
