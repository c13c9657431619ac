import type { Clock } from '../../shared/domain/clock.ts'
import { dataDirDefault } from '../local/flags.ts'
import type { Command, Noun } from './command.ts'
import { type ExitCode, exitDone, exitInterrupted, exitWrongUse } from './exit-codes.ts'
import { failureOf } from './failures.ts'
import { readInput } from './input.ts'
import type { Io } from './io.ts'
import { type ParsedLine, parseLine, programName } from './program.ts'
import type { Session } from './session.ts'
import { confirmInput, outputInput, type TargetInput, targetInput } from './standard-flags.ts'
import type { OperatorBridge } from './target/operator-bridge.ts'

/** A command has this long to end after Ctrl-C. */
const graceMs = 5_000

export type CommandLineDeps = {
  entries: readonly (Noun | Command)[]
  io: Io
  clock: Clock
  signal: AbortSignal
}

/** Runs one command line and says with which code the process is to end. Whatever fails is told without a stack. */
export const runCommandLine = async (args: readonly string[], deps: CommandLineDeps): Promise<ExitCode> => {
  try {
    return await runParsed(parseLine(deps.entries, args), deps)
  } catch (error) {
    if (deps.signal.aborted) return tell(deps.io, exitInterrupted, ['interrupted'])
    const { code, lines } = failureOf(error)
    return tell(deps.io, code, lines)
  }
}

const runParsed = async (parsed: ParsedLine, deps: CommandLineDeps): Promise<ExitCode> => {
  const { io } = deps
  if (parsed.kind === 'shown') {
    io.out(parsed.text.trimEnd())
    return exitDone
  }
  if (parsed.kind === 'wrong') {
    if (parsed.help !== '') io.note(parsed.help.trimEnd())
    return tell(io, exitWrongUse, parsed.problems)
  }
  const read = readLine(parsed)
  if (read.start === null) return tell(io, exitWrongUse, read.problems)
  await using open = new AsyncDisposableStack()
  return await Promise.race([read.start(sessionOf(read, deps, open)), interrupted(deps)])
}

/** What does not end by itself after Ctrl-C, as a wait for input, is left; what was opened is closed all the same. */
const interrupted = async ({ clock, signal }: CommandLineDeps): Promise<ExitCode> => {
  if (!signal.aborted) {
    await new Promise<void>(resolve => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  await clock.sleep(graceMs)
  return exitInterrupted
}

const tell = (io: Io, code: ExitCode, lines: readonly string[]): ExitCode => {
  for (const line of lines) io.note(line.startsWith(' ') ? line : `${programName}: ${line}`)
  return code
}

type ReadLine = { json: boolean; yes: boolean; target: TargetInput | null }
type Start = (session: Session) => Promise<ExitCode>

const readLine = ({
  command,
  raw,
  strays,
}: Extract<ParsedLine, { kind: 'command' }>):
  | { start: null; problems: string[] }
  | (ReadLine & { start: Start }) => {
  const prepared = command.prepare(raw)
  const output = readInput(outputInput, raw)
  const confirms = readInput(confirmInput, raw)
  const target = command.hasTarget ? readInput(targetInput, raw) : null
  const isArgument = new Set(command.parts.filter(({ kind }) => kind === 'argument').map(({ name }) => name))
  const problems = [prepared, output, confirms, ...(target === null ? [] : [target])]
    .flatMap((part): readonly { name: string; text: string }[] => part.problems)
    // Among unknown flags nobody can tell what stands in whose place.
    .filter(({ name }) => strays.length === 0 || !isArgument.has(name))
    .map(({ text }) => text)
  if (strays.length + problems.length > 0 || prepared.start === null) {
    return { start: null, problems: [...strays, ...problems] }
  }
  return {
    start: prepared.start,
    json: output.input?.json === true,
    yes: confirms.input?.yes === true,
    target: target?.input ?? null,
  }
}

const sessionOf = (read: ReadLine, deps: CommandLineDeps, open: AsyncDisposableStack): Session => ({
  ...deps,
  json: read.json,
  yes: read.yes,
  open: async ({ make } = { make: false }) => {
    const bridge = await openTarget(read.target ?? {}, make, deps)
    open.defer(() => bridge.close())
    return bridge
  },
})

/** Each way to a bridge is loaded only where it is gone. */
const openTarget = async (
  { data, stack, region, profile }: Partial<TargetInput>,
  make: boolean,
  { clock, signal }: CommandLineDeps,
): Promise<OperatorBridge> => {
  if (stack !== undefined) {
    const { openStack } = await import('./target/open-stack.ts')
    return openStack({ stack, region, profile, now: () => clock.now() })
  }
  const { openLocal } = await import('./target/open-local.ts')
  return openLocal({ dataDir: data ?? dataDirDefault, make, clock, signal })
}
