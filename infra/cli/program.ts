import { Command as Commander, CommanderError, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { nearestName } from '../../shared/domain/nearest-name.ts'
import { attributeOf, flagMeant, spelled, unnamedFlag } from '../local/flag-table.ts'
import type { Command, Noun } from './command.ts'
import { exitDone } from './exit-codes.ts'
import { type InputPart, partsOf, type RawInput } from './input.ts'
import { confirmInput, outputInput, targetInput } from './standard-flags.ts'
import { commanderProblem, missingCommand } from './wrong-words.ts'

export const programName = 'bridge'

const exitCodes = `Exit codes: 0 done; 1 failed; 2 wrong use, nothing was done; 3 refused by a
rule of the bridge, nothing was done; 130 interrupted.`

type Found = { command: Command; raw: RawInput; strays: readonly string[] }

export type ParsedLine =
  /** Help or version: to be printed, and that is all. */
  | { kind: 'shown'; text: string }
  | { kind: 'wrong'; problems: readonly string[]; help: string }
  | ({ kind: 'command' } & Found)

/** The parts of a command that all commands share. */
export const standardParts = (command: Command): InputPart[] => [
  ...(command.confirms ? partsOf(confirmInput) : []),
  ...partsOf(outputInput),
  ...(command.hasTarget ? partsOf(targetInput) : []),
]

/**
 * Finds the command and what it was given. To commander values are optional and unknown flags welcome, so that all
 * problems can be told at once.
 */
export const parseLine = (entries: readonly (Noun | Command)[], args: readonly string[]): ParsedLine => {
  let shown = ''
  const found: Found[] = []
  const write = (text: string): void => {
    shown += text
  }
  const missing = missingCommand(entries, args)
  if (missing !== null) return { kind: 'wrong', problems: [missing], help: '' }
  const program = configured(new Commander(programName), write)
    .description(`The operator's command of the feedback bridge. ${packageJson.description}`)
    .version(packageJson.version, '--version', 'print the version')
    .usage('NOUN COMMAND [flags]')
    .addHelpText(
      'after',
      `\n${programName} NOUN COMMAND --help tells of a command, with examples.\n${exitCodes}`,
    )
  const add = (to: Commander, command: Command): void => {
    const leaf = configured(to.command(command.name), write)
    declare(leaf, command)
    leaf.action(() => {
      found.push({ command, ...givenTo(leaf, command) })
    })
  }
  for (const entry of entries) {
    if (entry.kind === 'command') add(program, entry)
    else {
      const noun = configured(program.command(entry.name), write)
        .description(entry.summary)
        .usage('COMMAND [flags]')
      for (const command of entry.commands) add(noun, command)
    }
  }
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === exitDone) return { kind: 'shown', text: shown }
    // Without a command commander writes its help; that is the answer, but nothing was done.
    const isHelp = error.code === 'commander.help'
    const problem = isHelp
      ? 'say which command; the nouns and commands are above'
      : commanderProblem(error, entries, args)
    return { kind: 'wrong', problems: [problem], help: isHelp ? shown : '' }
  }
  const [command] = found
  return command === undefined
    ? { kind: 'wrong', problems: ['say which command; --help lists them'], help: shown }
    : { kind: 'command', ...command }
}

const configured = (command: Commander, write: (text: string) => void): Commander =>
  command
    .helpOption('--help', 'print this')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: write, writeErr: write })
    // To commander values are optional, to people they are not.
    .configureHelp({
      optionTerm: option => option.flags.replace(/\[(.+)\]/, '$1'),
      subcommandTerm: command =>
        [command.name(), ...command.registeredArguments.map(argument => argument.name())].join(' '),
    })

const declare = (leaf: Commander, command: Command): void => {
  // Written in lines here, wrapped to the terminal there.
  const details = command.details.replaceAll(/(?<!\n)\n(?!\n)/g, ' ')
  leaf.summary(command.summary).description(`${command.summary}.${details && `\n\n${details}`}`)
  leaf.allowUnknownOption().allowExcessArguments()
  const names = command.parts.filter(({ kind }) => kind === 'argument')
  leaf.usage([...names.map(({ value, isNeeded }) => (isNeeded ? value : `[${value}]`)), '[flags]'].join(' '))
  for (const part of names) leaf.argument(`[${part.value}]`, part.text)
  const own = command.parts.filter(({ kind }) => kind !== 'argument')
  for (const part of own) leaf.addOption(optionOf(part, part.isNeeded ? 'Needed:' : 'Flags:'))
  for (const part of standardParts(command)) leaf.addOption(optionOf(part, 'Where and how:'))
  const examples = command.examples.map(({ line, text }) => `  ${line}${text ? `\n      ${text}` : ''}`)
  leaf.addHelpText('after', `\nExamples:\n${examples.join('\n')}\n`)
}

/** How a flag is written: `-f` and `--file`. */
export const spellingsOf = ({ short, name }: Pick<InputPart, 'short' | 'name'>): string[] => [
  ...(short === null ? [] : [`-${short}`]),
  spelled(name),
]

const optionOf = (part: InputPart, group: string): Option => {
  const names = spellingsOf(part).join(', ')
  const flags = part.kind === 'toggle' ? names : `${names} [${part.value}]`
  const option = new Option(flags, part.text).helpGroup(group)
  // Every value is collected, so that a flag given twice is noticed.
  return part.kind === 'toggle' ? option : option.argParser(collect)
}

const collect = (value: string, before: unknown): string[] => [
  ...(Array.isArray(before) ? before.map(String) : []),
  value,
]

const isFlag = (arg: string): boolean => arg.startsWith('-') && arg !== '-'

/** What the command was given, and what belongs to nothing. Values are not repeated: one may be a secret. */
const givenTo = (leaf: Commander, command: Command): { raw: RawInput; strays: string[] } => {
  const parts = [...command.parts, ...standardParts(command)]
  const raw = new Map<string, readonly (string | true)[]>()
  const options: Readonly<Record<string, unknown>> = leaf.opts()
  for (const { kind, name } of parts) {
    const value = options[attributeOf(name)]
    if (kind === 'argument' || value === undefined) continue
    raw.set(name, Array.isArray(value) ? value.map(String) : [true])
  }
  const unknown = leaf.args.filter(isFlag).map(flagMeant)
  const names = parts.filter(({ kind }) => kind !== 'argument').map(({ name }) => name)
  if (unknown.length > 0) return { raw, strays: unknown.map(flag => unknownFlag(flag, names)) }
  const wanted = parts.filter(({ kind }) => kind === 'argument')
  for (const [at, { name }] of wanted.entries()) {
    const text = leaf.args[at]
    if (text !== undefined) raw.set(name, [text])
  }
  const extra = leaf.args.length - wanted.length
  const strays =
    extra > 0 ? [`${extra} of what was given belongs to no flag; --help tells what is taken`] : []
  return { raw, strays }
}

const unknownFlag = (flag: string | null, names: readonly string[]): string => {
  if (flag === null) return unnamedFlag
  const near = nearestName(flag.replace(/^-+/, ''), names)
  return `${flag}: is no flag here; ${near === null ? '--help lists them' : `is ${spelled(near)} meant?`}`
}
