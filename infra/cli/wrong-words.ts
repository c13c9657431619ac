import type { CommanderError } from 'commander'
import type { Command, Noun } from './command.ts'

type Entries = readonly (Noun | Command)[]

const shownFlags = new Set(['--help', '--version'])
const isOtherFlag = (word: string | undefined): boolean =>
  word?.startsWith('-') === true && !shownFlags.has(word)

const nounOf = (entries: Entries, name: string | undefined): Noun | null => {
  const entry = entries.find(one => one.name === name)
  return entry?.kind === 'noun' ? entry : null
}

/** Flags where a command should stand: to commander they are the noun's own, which has none. Null where there are none. */
export const missingCommand = (entries: Entries, args: readonly string[]): string | null => {
  const [first, second] = args
  if (isOtherFlag(first)) return 'a command is missing; it stands before its flags, and --help lists them'
  const noun = nounOf(entries, first)
  if (noun === null || !isOtherFlag(second)) return null
  const names = noun.commands.map(({ name }) => name).join(', ')
  return `${noun.name}: a command is missing; it stands before its flags, and is one of ${names}`
}

/** What commander says, in a line; where it has no other name to offer, what lists them. */
export const commanderProblem = (
  error: CommanderError,
  entries: Entries,
  args: readonly string[],
): string => {
  const text = error.message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '; $1')
  if (error.code !== 'commander.unknownCommand' || text.includes(';')) return text
  const noun = nounOf(entries, args[0])
  return `${text}; bridge ${noun === null ? '' : `${noun.name} `}--help lists those there are`
}
