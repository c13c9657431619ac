import { exitFailed } from './exit-codes.ts'
import { UsageError } from './failures.ts'
import type { Session } from './session.ts'

/** Asks before what can't be undone. Where nobody can be asked, `--yes` must say it: a `UsageError` otherwise. */
export const isConfirmed = async (
  { io, yes }: Pick<Session, 'io' | 'yes'>,
  question: string,
): Promise<boolean> => {
  if (yes) return true
  if (!io.isInteractive) throw new UsageError([`${question} Nobody can be asked here: give --yes to do it`])
  if (await io.confirm(question)) return true
  io.note('Nothing was done.')
  return false
}

export const exitNotConfirmed = exitFailed

/**
 * A secret from standard input or a prompt that does not show it: never from the command line, which other users of the
 * machine can see and the shell remembers. Line ends around it are no part of it.
 */
export const readSecret = async ({ io }: Pick<Session, 'io'>, what: string): Promise<string> => {
  const piped = await io.standardInput()
  const text = (piped ?? (await io.askSecret(`${what}:`)) ?? '').trim()
  if (text !== '') return text
  const right = piped === null ? '' : '; pipe it in, or run the command at a terminal'
  throw new UsageError([`${what}: none was given${right}`])
}
